// Decides each tool call: measures the call, asks every policy, and applies the strongest verdict. `register-gate.ts` puts the gate in
// front of every call.
// Invariants: an error during judgment refuses the call with a reason; a refusal never ends the run; calls that could change each other's
// meaning don't run at the same time; every decision other than a plain pass is recorded as an entry.
import type {
	ExtensionAPI,
	ExtensionContext,
	ToolCallEvent,
	ToolCallEventResult,
	ToolResultEvent,
	ToolResultEventResult,
} from "@earendil-works/pi-coding-agent";
import { errorMessage } from "@pi-chronicle/core/definition";
import type { Footprint, KnownTools } from "@pi-chronicle/footprint";
import {
	type Answer,
	aboutTool,
	askUser,
	newestFirst,
	type Scope,
	say,
	writeEntry,
	type YesOrNo,
} from "../../pi/index.ts";
import { readToolSettings } from "../known-tools.ts";
import { type Box, type ConfinedCommand, shellCommand } from "./box.ts";
import { type AllowedBy, type DecisionOutcome, decisionEntry, recordDecision } from "./decision-record.ts";
import { type InFlightCalls, openInFlightCalls } from "./in-flight-calls.ts";
import type { Policies, ToolCall } from "./policy.ts";
import { callTitle, questionText, refusalText } from "./refusal.ts";
import type { Verdict } from "./verdict.ts";

/** A call with the verdicts that prevent it from simply passing, strongest first. */
export interface JudgedCall {
	readonly call: ToolCall;
	readonly footprint: Footprint;
	readonly verdicts: readonly Verdict[];
}

/** The user's answers, remembered and new. Only the user gives answers: a model cannot call anything that reaches this. */
export interface Answers {
	/** The remembered answer for exactly this call in this place; `undefined` if the user has to be asked. */
	recall(judged: JudgedCall, ctx: ExtensionContext): "yes" | "no" | undefined;
	/** Asks the user, and remembers the answer as the user chooses. */
	ask(judged: JudgedCall, ctx: ExtensionContext): Promise<Answer>;
	/** Records that rules refused a call; the user may lift the refusal for the next identical call. */
	refused(judged: JudgedCall, ctx: ExtensionContext): void;
	/** Whether the user has lifted the refusal of this call. Consumes the permission. */
	lifts(judged: JudgedCall, ctx: ExtensionContext): boolean;
}

export interface GateOptions {
	readonly policies: Policies;
	readonly scope: Scope;
	/** Number of refusals by one rule within a run after which the user is asked whether to continue. */
	readonly patience?: number;
	/** Asks the user; by default with a dialog of this session. */
	readonly ask?: (ctx: ExtensionContext, question: YesOrNo) => Promise<Answer>;
	/** Remembered answers, if any; loaded at the first question or refusal. */
	readonly answers?: () => Promise<Answers>;
	/** The sandbox for calls that a policy wants contained; `undefined` if none works here. */
	readonly box?: (ctx: ExtensionContext) => Promise<Box | undefined>;
}

const builtIn = new Set(["read", "write", "edit", "bash", "powershell", "grep", "find", "ls"]);

export interface Gate {
	/** Judges a call, nested calls included; `undefined` lets it run. */
	judge(event: ToolCallEvent, ctx: ExtensionContext): Promise<ToolCallEventResult | undefined>;
	/** Screens a result; `undefined` leaves it unchanged. */
	screen(event: ToolResultEvent): Promise<ToolResultEventResult | undefined>;
	ended(callId: string): void;
	settle(): void;
}

interface GateState {
	readonly pi: ExtensionAPI;
	readonly options: GateOptions;
	readonly inFlight: InFlightCalls;
	/** Refusals of each rule in the current run. */
	readonly refusals: Map<string, number>;
	/** Allowed calls whose results are screened, by id. */
	readonly screened: Map<string, Pick<JudgedCall, "call" | "footprint">>;
	/** Running commands in the sandbox, by the id of their call. */
	readonly confined: Map<string, ConfinedCommand>;
	/** The user's tool settings; `undefined` until they are read. */
	known: KnownTools | undefined;
}

