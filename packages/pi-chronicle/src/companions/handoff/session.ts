// A handoff in one session: the user asks for it, the model writes a brief, the context is cut at one turn boundary. The cut, the
// successor's message and the continuation are one boundary of one run, at any context size; the direction is passed on verbatim; a
// model that does not call the tool is reminded a bounded number of times, then the user is told; another extension may undo a cut at the
// same boundary: then the cut is repeated at the next one, a bounded number of times; the model keeps the tool from the first request on, because
// a change of the tools would make the provider's cache of the whole conversation useless.
import type {
	AgentBeforeSettleEvent,
	ExtensionAPI,
	ExtensionContext,
	SessionBoundaryDraft,
	ToolDefinition,
	TurnEndEvent,
} from "@earendil-works/pi-coding-agent";
import { Type } from "typebox";
import { attempt } from "../../disk/index.ts";
import { followRun, foreignTools, type TurnOutcome } from "../../pi/index.ts";
import { calledOffText, handoffReminder, requestText, successorText } from "./texts.ts";

/** Reminders for a model that stopped without calling the tool. */
const maxReminders = 2;
/** Cuts per handoff, counting those that another extension has undone. */
const maxCuts = 3;
const toolName = "handoff";
const directionType = "handoff:direction";
const requestType = "handoff:request";

export type HandoffOutcome =
	| { readonly kind: "handed-over" }
	| { readonly kind: "aborted" }
	/** `unstarted`: the model was not asked. */
	| { readonly kind: "refused"; readonly reason: string; readonly unstarted?: true };

export interface HandoffSession {
	/** Asks the model to hand over. Resolves when the successor's run has settled, or when there is no handoff. */
	request(ctx: ExtensionContext, direction: string): Promise<HandoffOutcome>;
}

/** One request, from the user's direction to its outcome. */
interface Request {
	/** Random. */
	readonly id: string;
	readonly direction: string;
	/** Whether the model has been asked. */
	asked: boolean;
	reminders: number;
	cuts: number;
	/** The model's text for the successor. */
	brief: string | undefined;
	outcome: HandoffOutcome | undefined;
}

/** A message to a new context. */
export interface Introduction {
	readonly customType: string;
	readonly content: string;
	readonly display: false;
	readonly details?: unknown;
}

/** The session's services that a handoff uses. */
export interface HandoffHost {
	/** Whether the model can write notebook pages before the handoff. */
	readonly notebookOn: boolean;
	/** Messages that a new context must contain: the notebook, readonly. */
	introductions(): readonly Introduction[];
	/** Ends the countdown of a workflow, so that the model is not reminded to continue before it is asked to hand over. */
	endCountdown(): void;
}

/** Opens the handoff of the session that `pi` belongs to. */
export function openHandoff(pi: ExtensionAPI, host: HandoffHost): HandoffSession {
	const handoff = new Handoff(pi, host);
	pi.on("turn_start", (_event, ctx) => {
		handoff.pendingCut(ctx);
	});
	pi.on("turn_end", (event, ctx) => handoff.onTurnEnd(event, ctx));
	pi.on("agent_before_settle", (event, ctx) => handoff.onBeforeSettle(event, ctx));
	pi.on("agent_settled", ({ aborted }) => {
		if (aborted) handoff.end({ kind: "aborted" });
	});
	pi.on("session_tree", () => handoff.end({ kind: "aborted" }));
	return handoff;
}

type Boundary = { entries: SessionBoundaryDraft[]; continue: true };
type Briefed = Request & { brief: string };

class Handoff implements HandoffSession {
	private readonly pi: ExtensionAPI;
	private readonly host: HandoffHost;
	/** The request that has no outcome yet. */
	private pending: Request | undefined;
	private registered = false;
	/** Why the tool cannot be used: another extension owns its name. */
	private conflict: string | undefined;

	constructor(pi: ExtensionAPI, host: HandoffHost) {
		this.pi = pi;
		this.host = host;
	}

	async request(ctx: ExtensionContext, direction: string): Promise<HandoffOutcome> {
		const trimmed = direction.trim();
		const refused = this.refusal(trimmed);
		if (refused) return refused;
		const request: Request = {
			id: crypto.randomUUID(),
			direction: trimmed,
			asked: false,
			reminders: 0,
			cuts: 0,
			brief: undefined,
			outcome: undefined,
		};
		this.pending = request;
		this.host.endCountdown();
		const ask = () => {
			if (this.pending === request)
				this.pi.sendMessage(this.askModel(request), { triggerTurn: true, deliverAs: "followUp" });
		};
		const run = await followRun(this.pi, ctx, ask, { joins: () => request.asked });
		const outcome = outcomeOf(request, run);
		if (this.pending === request) this.end(outcome);
		if (request.asked && request.outcome?.kind !== "handed-over") this.retract(ctx, request);
		return outcome;
	}

	private refusal(direction: string): HandoffOutcome | undefined {
		if (direction === "") {
			const reason = "A handoff needs a direction: /handoff <what the successor should do>.";
			return { kind: "refused", reason, unstarted: true };
		}
		if (this.pending) return { kind: "refused", reason: "A handoff is already waiting for the model." };
		const conflict = this.registerTool();
		return conflict === undefined ? undefined : { kind: "refused", reason: conflict, unstarted: true };
	}

