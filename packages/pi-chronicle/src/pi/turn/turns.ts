// One primitive: sends a text as the user's message and waits until everything it started has settled. Sending is fire-and-forget in pi, so
// events report the end.
// It always resolves: a refused send, a closed session and an abort are outcomes; it listens only while a turn runs, and after a send
// that was not accepted, until that message is known to be gone; it works in a command and after a session replacement, with the `pi` of
// the session that is open then.
import type { AgentEndEvent, ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { errorMessage } from "@pi-chronicle/core/definition";
import { attempt } from "../../disk/index.ts";

export type TurnOutcome =
	| { readonly kind: "completed" }
	/** The user or the host stopped the run, or the session closed during it. */
	| { readonly kind: "aborted" }
	| { readonly kind: "failed"; readonly reason: string };

export interface FollowOptions {
	/** Milliseconds that pi may take to start a run after it received the text, not counting dialogs. */
	readonly acceptWithinMs?: number;
	/**
	 * Whether a run that was already active has picked up the work. If set, `start` is called only while no run is active: immediately, or
	 * after the active run has ended without picking it up.
	 */
	readonly joins?: () => boolean;
}

const pollMs = 25;
const acceptMs = 4_000;
const notStarted = "pi did not start a run for this message: another extension took it, or the model cannot be used.";

/**
 * Sends `text` and resolves when the run that it started has settled, including retries, compaction and continuations. If another run has
 * just started, the text follows in that run instead of being refused.
 */
export async function runTurn(
	pi: ExtensionAPI,
	ctx: Pick<ExtensionContext, "isIdle">,
	text: string,
): Promise<TurnOutcome> {
	const outcome = await followRun(pi, ctx, () => pi.sendUserMessage(text, { deliverAs: "followUp" }));
	if (outcome.kind === "failed" && outcome.reason === notStarted) stopLateStart(pi);
	return outcome;
}

/**
 * Stops a late start. A slow handler of another extension may still hold a text that was given up; the run that it starts then is aborted,
 * because its caller no longer waits. Listening ends at the next entered text, from any source, because that is a different message.
 */
function stopLateStart(pi: ExtensionAPI): void {
	const stops = [
		pi.on("input", () => forget()),
		pi.on("before_agent_start", ({ messageType }, ctx) => {
			if (messageType !== "user") return;
			forget();
			ctx.abort();
		}),
	];
	const forget = () => {
		for (const stop of stops) stop();
	};
}

/** Calls `start`, which makes pi run or adds to the active run, and resolves when that run has settled. */
export async function followRun(
	pi: ExtensionAPI,
	ctx: Pick<ExtensionContext, "isIdle">,
	start: () => void,
	{ acceptWithinMs = acceptMs, joins }: FollowOptions = {},
): Promise<TurnOutcome> {
	const stops: (() => void)[] = [];
	let poll: NodeJS.Timeout | undefined;
	try {
		return await new Promise<TurnOutcome>((resolve) => {
			let started = false;
			// An active run takes the message as its next one, without starting again.
			const joined = !idle(ctx);
			let begun = joins === undefined || !joined;
			let dialogs = 0;
			let failure: string | undefined;
			stops.push(
				pi.on("agent_start", () => {
					started = begun;
					failure = undefined;
				}),
				pi.on("agent_end", ({ messages }) => {
					failure = lastFailure(messages);
				}),
				pi.on("agent_settled", ({ aborted }) => {
					if (!started && !joined) return;
					if (aborted) resolve({ kind: "aborted" });
					else if (!started && joins?.() === false) return;
					else if (failure !== undefined) resolve({ kind: "failed", reason: failure });
					else resolve({ kind: "completed" });
				}),
				pi.on("ui_prompt_start", () => void dialogs++),
				pi.on("ui_prompt_end", () => void dialogs--),
				pi.on("session_shutdown", () => resolve({ kind: "aborted" })),
			);
			if (begun) start();
			let waited = 0;
			poll = setInterval(() => {
				if (started) return clearInterval(poll);
				if (dialogs > 0 || !idle(ctx)) return;
				if (!begun) {
					begun = true;
					start();
				}
				waited += pollMs;
				if (waited >= acceptWithinMs) resolve({ kind: "failed", reason: notStarted });
			}, pollMs);
		});
	} catch (error) {
		return { kind: "failed", reason: errorMessage(error) };
	} finally {
		clearInterval(poll);
		for (const stop of stops) stop();
	}
}

/** Why the last answer of a run failed: an error, or a cut at the output limit. */
function lastFailure(messages: AgentEndEvent["messages"]): string | undefined {
	const last = messages.findLast((message) => message.role === "assistant");
	if (last?.stopReason === "error") return last.errorMessage ?? "The model's provider reported an error.";
	if (last?.stopReason === "length") return "The model's answer was cut off at its output limit.";
	return undefined;
}

/** A stale context belongs to a closed session, in which nothing runs any more. */
function idle(ctx: Pick<ExtensionContext, "isIdle">): boolean {
	return attempt(() => ctx.isIdle()) ?? true;
}
