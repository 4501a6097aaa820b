// A handoff in one session: asked for, briefed by the model, cut at one turn boundary. H1 the cut, the successor's message and the
// continuation are one boundary of one run, at any context size; H2 the direction is carried verbatim; H3 a model that does not call the
// tool is reminded a bounded number of times, then the person is told; H4 a cut counts when it stands: another extension may have the last
// word at a boundary, then it is made again at the next one, a bounded number of times.
import type {
	ExtensionAPI,
	ExtensionContext,
	SessionBoundaryDraft,
	ToolDefinition,
} from "@earendil-works/pi-coding-agent";
import { Type } from "typebox";
import { followRun, foreignTools, type TurnOutcome } from "../../pi/index.ts";
import { calledOffText, handoffReminder, requestText, successorText } from "./texts.ts";

/** How often a model that stopped without the call is reminded. */
const reminders = 2;
/** How often a cut is made that another extension undoes in the same moment. */
const cuts = 3;
const toolName = "handoff";
const directionType = "handoff:direction";
const requestType = "handoff:request";

export type HandoffOutcome =
	| { readonly kind: "handed-over" }
	| { readonly kind: "aborted" }
	/** `unstarted`: the model was not even asked. */
	| { readonly kind: "refused"; readonly reason: string; readonly unstarted?: true };

export interface HandoffSession {
	/** Asks the model for a handoff and resolves when the successor's run has settled, or when there was none. */
	request(ctx: ExtensionContext, direction: string): Promise<HandoffOutcome>;
}

/** One request, from the person's words to its outcome. */
interface Request {
	/** Random. */
	readonly id: string;
	readonly direction: string;
	/** Whether the model has been asked. */
	asked: boolean;
	reminded: number;
	/** How often the cut was made. */
	cut: number;
	/** What the model wrote for the successor. */
	brief: string | undefined;
	outcome: HandoffOutcome | undefined;
}

/** A message to a context that begins anew. */
export interface Introduction {
	readonly customType: string;
	readonly content: string;
	readonly display: false;
	readonly details?: unknown;
}

/** What a handoff needs of its session. */
export interface HandoffHost {
	/** Whether the model may write pages of the notebook before it hands over. */
	readonly notebookOn: boolean;
	/** What a context that begins anew must be told: notebook, posture. */
	introductions(): readonly Introduction[];
}