/** Opens the gate of the session that `pi` belongs to. */
export function openGate(pi: ExtensionAPI, options: GateOptions): Gate {
	const inFlight = openInFlightCalls();
	const gate: GateState = {
		pi,
		options,
		inFlight,
		refusals: new Map(),
		screened: new Map(),
		confined: new Map(),
		known: undefined,
	};
	const forgetCalls = () => {
		inFlight.clear();
		gate.screened.clear();
		for (const id of gate.confined.keys()) endConfined(gate, id, false);
	};
	options.scope.own(forgetCalls);
	return {
		async judge(event, ctx) {
			try {
				return await judgeGateCall(gate, event, ctx);
			} catch (error) {
				return { block: true, reason: `Refused: this call could not be judged (${errorMessage(error)}).` };
			}
		},
		async screen(event) {
			try {
				return await screenResult(gate, event);
			} catch (error) {
				const text = `[Withheld: this result could not be screened (${errorMessage(error)}).]`;
				return { content: [{ type: "text", text }], details: {}, isError: true };
			}
		},
		ended(callId) {
			inFlight.end(callId);
			gate.screened.delete(callId);
			endConfined(gate, callId, false);
		},
		settle() {
			gate.refusals.clear();
			forgetCalls();
		},
	};
}

async function judgeGateCall(
	gate: GateState,
	event: ToolCallEvent,
	ctx: ExtensionContext,
): Promise<ToolCallEventResult | undefined> {
	const { policies } = gate.options;
	const call = readToolCall(gate.pi, event, ctx, await knownTools(gate, ctx));
	if (!hasNeighbors(call) && policies.ignore(call)) return undefined;
	const { measure, pathFacts } = await import("../measure.ts");
	const footprint = once(() => measure(call, ctx.cwd));
	const { decision, verdicts, notes } = await policies.judge(call, footprint);
	recordCall(gate, "noted", call, notes);
	const judged: JudgedCall = {
		call,
		verdicts,
		get footprint() {
			return footprint();
		},
	};

	const lifted = decision === "deny" && (await liftRefusal(gate, judged, ctx));
	if (decision === "deny" && !lifted) {
		recordCall(gate, "denied", call, verdicts);
		return refuseCall(gate, ctx, verdicts, refusalText(verdicts, "rule", ctx.cwd));
	}
	if (lifted) recordCall(gate, "allowed", call, verdicts, "once");
	const conflict = () =>
		hasNeighbors(call) ? gate.inFlight.conflict(call.id, footprint(), pathFacts(ctx.cwd)) : undefined;
	const before = conflict();
	if (before) return refuseConflict(gate, ctx, call, before);
	if (decision === "ask") {
		const refusal = await answerFor(gate, judged, ctx);
		if (refusal) return refusal;
	}
	// Another call may have been allowed while the user was deciding.
	const after = conflict();
	if (after) return refuseConflict(gate, ctx, call, after);
	if (hasNeighbors(call)) gate.inFlight.begin(call.id, footprint(), callTitle(call));
	// If the user lifts a refusal, the result is not screened.
	if (policies.screens && !lifted) gate.screened.set(call.id, judged);
	const amended = lifted ? call : amend(policies, call, event);
	return confine(gate, event, ctx, amended, footprint);
}

/** Changes the arguments of an allowed call as the policies want it. */
function amend(policies: Policies, call: ToolCall, event: ToolCallEvent): ToolCall {
	const changes = policies.amend(call);
	if (!changes) return call;
	Object.assign(event.input, changes);
	return { ...call, input: { ...call.input, ...changes } };
}

