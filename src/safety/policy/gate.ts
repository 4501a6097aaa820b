// What the package's one gate does with a tool call: it measures the call, asks every policy, and carries out the strongest verdict.
// register-gate.ts puts it in front of every call. G1 no policy, no work; G2 an error on the way is a refusal with a reason, never a pass; G3 a refusal never ends the run;
// G4 calls that could change each other's meaning do not run side by side; G5 every decision that is not a plain pass is an entry.
import type {
	ExtensionAPI,
	ExtensionContext,
	ToolCallEvent,
	ToolCallEventResult,
	ToolResultEvent,
	ToolResultEventResult,
} from "@earendil-works/pi-coding-agent";
import type { Footprint, KnownTools } from "../../footprint/index.ts";
import {
	type Answer,
	aboutTool,
	askPerson,
	newestFirst,
	type Scope,
	say,
	writeEntry,
	type YesOrNo,
} from "../../pi/index.ts";
import { readToolSettings } from "../known-tools.ts";
import { type DecisionOutcome, decisionEntry, recordDecision } from "./decision-record.ts";
import { openInFlightCalls } from "./in-flight-calls.ts";
import type { Policies, ToolCall } from "./policy.ts";
import { questionText, refusalText } from "./refusal.ts";
import type { Verdict } from "./verdict.ts";

/** A call with the verdicts that keep it from simply passing, strongest first. */
export interface JudgedCall {
	readonly call: ToolCall;
	readonly footprint: Footprint;
	readonly verdicts: readonly Verdict[];
}

/**
 * What people have said about calls before, and what they say now. Only a person gives answers: nothing that a model can call
 * reaches this.
 */
export interface Answers {
	/** What was remembered for exactly this call in this place; `undefined` where the person has to be asked. */
	recall(judged: JudgedCall, ctx: ExtensionContext): "yes" | "no" | undefined;
	/** Asks the person, and remembers the answer as they choose. */
	ask(judged: JudgedCall, ctx: ExtensionContext): Promise<Answer>;
	/** A call was refused by rules; a person may lift that for the next call that is the same. */
	refused(judged: JudgedCall, ctx: ExtensionContext): void;
	/** Whether a person has lifted the refusal of this call. The permission is used up by that. */
	lifts(judged: JudgedCall, ctx: ExtensionContext): boolean;
}

export interface GateOptions {
	readonly policies: Policies;
	readonly scope: Scope;
	/** After this many refusals by one rule within a run the person is asked whether to go on. */
	readonly patience?: number;
	/** How the person is asked; left out, by a dialog of this session. */
	readonly ask?: (ctx: ExtensionContext, question: YesOrNo) => Promise<Answer>;
	/** What people have answered before, where answers are remembered; loaded with the first question or refusal. */
	readonly answers?: () => Promise<Answers>;
}

const builtIn = new Set(["read", "write", "edit", "bash", "powershell", "grep", "find", "ls"]);

export interface Gate {
	/** What becomes of a call, nested calls included; `undefined` lets it run. */
	judge(event: ToolCallEvent, ctx: ExtensionContext): Promise<ToolCallEventResult | undefined>;
	/** What becomes of a result; `undefined` leaves it as it is. */
	screen(event: ToolResultEvent): Promise<ToolResultEventResult | undefined>;
	/** A call has run. */
	ended(callId: string): void;
	/** No run is going on any more. */
	settle(): void;
}