/** Opens the handoff of the session that `pi` belongs to. */
export function openHandoff(pi: ExtensionAPI, host: HandoffHost): HandoffSession {
	/** The request that waits for its cut. */
	let waiting: Request | undefined;
	let registered = false;
	/** Why the tool cannot be used: it is another extension's. */
	let foreign: string | undefined;

	function end(outcome: HandoffOutcome): void {
		if (waiting) waiting.outcome = outcome;
		waiting = undefined;
		takeToolAway();
	}

	function takeToolAway(): void {
		const active = pi.getActiveTools();
		if (active.includes(toolName)) pi.setActiveTools(active.filter((name) => name !== toolName));
	}

	/** What the settled run made of the request; after it nothing of it waits any more, also not for the model. */
	function conclude(ctx: ExtensionContext, request: Request, run: TurnOutcome): HandoffOutcome {
		const outcome = outcomeOf(request, run);
		if (waiting === request) end(outcome);
		if (request.asked && request.outcome?.kind !== "handed-over") callOff(ctx, request);
		return outcome;
	}

	/** Tells the model that the request in its context no longer holds: what it is asked next is not the successor's work. */
	function callOff(ctx: ExtensionContext, { id }: Request): void {
		try {
			if (!isAsked(ctx, id)) return;
			pi.sendMessage({ customType: "handoff:called-off", content: calledOffText, display: false });
		} catch {
			// The session was left, and its context with it.
		}
	}

	/** Makes the tool known to pi, once, and keeps it from the model. The answer is the reason where it is another extension's. */
	function offer(): string | undefined {
		if (!registered) {
			const active = pi.getActiveTools();
			pi.registerTool(tool as ToolDefinition);
			registered = true;
			foreign = foreignTools(pi, [toolName], "/handoff");
			pi.setActiveTools(active);
		}
		return foreign;
	}

	/** The boundary that hands over. */
	function handOver(request: Request, brief: string, before: readonly SessionBoundaryDraft[]) {
		request.cut++;
		takeToolAway();
		const { id, direction } = request;
		const cut: SessionBoundaryDraft[] = [
			{ type: "compaction", summary: brief, firstKeptEntryId: null, details: { handoff: true, direction } },
			{
				type: "custom_message",
				customType: directionType,
				content: successorText(direction),
				display: true,
				details: { request: id },
			},
			...host.introductions().map((told) => ({ type: "custom_message" as const, ...told })),
		];
		return { entries: [...before, ...cut], continue: true };
	}

	/** The request whose cut is still to be made, once it is known that the one before stands or does not. */
	function uncut(ctx: ExtensionContext): (Request & { brief: string }) | undefined {
		if (waiting?.brief === undefined) return undefined;
		if (waiting.cut > 0 && hasDirection(ctx, waiting.id)) end({ kind: "handed-over" });
		else if (waiting.cut >= cuts)
			end({
				kind: "refused",
				reason: "Another extension undoes the handoff's cut whenever it is made; the context is as it was.",
			});
		return waiting as (Request & { brief: string }) | undefined;
	}

	/** Gives the model its tool and makes the message that asks it to hand over. */
	function ask(request: Request) {
		request.asked = true;
		if (!pi.getActiveTools().includes(toolName)) pi.setActiveTools([...pi.getActiveTools(), toolName]);
		return {
			customType: requestType,
			content: requestText(request.direction, host.notebookOn),
			display: true,
			details: { request: request.id },
		};
	}

	/** The boundary at which a model whose work is done is asked: nothing is queued that an abort would leave behind. */
	function askAfter(request: Request, before: readonly SessionBoundaryDraft[]) {
		return { entries: [...before, { type: "custom_message" as const, ...ask(request) }], continue: true };
	}

	pi.on("turn_start", (_event, ctx) => void uncut(ctx));
	pi.on("turn_end", (event, ctx) => {
		if (waiting?.asked === false) {
			const done = event.outcome === "completed" && event.toolResults.length === 0;
			return done ? askAfter(waiting, event.entries) : undefined;
		}
		const request = event.outcome === "completed" ? uncut(ctx) : undefined;
		return request && handOver(request, request.brief, event.entries);
	});
	pi.on("agent_before_settle", (event, ctx) => {
		// After a run that failed the model is asked anew, in a run of its own.
		if (waiting?.asked === false) return event.outcome === "completed" ? askAfter(waiting, event.entries) : undefined;
		const request = uncut(ctx);
		if (request && event.outcome === "completed") return handOver(request, request.brief, event.entries);
		if (waiting === undefined) return;
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
			content: handoffReminder(waiting.direction),
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
		async request(ctx, direction) {
			const words = direction.trim();
			if (words === "")
				return {
					kind: "refused",
					reason: "A handoff needs a direction: /handoff <what the successor should do>.",
					unstarted: true,
				};
			if (waiting) return { kind: "refused", reason: "A handoff is already waiting for the model." };
			const taken = offer();
			if (taken !== undefined) return { kind: "refused", reason: taken, unstarted: true };
			const request: Request = {
				id: crypto.randomUUID(),
				direction: words,
				asked: false,
				reminded: 0,
				cut: 0,
				brief: undefined,
				outcome: undefined,
			};
			waiting = request;
			const run = await followRun(
				pi,
				ctx,
				() => {
					if (waiting === request) pi.sendMessage(ask(request), { triggerTurn: true, deliverAs: "followUp" });
				},
				{ joins: () => request.asked },
			);
			return conclude(ctx, request, run);
		},
	};
}

function outcomeOf({ outcome }: Request, run: TurnOutcome): HandoffOutcome {
	switch (run.kind) {
		case "aborted":
			return { kind: "aborted" };
		case "failed": {
			if (outcome?.kind === "aborted") return outcome;
			const before = outcome?.kind === "handed-over" ? "The context was handed over, but its successor failed: " : "";
			return { kind: "refused", reason: `${before}${run.reason}` };
		}
		case "completed":
			return outcome ?? { kind: "refused", reason: "The run ended before the model handed over." };
	}
}

/** Whether the model's context holds the direction of this request: it does unless somebody's compaction has taken it. */
function hasDirection(ctx: ExtensionContext, request: string): boolean {
	return hasMessage(ctx, directionType, request);
}

/** Whether the model's context holds the request itself. */
function isAsked(ctx: ExtensionContext, request: string): boolean {
	return hasMessage(ctx, requestType, request);
}

function hasMessage({ sessionManager }: ExtensionContext, type: string, request: string): boolean {
	return sessionManager
		.buildContextEntries()
		.some(
			(entry) =>
				entry.type === "custom_message" &&
				entry.customType === type &&
				(entry.details as { request?: unknown } | undefined)?.request === request,
		);
}

const parameters = Type.Object({
	context: Type.String({ description: "Everything the successor needs to know, Markdown" }),
});
