// Starts a worker's turn with its adoption, and ends it after an accepted move, on the supervisor's order, or when its allowance is spent.
// After that every further call is refused and no further request is made; running calls continue; saving costs nothing, so the workflow
// tools are never refused for the allowance; a message has one move.
import type { Usage } from "@earendil-works/pi-ai";
import type { ProcessAllowance } from "../brief.ts";
import { type AskedMove, type RefusedCall, SNAPSHOT_TOOL, TRANSITION_TOOL } from "./protocol.ts";

interface NotedMove extends AskedMove {
	readonly call: string;
}

export interface Turn {
	/** The launch is recorded: from now on, calls may run. */
	begin(allowance: ProcessAllowance): void;
	/** The move that this message requests. */
	readonly move: NotedMove | undefined;
	note(move: NotedMove): void;
	/** The supervisor has answered: the state ends or continues. */
	settle(reply: "accepted" | "refused"): void;
	/** The supervisor stops the worker. */
	stop(): void;
	/** New limits, counted from the start of the process. */
	allow(allowance: Pick<ProcessAllowance, "costUsd" | "tokens">): void;
	/** Adds the usage of a message, a tool or a compaction. */
	spend(usage: Usage | undefined): void;
	/** Counts a request to the model, or a call that has ended. */
	count(what: "request" | "call"): void;
	/** Whether no further request may be made. */
	readonly over: boolean;
	/** Why a call of `tool` may not run; `undefined` if it may. */
	refuse(tool: string): { readonly rule: RefusedCall["rule"]; readonly reason: string } | undefined;
}

/** Tracks the turn of one process; before it begins, it counts as ended. */
export function openTurn(): Turn {
	let given: ProcessAllowance | undefined;
	let allowance: Pick<ProcessAllowance, "costUsd" | "tokens"> = {};
	let move: NotedMove | undefined;
	let phase: "working" | "stopping" | "ended" = "working";
	let tokens = 0;
	let costUsd = 0;
	const counts = { request: 0, call: 0 };
	const spent = (): boolean =>
		(allowance.tokens !== undefined && tokens >= allowance.tokens) ||
		(allowance.costUsd !== undefined && costUsd >= allowance.costUsd) ||
		(given?.requests !== undefined && counts.request >= given.requests) ||
		(given?.calls !== undefined && counts.call >= given.calls);

	return {
		get move() {
			return move;
		},
		get over() {
			return given === undefined || phase !== "working" || spent();
		},
		begin(allowed) {
			given = allowed;
			allowance = allowed;
		},
		note(noted) {
			move = noted;
		},
		settle(reply) {
			move = undefined;
			if (reply === "accepted") phase = "ended";
		},
		stop() {
			if (phase === "working") phase = "stopping";
		},
		allow(next) {
			allowance = next;
		},
		spend(usage) {
			if (!usage) return;
			tokens += usage.totalTokens - (given?.countCacheReads ? 0 : usage.cacheRead);
			costUsd += usage.cost.total;
		},
		count(what) {
			counts[what] += 1;
		},
		refuse(tool) {
			if (given === undefined) return { rule: "not-begun", reason: "Not run: this worker has no task yet." };
			if (phase === "ended") {
				return { rule: "state-ended", reason: "This state has ended, and no more calls run in it. Stop here." };
			}
			if (tool === TRANSITION_TOOL || tool === SNAPSHOT_TOOL) return undefined;
			if (phase === "stopping") {
				const reason =
					"Not run: the run is being paused after this message. Your conversation is kept; repeat this call when you continue.";
				return { rule: "stopping", reason };
			}
			if (spent()) {
				const reason =
					"Not run: a limit is reached, so the run pauses after this message. Your conversation is kept; repeat this call when you continue.";
				return { rule: "allowance", reason };
			}
			return undefined;
		},
	};
}