	/** Registers the tool once, without giving it to the model before it is asked. Returns the reason if another extension owns its name. */
	private registerTool(): string | undefined {
		if (!this.registered) {
			const active = this.pi.getActiveTools();
			this.pi.registerTool(this.tool() as ToolDefinition);
			this.registered = true;
			this.conflict = foreignTools(this.pi, [toolName], "/handoff");
			this.pi.setActiveTools(active);
		}
		return this.conflict;
	}

	private tool(): ToolDefinition<typeof parameters> {
		return {
			name: toolName,
			label: "Handoff",
			description:
				"End this context and start a successor with the user's direction. Only when the user asks for a handoff.",
			parameters,
			exposure: "model-only",
			// It changes only the session, so neither readonly nor a phase has a reason to refuse it.
			annotations: { readOnlyHint: true },
			executionMode: "sequential",
			execute: async (_id, { context }) => {
				if (!this.pending) throw new Error("No handoff is waiting; the user starts one with /handoff.");
				if (context.trim() === "") throw new Error("The context is empty: write what the successor needs.");
				this.pending.brief = context;
				return { content: [{ type: "text", text: "Handed over." }], details: {} };
			},
		};
	}

	end(outcome: HandoffOutcome): void {
		if (!this.pending) return;
		this.pending.outcome = outcome;
		this.pending = undefined;
	}

	/** Tells the model that the request in its context no longer holds. */
	private retract(ctx: ExtensionContext, { id }: Request): void {
		// It throws if the session was left, and its context with it.
		attempt(() => {
			if (!hasMessage(ctx, requestType, id)) return;
			this.pi.sendMessage({ customType: "handoff:called-off", content: calledOffText, display: false });
		});
	}

	/** Gives the model its tool, if it does not have it yet, and returns the message that asks it to hand over. */
	private askModel(request: Request) {
		request.asked = true;
		if (!this.pi.getActiveTools().includes(toolName)) this.pi.setActiveTools([...this.pi.getActiveTools(), toolName]);
		return {
			customType: requestType,
			content: requestText(request.direction, this.host.notebookOn),
			display: true,
			details: { request: request.id },
		};
	}

	onTurnEnd(event: TurnEndEvent, ctx: ExtensionContext): Boundary | undefined {
		const completed = event.outcome === "completed";
		if (this.pending?.asked === false)
			return completed && event.toolResults.length === 0 ? this.askAfter(this.pending, event.entries) : undefined;
		const request = completed ? this.pendingCut(ctx) : undefined;
		return request && this.cut(request, event.entries);
	}

	onBeforeSettle(event: AgentBeforeSettleEvent, ctx: ExtensionContext): Boundary | undefined {
		const completed = event.outcome === "completed";
		// After a run that failed, the model is asked in a run of its own.
		if (this.pending?.asked === false) return completed ? this.askAfter(this.pending, event.entries) : undefined;
		const request = this.pendingCut(ctx);
		if (request && completed) return this.cut(request, event.entries);
		if (!this.pending) return undefined;
		if (!completed) {
			this.end({ kind: "refused", reason: "The run ended with an error before the model handed over." });
			return undefined;
		}
		return this.remind(this.pending, event.entries);
	}

	/** At the boundary where the model's work is done, nothing is queued that an abort would leave behind. */
	private askAfter(request: Request, before: readonly SessionBoundaryDraft[]): Boundary {
		return { entries: [...before, { type: "custom_message", ...this.askModel(request) }], continue: true };
	}

	private remind(request: Request, before: readonly SessionBoundaryDraft[]): Boundary | undefined {
		if (request.reminders >= maxReminders) {
			const reason = `The model did not call the handoff tool, not even after ${maxReminders} reminders.`;
			this.end({ kind: "refused", reason });
			return undefined;
		}
		request.reminders++;
		const reminder: SessionBoundaryDraft = {
			type: "custom_message",
			customType: "handoff:reminder",
			content: handoffReminder(request.direction),
			display: false,
		};
		return { entries: [...before, reminder], continue: true };
	}

	/** The request with a brief whose cut is not made or was undone. Ends the request if its cut holds or was undone too often. */
	pendingCut(ctx: ExtensionContext): Briefed | undefined {
		const request = this.pending;
		if (request?.brief === undefined) return undefined;
		if (request.cuts > 0 && hasMessage(ctx, directionType, request.id)) this.end({ kind: "handed-over" });
		else if (request.cuts >= maxCuts) {
			const reason = "Another extension restores the context after every handoff, so it is unchanged.";
			this.end({ kind: "refused", reason });
		}
		return this.pending as Briefed | undefined;
	}

	/** The boundary that replaces the context with the brief and the direction. */
	private cut(request: Briefed, before: readonly SessionBoundaryDraft[]): Boundary {
		request.cuts++;
		const { id, direction, brief } = request;
		const cut: SessionBoundaryDraft[] = [
			{ type: "compaction", summary: brief, firstKeptEntryId: null, details: { handoff: true, direction } },
			{
				type: "custom_message",
				customType: directionType,
				content: successorText(direction),
				display: true,
				details: { request: id },
			},
			...this.host.introductions().map((message) => ({ type: "custom_message" as const, ...message })),
		];
		return { entries: [...before, ...cut], continue: true };
	}
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

/** Whether the model's context holds this message of the request; a compaction by someone else removes it. */
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
