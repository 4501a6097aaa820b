// A command that runs as a step of something larger: it returns when what it started has come to rest, and its refusals are the step's
// outcome instead of notices and exit codes. The mark travels with the context, so that a command's parts need not hand it on.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";

/** How a step ended. */
export type StepEnd =
	| { readonly kind: "completed" }
	| { readonly kind: "aborted" }
	| { readonly kind: "failed"; readonly reason: string; readonly code?: number };

export interface StepRecord {
	/** Why it failed: the first refusal. */
	failed: string | undefined;
	/** The exit code that belongs to it. */
	code: number | undefined;
	/** Set when the step has ended: what comes later is said as usual. */
	over: boolean;
	/** The last warning, which a refusal without words of its own refers to. */
	warned: string | undefined;
	/** What was spent outside of this session, USD. */
	costUsd: number;
}

// Registered: the bundle has this module in its entry and in what is imported later, and a command passes through both.
const mark = Symbol.for("pi-chronicle.step");

/** The record of the step that `ctx` belongs to; `undefined` for a command that a user entered. */
export function stepOf(ctx: object): StepRecord | undefined {
	const record = (ctx as { [mark]?: StepRecord })[mark];
	return record?.over ? undefined : record;
}

/** Runs a command as a step; when `signal` aborts, nobody waits for it any more, and what it says is said to the user again. */
export async function runAsStep<Context extends ExtensionContext>(
	ctx: Context,
	command: (ctx: Context) => void | Promise<void>,
	signal?: AbortSignal,
): Promise<{ readonly end: StepEnd; readonly costUsd: number }> {
	const record: StepRecord = { failed: undefined, code: undefined, over: false, warned: undefined, costUsd: 0 };
	// pi's contexts are objects of getters that need no `this`: one that is derived from them stays as live as they are.
	const marked: Context = Object.create(ctx, { [mark]: { value: record } });
	const leave = () => {
		record.over = true;
	};
	signal?.addEventListener("abort", leave, { once: true });
	try {
		await command(marked);
	} finally {
		leave();
		signal?.removeEventListener("abort", leave);
	}
	const { failed: reason, code, costUsd } = record;
	if (reason === undefined) return { end: { kind: "completed" }, costUsd };
	return { end: { kind: "failed", reason, ...(code === undefined ? {} : { code }) }, costUsd };
}

/** Says that what the step started did not come to its end. No effect outside of a step. */
export function failStep(ctx: object, reason: string, code?: number): void {
	const record = stepOf(ctx);
	if (record === undefined) return;
	record.failed ??= reason;
	record.code ??= code;
}