/** Puts the shell command of an allowed call into the sandbox, if a policy wants that. */
async function confine(
	gate: GateState,
	event: ToolCallEvent,
	ctx: ExtensionContext,
	call: ToolCall,
	footprint: () => Footprint,
): Promise<ToolCallEventResult | undefined> {
	const { policies, box } = gate.options;
	const command = shellCommand(call);
	const need = command === undefined ? undefined : await policies.confine(call, footprint);
	if (!need || command === undefined) return undefined;
	const confined = await (await box?.(ctx))?.confine(command, need);
	if (!confined) return { block: true, reason: "Refused: it has to run in a sandbox, and none works here." };
	gate.confined.set(call.id, confined);
	Object.assign(event.input, { command: confined.command });
	return undefined;
}

/** What the reader of a result should know about the sandbox that the command ran in. */
function endConfined({ confined }: GateState, id: string, failed: boolean): string | undefined {
	const command = confined.get(id);
	confined.delete(id);
	return command?.ended(failed);
}

/** Whether other calls may run at the same time. */
function hasNeighbors({ siblings, parent }: ToolCall): boolean {
	return siblings.length > 0 || parent !== undefined;
}

async function knownTools(gate: GateState, ctx: ExtensionContext): Promise<KnownTools> {
	if (!gate.known) {
		const read = await readToolSettings(gate.pi);
		gate.known = read;
		if (read.problems.length > 0) say(ctx, read.problems.join("\n"), "warning");
	}
	return gate.known;
}

function recordCall(
	{ pi }: GateState,
	outcome: DecisionOutcome,
	call: ToolCall,
	verdicts: readonly Verdict[],
	by?: AllowedBy,
): void {
	const [first, ...rest] = verdicts;
	if (first) writeEntry(pi, decisionEntry, recordDecision(outcome, call, [first, ...rest], by));
}

/** Whether the user has lifted the refusal of this call; if not, records the refusal for `/guard allow once`. */
async function liftRefusal({ options }: GateState, judged: JudgedCall, ctx: ExtensionContext): Promise<boolean> {
	const answers = await options.answers?.();
	if (answers?.lifts(judged, ctx)) return true;
	answers?.refused(judged, ctx);
	return false;
}

/** Gets the user's answer, remembered or new; `undefined` if it is yes. */
async function answerFor(
	gate: GateState,
	judged: JudgedCall,
	ctx: ExtensionContext,
): Promise<ToolCallEventResult | undefined> {
	const { call, verdicts } = judged;
	const { answers, ask = askUser } = gate.options;
	const book = await answers?.();
	const asked = () => ask(ctx, { ...questionText(call, verdicts, ctx.cwd), signal: ctx.signal });
	const recalled = book?.recall(judged, ctx);
	const answer = recalled ?? (await (book ? book.ask(judged, ctx) : asked()));
	const by = recalled === undefined ? "user" : "answer";
	if (answer === "yes") recordCall(gate, "allowed", call, verdicts, by);
	else recordCall(gate, answer === "no" ? "refused" : "unasked", call, verdicts);
	if (answer === "yes") return undefined;
	return refuseCall(gate, ctx, verdicts, refusalText(verdicts, answer === "no" ? "user" : "nobody", ctx.cwd));
}

/** Counts a refusal. At the limit, the user decides whether the run continues, unless the rules leave that to the model. */
async function refuseCall(
	{ options, refusals }: GateState,
	ctx: ExtensionContext,
	verdicts: readonly Verdict[],
	reason: string,
): Promise<ToolCallEventResult> {
	const { patience = 3, ask = askUser } = options;
	const rule = `${verdicts[0]?.policy} ${verdicts[0]?.rule}`;
	const count = (refusals.get(rule) ?? 0) + 1;
	refusals.set(rule, count);
	if (count < patience) return { block: true, reason };
	const again = `This rule has refused ${count} calls so far, and it stays: take a way that it allows, or stop and say why it cannot be done.`;
	if (verdicts.every(({ repeats }) => repeats === "unasked")) return { block: true, reason: `${reason}\n${again}` };
	const answer = await ask(ctx, {
		title: `One rule has refused ${count} calls. Let the agent continue?`,
		message: `${verdicts[0]?.reason ?? rule}\n\nYes: the agent continues, and the rule stays. No: the run stops here.`,
		signal: ctx.signal,
		uncalled: true,
		safe: "yes",
		words: { yes: "Continue, the rule stays", no: "Stop the run here" },
	});
	if (answer !== "nobody") refusals.delete(rule);
	if (answer !== "no") return { block: true, reason: `${reason}\n${again}` };
	ctx.abort();
	return { block: true, reason: `${reason}\nThe user stopped the run here.` };
}

