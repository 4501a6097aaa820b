// A handoff in one session: asked for, briefed by the model, cut at one turn boundary. H1 the cut, the successor's message and the
// continuation are one boundary of one run, at any context size; H2 the direction is carried verbatim; H3 a model that does not call the
// tool is reminded a bounded number of times, then the person is told.
import type {
	ExtensionAPI,
	ExtensionContext,
	SessionBoundaryDraft,
	ToolDefinition,
} from "@earendil-works/pi-coding-agent";
import { Type } from "typebox";
import { followRun, say, type TurnOutcome } from "../../pi/index.ts";
import { reminderText, requestText, successorText } from "./texts.ts";

/** How often a model that stopped without the call is reminded. */
const reminders = 2;
const toolName = "handoff";

export type HandoffOutcome =
	| { readonly kind: "handed-over" }
	| { readonly kind: "aborted" }
	| { readonly kind: "refused"; readonly reason: string };

export interface HandoffSession {
	/** Asks the model for a handoff and resolves when the successor's run has settled, or when there was none. */
	request(ctx: ExtensionContext, direction: string): Promise<HandoffOutcome>;
	readonly pending: boolean;
}

/** One request, from the person's words to its outcome. */
interface Request {
	readonly direction: string;
	reminded: number;
	/** What the model wrote for the successor. */
	brief: string | undefined;
	outcome: HandoffOutcome | undefined;
}

/** What a handoff needs of the session's notebook. */
export interface NotebookView {
	/** Whether the model may write pages before it hands over. */
	readonly on: boolean;
	/** What a context that begins anew must be told. */
	introduction(): { customType: string; content: string; display: false } | undefined;
}

/** Opens the handoff of the session that `pi` belongs to. */
export function openHandoff(pi: ExtensionAPI, notebook: NotebookView): HandoffSession {
	/** The request that waits for its cut. */
	let waiting: Request | undefined;
	let registered = false;

	function end(outcome: HandoffOutcome): void {
		if (waiting) waiting.outcome = outcome;
		waiting = undefined;
		const active = pi.getActiveTools();
		if (active.includes(toolName)) pi.setActiveTools(active.filter((name) => name !== toolName));
	}

	/** What the settled run made of the request; after it nothing of it waits any more. */
	function conclude(request: Request, run: TurnOutcome): HandoffOutcome {
		const outcome: HandoffOutcome =
			run.kind === "aborted"
				? { kind: "aborted" }
				: run.kind === "failed"
					? { kind: "refused", reason: run.reason }
					: (request.outcome ?? { kind: "refused", reason: "The run ended before the model handed over." });
		if (waiting === request) end(outcome);
		return outcome;
	}

	pi.on("turn_end", (event) => {
		if (waiting?.brief === undefined || event.outcome !== "completed") return;
		const { direction, brief } = waiting;
		end({ kind: "handed-over" });
		const introduction = notebook.introduction();
		const cut: SessionBoundaryDraft[] = [
			{ type: "compaction", summary: brief, firstKeptEntryId: null, details: { handoff: true, direction } },
			{ type: "custom_message", customType: "handoff:direction", content: successorText(direction), display: true },
			...(introduction ? [{ type: "custom_message" as const, ...introduction }] : []),
		];
		return { entries: [...event.entries, ...cut], continue: true };
	});
	pi.on("agent_before_settle", (event) => {
		if (waiting === undefined || waiting.brief !== undefined) return;
		if (event.outcome !== "completed") {
			end({ kind: "refused", reason: "The run ended with an error before the model handed over." });
			return;
		}
		if (waiting.reminded >= reminders) {
			end({
				kind: "refused",
				reason: `The model did not call the handoff tool, also not after ${reminders} reminders.`,
			});
			return;
		}
		waiting.reminded++;
		const reminder: SessionBoundaryDraft = {
			type: "custom_message",
			customType: "handoff:reminder",
			content: reminderText(waiting.direction),
			display: false,
		};
		return { entries: [...event.entries, reminder], continue: true };
	});
	pi.on("agent_settled", ({ aborted }) => {
		if (aborted && waiting) end({ kind: "aborted" });
	});
	pi.on("session_tree", () => {
		if (waiting) end({ kind: "aborted" });
	});

	const tool: ToolDefinition<typeof parameters> = {
		name: toolName,
		label: "Handoff",
		description: "End this context and let a successor go on with the direction that the person gave.",
		parameters,
		exposure: "model-only",
		// It touches nothing but the session: no posture and no phase has a reason to refuse it.
		annotations: { readOnlyHint: true },
		executionMode: "sequential",
		async execute(_id, { context }) {
			if (waiting === undefined) throw new Error("No handoff is waiting; the person starts one with /handoff.");
			if (context.trim() === "") throw new Error("The context is empty: write down what the successor needs.");
			waiting.brief = context;
			return { content: [{ type: "text", text: "Handed over." }], details: {} };
		},
	};

	return {
		get pending() {
			return waiting !== undefined;
		},
		async request(ctx, direction) {
			const words = direction.trim();
			if (words === "")
				return { kind: "refused", reason: "A handoff needs a direction: /handoff <what the successor should do>." };
			if (waiting) return { kind: "refused", reason: "A handoff is already waiting for the model." };
			if (!registered) pi.registerTool(tool as ToolDefinition);
			else if (!pi.getActiveTools().includes(toolName)) pi.setActiveTools([...pi.getActiveTools(), toolName]);
			registered = true;
			const request: Request = { direction: words, reminded: 0, brief: undefined, outcome: undefined };
			waiting = request;
			const message = { customType: "handoff:request", content: requestText(words, notebook.on), display: true };
			const run = await followRun(pi, ctx, () => pi.sendMessage(message, { triggerTurn: true, deliverAs: "followUp" }));
			return conclude(request, run);
		},
	};
}

const parameters = Type.Object({
	context: Type.String({ description: "Everything the successor needs to know, Markdown" }),
});

/** `/handoff <direction>`, typed: what came of it is said when it is not a handoff. */
export async function runHandoffCommand(
	session: HandoffSession,
	ctx: ExtensionContext,
	direction: string,
): Promise<void> {
	const outcome = await requestHandoff(session, ctx, direction);
	if (outcome.kind === "refused") say(ctx, outcome.reason, "error");
	if (outcome.kind === "aborted") say(ctx, "The handoff was stopped.", "warning");
}

/** Asks for a handoff: the same function serves the slash command and a sequence's step. */
export function requestHandoff(
	session: HandoffSession,
	ctx: ExtensionContext,
	direction: string,
): Promise<HandoffOutcome> {
	return session.request(ctx, direction);
}

/** The handoff as a step of a sequence: whoever wrote it expects a cut, so anything else ends the sequence, which says why. */
export async function handoffStep(
	session: HandoffSession,
	ctx: ExtensionContext,
	direction: string,
): Promise<{ kind: "completed" | "aborted" } | { kind: "failed"; reason: string }> {
	const outcome = await requestHandoff(session, ctx, direction);
	switch (outcome.kind) {
		case "handed-over":
			return { kind: "completed" };
		case "aborted":
			return { kind: "aborted" };
		case "refused":
			return { kind: "failed", reason: outcome.reason };
	}
}