/** Opens the gate of the session that `pi` belongs to. */
export function openGate(
	pi: ExtensionAPI,
	{ policies, scope, patience = 3, ask = askPerson, answers }: GateOptions,
): Gate {
	const flight = openInFlightCalls();
	/** How often each rule has refused in the run that is going on. */
	const refusals = new Map<string, number>();
	let known: KnownTools | undefined;
	const settled = new Map<string, { readonly call: ToolCall; readonly footprint: () => Footprint }>();
	scope.own(() => {
		flight.clear();
		settled.clear();
	});

	const record = (outcome: DecisionOutcome, call: ToolCall, verdicts: readonly Verdict[]) => {
		const [first, ...rest] = verdicts;
		if (first) writeEntry(pi, decisionEntry, recordDecision(outcome, call, [first, ...rest]));
	};

	/** Counts a refusal; at the limit the person decides whether the run goes on, unless its rules leave that to the model. */
	const refuse = async (
		ctx: ExtensionContext,
		verdicts: readonly Verdict[],
		reason: string,
	): Promise<ToolCallEventResult> => {
		const rule = `${verdicts[0]?.policy} ${verdicts[0]?.rule}`;
		const count = (refusals.get(rule) ?? 0) + 1;
		refusals.set(rule, count);
		if (count < patience) return { block: true, reason };
		const again = `This rule has now refused ${count} calls. Another attempt will be refused too: change the plan, or stop and say why it cannot be done.`;
		if (verdicts.every(({ repeats }) => repeats === "told")) return { block: true, reason: `${reason}\n${again}` };
		const answer = await ask(ctx, {
			title: `One rule has refused ${count} calls. Let the agent go on?`,
			message: `${verdicts[0]?.reason ?? rule}\n\nYes: it goes on, and the rule stays. No: the run is stopped here.`,
			signal: ctx.signal,
			uncalled: true,
			safe: "yes",
			words: { yes: "Go on, the rule stays", no: "Stop the run here" },
		});
		if (answer !== "nobody") refusals.delete(rule);
		if (answer !== "no") return { block: true, reason: `${reason}\n${again}` };
		ctx.abort();
		return { block: true, reason: `${reason}\nThe person stopped the run here.` };
	};

	const judge = async (event: ToolCallEvent, ctx: ExtensionContext): Promise<ToolCallEventResult | undefined> => {
		const { measure, pathExists } = await import("../measure.ts");
		if (!known) {
			const read = await readToolSettings(pi);
			known = read;
			if (read.problems.length > 0) say(ctx, read.problems.join("\n"), "warning");
		}
		const call = readCall(pi, event, ctx, known);
		const footprint = once(() => measure(call, ctx.cwd));
		const judgement = await policies.judge(call, footprint);
		record("noted", call, judgement.notes);

		const { decision, verdicts } = judgement;
		const deny = (because: readonly Verdict[]) => {
			record("denied", call, because);
			return refuse(ctx, because, refusalText(because, "rule", ctx.cwd));
		};
		const judged = () => ({ call, footprint: footprint(), verdicts });
		let lifted = false;
		if (decision === "deny") {
			const known = await answers?.();
			lifted = known?.lifts(judged(), ctx) ?? false;
			if (!lifted) {
				known?.refused(judged(), ctx);
				return deny(verdicts);
			}
			record("allowed", call, verdicts);
		}
		// No rule speaks here, so it does not count as one's refusal.
		const alone = (clash: string) => {
			const because = [sideBySide(clash)];
			record("denied", call, because);
			return { block: true, reason: refusalText(because, "rule", ctx.cwd) };
		};
		const crowded = call.siblings.length > 0 || call.parent !== undefined;
		const clash = () => (crowded ? flight.conflict(call.id, footprint(), pathExists) : undefined);
		const before = clash();
		if (before) return alone(before);
		if (decision === "ask") {
			const known = await answers?.();
			const before = known?.recall(judged(), ctx);
			const answer =
				before ??
				(await (known?.ask(judged(), ctx) ??
					ask(ctx, { ...questionText(call, verdicts, ctx.cwd), signal: ctx.signal })));
			record(answer === "yes" ? "allowed" : answer === "no" ? "refused" : "unasked", call, verdicts);
			if (answer !== "yes")
				return refuse(ctx, verdicts, refusalText(verdicts, answer === "no" ? "person" : "nobody", ctx.cwd));
		}
		// Another call may have been let through while the person was thinking.
		const after = clash();
		if (after) return alone(after);
		if (crowded) flight.begin(call.id, footprint());
		// What a person lets through is not taken away again from its result.
		if (policies.screens && !lifted) settled.set(call.id, { call, footprint });
		const amended = await policies.amend(call);
		if (amended) Object.assign(event.input, amended);
		return undefined;
	};

	return {
		async judge(event, ctx) {
			try {
				return await judge(event, ctx);
			} catch (error) {
				return { block: true, reason: `Refused: this call could not be judged (${messageOf(error)}).` };
			}
		},
		async screen(event) {
			const known = settled.get(event.toolCallId);
			if (!known || !policies.screens) return undefined;
			try {
				const texts = event.content.map((part) => (part.type === "text" ? part.text : ""));
				const screenings = await policies.screen(known.call, known.footprint, texts);
				const last = screenings.at(-1);
				if (!last) return undefined;
				for (const { verdict } of screenings) record("withheld", known.call, [verdict]);
				const content = event.content.flatMap((part, index): typeof event.content => {
					const text = last.texts[index];
					if (text === undefined) return [];
					return part.type === "text" || text !== "" ? [{ type: "text", text }] : [part];
				});
				// Details may hold the whole text again. pi keeps them unless they are replaced by something.
				return { content, details: {} };
			} catch (error) {
				const text = `[Withheld: this result could not be looked at (${messageOf(error)}).]`;
				return { content: [{ type: "text", text }], details: {}, isError: true };
			}
		},
		ended(callId) {
			flight.end(callId);
			settled.delete(callId);
		},
		settle() {
			refusals.clear();
			flight.clear();
			settled.clear();
		},
	};
}

function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}

function sideBySide(clash: string): Verdict {
	return {
		decision: "deny",
		policy: "gate",
		rule: "side-by-side",
		reason: `${clash}, so it was not run.`,
		advice: "Call it again alone, after the other call has ended.",
	};
}

function readCall(pi: ExtensionAPI, event: ToolCallEvent, ctx: ExtensionContext, known: KnownTools): ToolCall {
	const about = builtIn.has(event.toolName) ? undefined : aboutTool(pi, event.toolName);
	return {
		id: event.toolCallId,
		tool: event.toolName,
		// A copy: what is amended later is not what was judged.
		input: { ...event.input },
		siblings: siblings(event.toolCallId, ctx),
		...(event.parentToolCallId === undefined ? {} : { parent: event.parentToolCallId }),
		...(about?.hints ? { hints: about.hints } : {}),
		...(about?.own ? { own: true } : {}),
		known,
	};
}

/** The other calls of the message that holds call `id`: it is the newest assistant message, entries of ours may follow it. */
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
