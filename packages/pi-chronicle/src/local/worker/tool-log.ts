// Turns pi's tool events into ledger events: which tool, its arguments (redacted, bounded), how it ended. No bodies, no environment.
// A call that was still running when the worker ended has no end in the ledger either: its effect is unknown.
import { callFingerprint, digest, resultDigest } from "@pi-chronicle/core/bounds";
import type { WorkerReport } from "@pi-chronicle/core/ports";
import type { RpcRecord } from "../../pi/index.ts";
import { readDecision, redactInput } from "../../safety/index.ts";
import { type RefusedCall, TRANSITION_TOOL } from "./extension/index.ts";

const ARGS_LIMIT = 1900;

/** The start of pi's record of a call's end. */
const endOfCall = /^\{"type":"tool_execution_end","toolCallId":"([^"\\]+)","toolName":"([^"\\]+)"/;

export interface ToolLog {
	/** Number of running calls. */
	readonly open: number;
	/** The report of a record, if it concerns a call. */
	read(record: RpcRecord): WorkerReport | undefined;
	/** The report of a record that was too long to read; `head` is its start, `bytes` its length. */
	readLong(head: string, bytes: number): WorkerReport | undefined;
	/** The worker's extension refused a call. */
	refused(refusal: RefusedCall): void;
}

/** Opens the log of one process. `now` is in milliseconds. */
export function openToolLog(now: () => number): ToolLog {
	const begun = new Map<string, number>();
	const blocked = new Map<string, string>();
	/** Milliseconds since the call started; 0 if its start was not seen. */
	const finish = (call: string): number => {
		const started = begun.get(call);
		begun.delete(call);
		return started === undefined ? 0 : Math.round(now() - started);
	};
	return {
		get open() {
			return begun.size;
		},
		refused: ({ call, rule }) => void blocked.set(call, rule),
		readLong(head, bytes) {
			const [, call, tool] = endOfCall.exec(head) ?? [];
			if (call === undefined || tool === undefined) return undefined;
			return { kind: "tool_ended", call, tool, ms: finish(call), bytes, hash: "" };
		},
		read(record) {
			const { type, toolCallId: call, toolName: tool } = record;
			if (type === "entry_appended") {
				const decision = loggedDecision(record.entry);
				if (decision) blocked.set(decision.call, decision.rule);
				return undefined;
			}
			if (typeof call !== "string" || typeof tool !== "string") return undefined;
			if (type === "tool_execution_start") {
				begun.set(call, now());
				return { kind: "tool_started", call, tool, args: argsOf(record.args), print: fingerprintOf(tool, record.args) };
			}
			if (type !== "tool_execution_end") return undefined;
			const rule = blocked.get(call);
			blocked.delete(call);
			return endReport(record, call, tool, finish(call), rule);
		},
	};
}

function endReport(record: RpcRecord, call: string, tool: string, ms: number, rule: string | undefined): WorkerReport {
	const text = loggedResult(record.result);
	const hash = digest(text);
	const timeless = resultDigest(text);
	return {
		kind: "tool_ended",
		call,
		tool,
		ms: typeof record.durationMs === "number" ? record.durationMs : ms,
		bytes: Buffer.byteLength(text),
		hash,
		...(timeless === hash ? {} : { timeless }),
		...(record.isError === true ? { error: true } : {}),
		blocked: rule,
	};
}

/** Fingerprint of a call. For a transition only the target counts, not the wording of the summary. */
function fingerprintOf(tool: string, args: unknown): string {
	const { target_state } = (args ?? {}) as { target_state?: unknown };
	return callFingerprint(tool, tool === TRANSITION_TOOL ? target_state : args);
}

function argsOf(args: unknown): string {
	if (typeof args !== "object" || args === null) return "";
	return redactInput(args as Readonly<Record<string, unknown>>, ARGS_LIMIT);
}

function loggedResult(result: unknown): string {
	const content = (result as { content?: unknown } | null | undefined)?.content;
	const parts = Array.isArray(content) ? content : [];
	return parts.map((part: { text?: unknown; data?: unknown }) => String(part.text ?? part.data ?? "")).join("\n");
}

/** The call and rule of a decision that blocked a call. */
function loggedDecision(entry: unknown): { readonly call: string; readonly rule: string } | undefined {
	const decision = readDecision((entry as { data?: unknown } | null | undefined)?.data);
	if (!decision?.call || !["denied", "refused", "unasked"].includes(decision.outcome)) return undefined;
	return { call: decision.call, rule: `${decision.policy}: ${decision.rule}` };
}