/** Refuses a call because of another one in flight. No rule is involved, so it does not count as a refusal by a rule. */
function refuseConflict(gate: GateState, ctx: ExtensionContext, call: ToolCall, conflict: string): ToolCallEventResult {
	const verdict: Verdict = {
		decision: "deny",
		policy: "gate",
		rule: "side-by-side",
		reason: `${conflict}, so it was not run.`,
		advice: "Repeat it alone, in a message of its own.",
	};
	recordCall(gate, "denied", call, [verdict]);
	return { block: true, reason: refusalText([verdict], "rule", ctx.cwd) };
}

async function screenResult(gate: GateState, event: ToolResultEvent): Promise<ToolResultEventResult | undefined> {
	const { toolCallId, isError } = event;
	const note = endConfined(gate, toolCallId, isError);
	const content = note === undefined ? event.content : [...event.content, { type: "text" as const, text: `\n${note}` }];
	const screened = await screenContent(gate, toolCallId, content);
	return screened ?? (note === undefined ? undefined : { content });
}

async function screenContent(
	gate: GateState,
	toolCallId: string,
	content: ToolResultEvent["content"],
): Promise<ToolResultEventResult | undefined> {
	const { policies } = gate.options;
	const judged = gate.screened.get(toolCallId);
	if (!judged || !policies.screens) return undefined;
	const texts = content.map((part) => (part.type === "text" ? part.text : ""));
	const screenings = await policies.screen(judged.call, () => judged.footprint, texts);
	const last = screenings.at(-1);
	if (!last) return undefined;
	for (const { verdict } of screenings) recordCall(gate, "withheld", judged.call, [verdict]);
	const remaining = content.flatMap((part, index): typeof content => {
		const text = last.texts[index];
		if (text === undefined) return [];
		return part.type === "text" || text !== "" ? [{ type: "text", text }] : [part];
	});
	// Details may contain the whole text again, and pi keeps them unless they are replaced.
	return { content: remaining, details: {} };
}

function readToolCall(pi: ExtensionAPI, event: ToolCallEvent, ctx: ExtensionContext, known: KnownTools): ToolCall {
	const about = builtIn.has(event.toolName) ? undefined : aboutTool(pi, event.toolName);
	return {
		id: event.toolCallId,
		tool: event.toolName,
		// A copy, because later amendments must not change the judged input.
		input: { ...event.input },
		siblings: siblings(event.toolCallId, ctx),
		parent: event.parentToolCallId,
		...(about?.annotations ? { annotations: about.annotations } : {}),
		...(about?.own ? { own: true } : {}),
		known,
	};
}

/** The other calls in the message that contains call `id`: the newest assistant message, which entries of this package may follow. */
function siblings(id: string, ctx: ExtensionContext): ToolCall["siblings"] {
	for (const entry of newestFirst(ctx.sessionManager)) {
		if (entry.type !== "message" || entry.message.role !== "assistant") continue;
		const calls = entry.message.content.flatMap((part) =>
			part.type === "toolCall" ? [{ id: part.id, tool: part.name }] : [],
		);
		return calls.filter((call) => call.id !== id);
	}
	return [];
}

function once<Value>(compute: () => Value): () => Value {
	let done: { value: Value } | undefined;
	return () => {
		done ??= { value: compute() };
		return done.value;
	};
}
