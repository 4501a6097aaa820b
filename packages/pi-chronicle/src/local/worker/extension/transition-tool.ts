// The tool `workflow_transition`: passes a move to the supervisor, whose verdict is the result of the call.
// All mistakes reach the model in one form: pi checks nothing that the supervisor or this file checks; the other calls of the message end
// first; a result without an error means that the move is recorded; the session names a move before the supervisor is asked for it, so
// that it is asked for again if this process is killed.
import type { AgentToolResult, ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { anyObject, didYouMean, isText, quoted } from "@pi-chronicle/core/definition";
import { findTarget } from "@pi-chronicle/core/machine";
import { LONGEST_TEXT } from "@pi-chronicle/core/snapshot";
import type { Type } from "typebox";
import { askHost, failedBesideText, writeEntry } from "../../../pi/index.ts";
import type { WorkerBrief } from "../brief.ts";
import { outputParameter } from "./output-parameter.ts";
import {
	type AnsweredMove,
	type AskedMove,
	MOVE_ENTRY,
	type MoveEntry,
	readHostReply,
	TRANSITION_TOOL,
} from "./protocol.ts";
import { failure, ownRecord } from "./tool-result.ts";
import type { Turn } from "./turn.ts";

/** The arguments as pi gets them: `data` under a name that the schema does not declare, so that pi does not check it. */
interface MoveArguments {
	readonly target_state: string;
	readonly summary: string;
	readonly given?: unknown;
}

type MoveResult = AgentToolResult<AnsweredMove | undefined>;

/** Registers it. `schemas` is pi's TypeBox. */
export function registerTransitionTool(pi: ExtensionAPI, brief: WorkerBrief, turn: Turn, schemas: typeof Type): void {
	const calls = followCalls(pi);
	pi.registerTool({
		name: TRANSITION_TOOL,
		label: "Transition",
		description: "Ends this state and your turn; you see no results of calls beside it.",
		parameters: moveParameters(brief, schemas),
		annotations: ownRecord,
		prepareArguments: (given) => prepareMove(given, brief),
		async execute(call, { given, ...params }: MoveArguments, signal, _onUpdate, ctx): Promise<MoveResult> {
			if (turn.move)
				return failure(
					`Refused: this message already requests ${quoted(turn.move.target)}. A state ends once; the first call counts.`,
				);
			const move = {
				target: params.target_state,
				summary: params.summary,
				data: given,
			};
			turn.note({ call, ...move });
			const others = await calls.othersEnded(call, signal);
			const failed = calls.failedBeside(call);
			if (others === "ended" && failed.length === 0) {
				writeEntry(pi, MOVE_ENTRY, { call, reply: "asked" } satisfies MoveEntry);
				return requestTransition(move, turn, ctx, signal);
			}
			turn.settle("refused");
			if (others === "ended")
				return failure(
					`Not moved to "${move.target}": ${failedBesideText(failed)} Call ${TRANSITION_TOOL} again, alone.`,
				);
			return failure(
				others === "unstarted"
					? `Not moved to "${move.target}": other calls of this message come after this one. Call ${TRANSITION_TOOL} again, alone.`
					: `Not moved to "${move.target}": you were interrupted before the other calls of this message had ended.`,
			);
		},
	});
}

async function requestTransition(
	move: AskedMove,
	turn: Turn,
	ctx: ExtensionContext,
	signal: AbortSignal | undefined,
): Promise<MoveResult> {
	const reply = readHostReply(await askHost(ctx, "move", move, signal));
	if (reply?.kind !== "accepted") {
		turn.settle("refused");
		return failure(reply?.text ?? `The move to "${move.target}" was not made. Continue with this state.`);
	}
	turn.settle("accepted");
	return { content: [{ type: "text", text: reply.text }], details: { reply: "accepted" }, terminate: true };
}

function moveParameters({ targets, meanings = {}, output, withoutOutput = [] }: WorkerBrief, schemas: typeof Type) {
	const meant = targets.flatMap((name) => (meanings[name] === undefined ? [] : [`${name}: ${meanings[name]}.`]));
	const needing = targets.filter((name) => !withoutOutput.includes(name));
	const about = withoutOutput.length > 0 ? `Required for ${needing.join(" and ")}.` : "Output of this state.";
	return schemas.Unsafe<MoveArguments>({
		type: "object",
		properties: {
			target_state: {
				type: "string",
				enum: [...targets],
				...(meant.length > 0 ? { description: meant.join(" ") } : {}),
			},
			summary: {
				type: "string",
				description: "What you did and found out, for the next worker",
			},
			...(output ? { data: outputParameter(output, about) } : {}),
		},
		required: ["target_state", "summary"],
	});
}

/** Throws the refusal, which pi makes the result of the call. */
function prepareMove(given: unknown, brief: WorkerBrief): MoveArguments {
	const args = anyObject(given) ? (given as Readonly<Record<string, unknown>>) : {};
	const { target_state: written, summary, data } = args;
	const target = isText(written) ? findTarget(written, brief.targets) : undefined;
	if (target === undefined) throw new Error(explainTarget(written, brief));
	if (!isText(summary) || summary.trim() === "")
		throw new Error("Refused: `summary` is empty. Describe what you did and found out, for the next worker.");
	if (summary.length > LONGEST_TEXT)
		throw new Error(
			`Refused: \`summary\` has ${summary.length} characters, but the limit is ${LONGEST_TEXT}. Shorten it; save details as findings.`,
		);
	return { target_state: target, summary, given: data };
}

function explainTarget(written: unknown, { state, targets }: WorkerBrief): string {
	const list = targets.map((name) => quoted(name)).join(", ");
	if (!isText(written) || written.trim() === "")
		return `Refused: \`target_state\` is missing. Possible targets: ${list}.`;
	return `Refused: ${quoted(state)} does not lead to ${quoted(written)}.${didYouMean(written, targets)} Possible targets: ${list}.`;
}

interface MessageCalls {
	/**
	 * Waits until the other calls of the message with `call` have ended. `unstarted`: some of them begin only after this one. A call that another
	 * tool makes does not wait: it is none of the message's.
	 */
	othersEnded(call: string, signal: AbortSignal | undefined): Promise<"ended" | "unstarted" | "aborted">;
	/** The tools of the other calls that have failed or were refused, but for a second move. */
	failedBeside(call: string): readonly string[];
}

/** Follows the calls of one process. */
export function followCalls(pi: Pick<ExtensionAPI, "on">): MessageCalls {
	let calls: readonly string[] = [];
	const started = new Set<string>();
	const ended = new Set<string>();
	const failed = new Map<string, string>();
	const waiting = new Set<() => void>();
	const wake = (): void => {
		for (const look of waiting) look();
	};
	pi.on("message_end", ({ message }) => {
		if (message.role !== "assistant") return;
		calls = message.content.flatMap((part) => (part.type === "toolCall" ? [part.id] : []));
		started.clear();
		ended.clear();
		failed.clear();
	});
	pi.on("tool_execution_start", ({ toolCallId }) => void started.add(toolCallId));
	pi.on("tool_execution_end", ({ toolCallId, toolName, isError }) => {
		ended.add(toolCallId);
		if (isError && toolName !== TRANSITION_TOOL && calls.includes(toolCallId)) failed.set(toolCallId, toolName);
		wake();
	});
	return {
		async othersEnded(call, signal) {
			const others = calls.includes(call) ? calls.filter((other) => other !== call) : [];
			if (others.some((other) => !started.has(other))) return "unstarted";
			const all = (): boolean => others.every((other) => ended.has(other));
			await new Promise<void>((resolve) => {
				const look = (): void => {
					if (!all() && !signal?.aborted) return;
					waiting.delete(look);
					signal?.removeEventListener("abort", look);
					resolve();
				};
				waiting.add(look);
				signal?.addEventListener("abort", look);
				look();
			});
			return all() ? "ended" : "aborted";
		},
		failedBeside: (call) => (calls.includes(call) ? [...failed.values()] : []),
	};
}
