// What a visit did, in order: each message of the model and each tool call with its start and length, and what its questions, decisions and stops
// were. Collected event by event; bounded for each visit and for the run, and what is left out is counted.
import type { LedgerEvent, Run, Spend } from "@pi-chronicle/core/machine";
import { spendBeyond } from "@pi-chronicle/core/machine";

/** One piece of work. `from` and `to` are milliseconds since the epoch. */
export type WorkItem =
	| { readonly kind: "model"; readonly from: number; readonly to: number; readonly spend: Spend }
	| {
			readonly kind: "call";
			readonly from: number;
			readonly to: number;
			readonly tool: string;
			readonly args: string;
			readonly outcome: "ok" | "failed" | "blocked";
			/** The rule that blocked it. */
			readonly rule?: string | undefined;
			readonly bytes: number;
	  };

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

export class WorkCollector {
	readonly #visits = new Map<number, Growing>();
	/** Start and arguments of the calls in flight. */
	readonly #open = new Map<string, { readonly from: number; readonly args: string }>();
	/** When the model of a visit could begin its message. */
	readonly #free = new Map<number, number>();
	#kept = 0;

	/** `at`: of the event, in milliseconds since the epoch. */
	take(event: LedgerEvent, before: Run, after: Run, at: number): void {
		switch (event.kind) {
			case "worker_started":
				this.#free.set(event.visit, at);
				return;
			case "worker_ended":
				this.#open.clear();
				return;
			case "used": {
				const spend = spendBeyond(after.totals, before.totals);
				const from = this.#free.get(event.visit) ?? at;
				if (spend.tokens > 0 || (event.requests ?? 0) > 0)
					this.#add(event.visit, { kind: "model", from, to: at, spend });
				this.#free.set(event.visit, at);
				return;
			}
			case "tool_started":
				this.#open.set(callKey(event), { from: at, args: event.args });
				return;
			case "tool_ended": {
				const { from = at - event.ms, args = "" } = this.#open.get(callKey(event)) ?? {};
				this.#open.delete(callKey(event));
				const { tool, bytes, blocked: rule, error } = event;
				const outcome = rule === undefined ? (error ? "failed" : "ok") : "blocked";
				this.#add(event.visit, { kind: "call", from, to: at, tool, args, outcome, rule, bytes });
				this.#free.set(event.visit, at);
				return;
			}
		}
	}

	/** The work of a visit. */
	of(visit: number): VisitWork {
		return this.#visits.get(visit) ?? { first: [], last: [], leftOut: 0 };
	}

	#add(visit: number, item: WorkItem): void {
		const own = this.#visits.get(visit) ?? { first: [], last: [], leftOut: 0 };
		this.#visits.set(visit, own);
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

function callKey({
	visit,
	attempt,
	call,
}: {
	readonly visit: number;
	readonly attempt: number;
	readonly call: string;
}) {
	return `${visit}.${attempt} ${call}`;
}
