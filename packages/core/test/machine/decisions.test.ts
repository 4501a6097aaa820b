// A pending decision: only that one applies, whatever else the ledger holds.
import { describe, expect, it } from "vitest";
import { type EventBody, foldEvent, type LedgerEvent } from "../../src/machine/index.ts";
import { ask, crash, definition, open, refold, rest, start, type TestRun } from "./test-run.ts";

const template = definition({ a: { persona: "A", next: ["b"] }, b: { persona: "B", next: ["a", "done"] } });
const decisions: readonly EventBody[] = [
	{ kind: "attempt_reserved", visit: 1, attempt: 1, launch: 1, because: "entered" },
	{ kind: "moved", visit: 1, from: "a", to: "b", cause: "worker" },
	{ kind: "parked", status: "paused", cause: "crash", detail: "x" },
	{ kind: "finished", status: "aborted" },
];
const others: readonly EventBody[] = [
	{ kind: "attempt_reserved", visit: 1, attempt: 2, launch: 1, because: "entered" },
	{ kind: "attempt_reserved", visit: 1, attempt: 1, launch: 2, because: "entered" },
	{ kind: "moved", visit: 2, from: "a", to: "b", cause: "worker" },
	{ kind: "moved", visit: 1, from: "b", to: "b", cause: "worker" },
	{ kind: "moved", visit: 1, from: "a", to: "a", cause: "worker" },
	{ kind: "parked", status: "budget_exceeded", cause: "crash", detail: "x" },
	{ kind: "finished", status: "done" },
	{ kind: "finished", status: "failed" },
];

/** Runs whose last batch was cut before its decision. */
const due: Readonly<Record<string, () => TestRun>> = {
	attempt_reserved: () => open(template).say({ kind: "files_measured", visit: 1, purpose: "baseline", tree: "t" }),
	moved: () => ask(start(open(template)), "b"),
	parked: () => rest(crash(start(rest(crash(start(open(template))))))),
	finished: () => rest(start(open(template)).say({ kind: "abort_requested" })),
};

describe.each(Object.entries(due))("when %s is due", (kind, bring) => {
	const { events } = bring();
	const torn = refold(events.slice(0, -1));
	const at = (body: EventBody): LedgerEvent => ({ ...body, seq: torn.seq + 1, at: torn.updatedAt });

	it.each([...decisions, ...others].map((body) => [JSON.stringify(body), body] as const))("%s", (_text, body) => {
		const applies = decisions.includes(body) && body.kind === kind;
		expect(events.at(-1)?.kind).toBe(kind);
		const { seq, updatedAt } = torn;
		const after = foldEvent(torn, at(body));
		if (applies && kind !== "parked") expect(after.stage.kind).not.toBe("deciding");
		if (!applies) expect({ ...after, seq, updatedAt }).toEqual(torn);
	});

	it("the recorded decision applies once, and none applies when none is due", () => {
		const last = events.at(-1);
		const run = last && foldEvent(torn, last);
		expect(run?.stage.kind).not.toBe("deciding");
		if (run && last) expect(foldEvent(run, { ...last, seq: run.seq + 1 })).toBe(run);
	});
});
