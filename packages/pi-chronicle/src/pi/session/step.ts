// A command that runs as a step of something larger. It returns when the work it started has settled, and its refusals become the step's
// outcome instead of notices and exit codes. The mark travels with the context, so the parts of a command need not pass it on.
import { setTimeout as sleep } from "node:timers/promises";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";

/** Work that a step has started and that waits for the user. */
export interface LeftWork {
	/** The command that continues it. */
	readonly finish: string;
	/** Resolves at the end of the work; `aborted` if `signal` aborts first. */
	ended(signal: AbortSignal): Promise<StepEnd>;
}

/** How a step ended. `left`: it has not failed for good, so it must not be repeated. */
export type StepEnd =
	| { readonly kind: "completed" }
	| { readonly kind: "aborted" }
	| { readonly kind: "failed"; readonly reason: string; readonly code?: number; readonly left?: LeftWork };

export interface StepRecord {
	/** Why the step failed: the first refusal. */
	failed: string | undefined;
	/** The exit code of that failure. */
	code: number | undefined;
	/** What it leaves waiting. */
	left: LeftWork | undefined;
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
	const record: StepRecord = {
		failed: undefined,
		code: undefined,
		left: undefined,
		over: false,
		warned: undefined,
		costUsd: 0,
	};
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
	const { failed: reason, code, left: waiting, costUsd } = record;
	if (reason === undefined) return { end: { kind: "completed" }, costUsd };
	return { end: { kind: "failed", reason, code, ...(waiting && { left: waiting }) }, costUsd };
}

/** Records that the step's work failed, or waits for the user (`left`). No effect outside a step. */
export function failStep(ctx: object, reason: string, code?: number, left?: LeftWork): void {
	const record = stepOf(ctx);
	if (record === undefined) return;
	record.failed ??= reason;
	record.code ??= code;
	record.left ??= left;
}

/** Milliseconds between two looks at work that waits. */
const lookMs = 300;

/** Resolves to the first end that `look` finds, or to `aborted` when `signal` aborts. */
export async function waitForEnd(
	look: () => StepEnd | undefined | Promise<StepEnd | undefined>,
	signal: AbortSignal,
): Promise<StepEnd> {
	while (!signal.aborted) {
		const end = await look();
		if (end) return end;
		await sleep(lookMs, undefined, { signal }).catch(() => {});
	}
	return { kind: "aborted" };
}
