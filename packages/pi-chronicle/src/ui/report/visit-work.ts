// What a visit did, in order: each message of the model and each tool call with its start and length, and what its questions, decisions and stops
// were. Collected event by event; bounded for each visit and for the run, and what is left out is counted.
import type { LedgerEvent, Run, Spend } from "@pi-chronicle/core/machine";
import { spendBeyond } from "@pi-chronicle/core/machine";

interface WorkPlace {
	readonly visit: number;
	readonly attempt: number;
	/** Milliseconds since the epoch. */
	readonly from: number;
	readonly to: number;
}

interface ModelMessage extends WorkPlace {
	readonly kind: "model";
	readonly spend: Spend;
}

export interface DoneCall extends WorkPlace {
	readonly kind: "call";
	/** Its id. */
	readonly call: string;
	readonly tool: string;
	readonly args: string;
	readonly outcome: "ok" | "failed" | "blocked";
	/** The rule that blocked it. */
	readonly rule?: string | undefined;
	/** Milliseconds of work, as the worker measured it. */
	readonly ms: number;
	readonly bytes: number;
}

/** One piece of work. */
export type WorkItem = ModelMessage | DoneCall;

/** Reads the work of a run from its events. */
export class WorkReader {
	/** Start and arguments of the calls in flight. */
	readonly #open = new Map<string, { readonly from: number; readonly args: string }>();
	/** When the model of a visit could begin its message. */
	readonly #free = new Map<number, number>();

	/** The work that ends with the event, if any. `at`: of the event, in milliseconds since the epoch. */
	take(event: LedgerEvent, before: Run, after: Run, at: number): WorkItem | undefined {
		switch (event.kind) {
			case "worker_started":
				this.#free.set(event.visit, at);
				return undefined;
			case "worker_ended":
				this.#open.clear();
				return undefined;
			case "used": {
				const { visit, attempt, requests = 0 } = event;
				const spend = spendBeyond(after.totals, before.totals);
				const from = Math.min(this.#free.get(visit) ?? at, at);
				this.#free.set(visit, at);
				return spend.tokens > 0 || requests > 0 ? { kind: "model", visit, attempt, from, to: at, spend } : undefined;
			}
			case "tool_started":
				this.#open.set(callKey(event), { from: at, args: event.args });
				return undefined;
			case "tool_ended": {
				const { visit, attempt, call, tool, ms, bytes, blocked: rule, error } = event;
				const { from = at - ms, args = "" } = this.#open.get(callKey(event)) ?? {};
				this.#open.delete(callKey(event));
				this.#free.set(visit, at);
				const outcome = rule === undefined ? (error ? "failed" : "ok") : "blocked";
				const place = { visit, attempt, from: Math.min(from, at), to: at };
				return { kind: "call", ...place, call, tool, args, outcome, rule, ms, bytes };
			}
		}
		return undefined;
	}
}

export interface VisitWork {
	readonly first: readonly WorkItem[];
	readonly last: readonly WorkItem[];
	/** Items between them. */
	readonly leftOut: number;
}

/** Items of one visit at its beginning and at its end, and of all visits. */
const firstItems = 60;
const lastItems = 60;
const allItems = 60_000;

interface Growing {
	readonly first: WorkItem[];
	readonly last: WorkItem[];
	leftOut: number;
}

/** The work of every visit, bounded. */
export class WorkCollector {
	readonly #visits = new Map<number, Growing>();
	#kept = 0;

	/** The work of a visit. */
	of(visit: number): VisitWork {
		return this.#visits.get(visit) ?? { first: [], last: [], leftOut: 0 };
	}

	add(item: WorkItem): void {
		const own = this.#visits.get(item.visit) ?? { first: [], last: [], leftOut: 0 };
		this.#visits.set(item.visit, own);
		if (own.first.length < firstItems && this.#kept < allItems) {
			own.first.push(item);
			this.#kept += 1;
			return;
		}
		own.last.push(item);
		this.#kept += 1;
		if (own.last.length <= lastItems && this.#kept < allItems) return;
		own.last.shift();
		this.#kept -= 1;
		own.leftOut += 1;
	}
}

function callKey({ visit, attempt, call }: Pick<DoneCall, "visit" | "attempt" | "call">): string {
	return `${visit}.${attempt} ${call}`;
}
