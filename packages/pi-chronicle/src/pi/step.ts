// A command that runs as a step of something larger. It returns when the work it started has settled, and its refusals become the step's
// outcome instead of notices and exit codes. The mark travels with the context, so the parts of a command need not pass it on.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";

/** How a step ended. */
export type StepEnd =
	| { readonly kind: "completed" }
	| { readonly kind: "aborted" }
	| { readonly kind: "failed"; readonly reason: string; readonly code?: number };

export interface StepRecord {
	/** Why the step failed: the first refusal. */
	failed: string | undefined;
	/** The exit code of that failure. */
	code: number | undefined;
	/** Set when the step has ended; later messages are shown as usual. */
	over: boolean;
	/** The last warning; it explains a refusal without a message of its own. */
	warned: string | undefined;
	/** Cost outside this session, in USD. */
	costUsd: number;
}

// In the global symbol registry, because the bundle contains this module both in its entry and in later imports, and a command passes
// through both.
const mark = Symbol.for("pi-chronicle.step");

/** The record of the step that `ctx` belongs to; `undefined` for a command that a user entered. */
export function stepOf(ctx: object): StepRecord | undefined {
	const record = (ctx as { [mark]?: StepRecord })[mark];
	return record?.over ? undefined : record;
}

/** Runs a command as a step. When `signal` aborts, the caller no longer waits for it, and its messages are shown to the user again. */
export async function runAsStep<Context extends ExtensionContext>(
	ctx: Context,
	command: (ctx: Context) => void | Promise<void>,
	signal: AbortSignal,
): Promise<{ readonly end: StepEnd; readonly costUsd: number }> {
	const record: StepRecord = { failed: undefined, code: undefined, over: false, warned: undefined, costUsd: 0 };
	// pi's contexts are objects with getters that need no `this`, so a derived object stays as live as the original.
	const marked: Context = Object.create(ctx, { [mark]: { value: record } });
	const leave = () => {
		record.over = true;
	};
	signal.addEventListener("abort", leave, { once: true });
	try {
		await command(marked);
	} finally {
		leave();
		signal.removeEventListener("abort", leave);
	}
	const { failed: reason, code, costUsd } = record;
	if (reason === undefined) return { end: { kind: "completed" }, costUsd };
	return { end: { kind: "failed", reason, code }, costUsd };
}

/** Records that the step's work failed. No effect outside a step. */
export function failStep(ctx: object, reason: string, code?: number): void {
	const record = stepOf(ctx);
	if (record === undefined) return;
	record.failed ??= reason;
	record.code ??= code;
}
