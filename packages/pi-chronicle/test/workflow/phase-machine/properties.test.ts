// Invariants for every definition and every sequence of events.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
	currentPhase,
	type Definitions,
	isActive,
	pinnedDefinitions,
	readPinned,
	readState,
	restoreRun,
	storeRun,
	type WorkflowRun,
} from "../../../src/workflow/phase-machine/index.ts";
import { runs } from "../../harness/runs.ts";
import { begin, type Draft, drafts, happen, openHearing, type Told } from "../definition-builder.ts";

/** Workflows k0…kn; each refers only to later ones, so that there is no cycle. Ids repeat across workflows, references within one. */
const definitions: fc.Arbitrary<Definitions> = fc
	.integer({ min: 1, max: 5 })
	.chain((size) =>
		fc.tuple(
			...Array.from(
				{ length: size },
				(_, index): fc.Arbitrary<Draft> =>
					fc.record({
						loopable: fc.boolean(),
						maxLoops: fc.option(fc.integer({ min: 0, max: 2 }), { nil: undefined }),
						autoContinue: fc.boolean(),
						entries: fc
							.array(index + 1 < size ? fc.option(fc.integer({ min: index + 1, max: size - 1 })) : fc.constant(null), {
								minLength: 1,
								maxLength: 3,
							})
							.map((targets) => targets.map((target, place) => (target === null ? `x${place}` : `@k${target}`))),
					}),
			),
		),
	)
	.map((all) => drafts(Object.fromEntries(all.map((draft, index) => [`k${index}`, draft]))));

const message = fc.integer({ min: 0, max: 3 }).map((number) => `m${number}`);
const event: fc.Arbitrary<Told> = fc.oneof(
	{
		weight: 6,
		arbitrary: message.map((from): Told => ({ kind: "next", at: 2000, message: `${from}`, summary: from })),
	},
	{ weight: 3, arbitrary: message.map((from): Told => ({ kind: "loop", at: 2000, message: from })) },
	message.map((from): Told => ({ kind: "cancel", at: 2000, message: from })),
	fc.constantFrom<Told>(
		{ kind: "status" },
		{ kind: "advance", at: 2000 },
		{ kind: "skip", at: 2000 },
		{ kind: "back", at: 2000 },
		{ kind: "back", at: 2000, to: "x1" },
		{ kind: "pause", by: "person" },
		{ kind: "resume" },
		{ kind: "resume" },
		{ kind: "spoken" },
		{ kind: "begun" },
		{ kind: "worked" },
		{ kind: "stopped", patience: { row: 2, visit: 4 } },
		{ kind: "failed", why: "no more quota" },
		{ kind: "abandon", at: 2000 },
	),
);
const story = fc.tuple(definitions, fc.array(event, { maxLength: 25 }));

function freeze<Value>(value: Value): Value {
	if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
		Object.freeze(value);
		for (const inner of value instanceof Map ? value.values() : Object.values(value)) freeze(inner);
	}
	return value;
}

/** Every run that the events lead through, each frozen before the next event. */
function* lives([definitions, events]: [Definitions, Told[]]): Generator<WorkflowRun> {
	let run: WorkflowRun = freeze(begin(definitions, "k0"));
	yield run;
	const hear = openHearing();
	for (const happened of events) {
		run = freeze(hear(run, happened).run);
		yield run;
	}
}

describe("for every definition and every sequence of events", () => {
	it("a deeply frozen run is accepted by every event", () => {
		fc.assert(
			fc.property(story, (told) => {
				for (const run of lives(told)) expect(Object.isFrozen(run)).toBe(true);
			}),
		);
	});

	it("a running run can advance, and every run can end", () => {
		fc.assert(
			fc.property(story, (told) => {
				for (const reached of lives(told)) {
					if (!isActive(reached)) continue;
					let run = reached;
					if (run.status.kind === "paused") run = happen(run, { kind: "resume" }).run;
					for (let step = 0; isActive(run); step++) {
						expect(step).toBeLessThan(3 ** 6);
						const { run: after, actions } = happen(run, { kind: "next", at: 3000, message: `on${step}` });
						expect(actions[0]?.kind).toBe("persist");
						expect(after.step).toBe(run.step + 1);
						run = after;
					}
					expect(run.status.kind).toBe("done");
					const asked = happen(reached, { kind: "cancel", at: 3000, message: "c1" }).run;
					expect(happen(asked, { kind: "cancel", at: 3000, message: "c2" }).run.status.kind).toBe("cancelled");
				}
			}),
			{ numRuns: runs(0.6) },
		);
	});

	it("the position is always a path from the root to a phase", () => {
		fc.assert(
			fc.property(story, (told) => {
				for (const run of lives(told)) {
					if (run.kind !== "live") throw new Error("stale");
					expect(run.position[0]?.workflowKey).toBe("k0");
					expect(currentPhase(run).kind).toBe("phase");
					for (const [depth, { workflowKey, phaseIndex }] of run.position.slice(0, -1).entries())
						expect(run.definitions.get(workflowKey)?.entries[phaseIndex]).toEqual({
							kind: "reference",
							key: run.position[depth + 1]?.workflowKey,
						});
				}
			}),
		);
	});

	it("a refused event changes no stored state", () => {
		fc.assert(
			fc.property(story, event, (told, happened) => {
				for (const run of lives(told)) {
					const { run: after, actions } = happen(run, happened);
					if (actions.some(({ kind }) => kind === "refused"))
						expect(storeRun(after, { pinned: undefined })).toEqual(storeRun(run, { pinned: undefined }));
					if (actions.every(({ kind }) => kind !== "persist"))
						expect(storeRun(after, { pinned: undefined })).toEqual(storeRun(run, { pinned: undefined }));
				}
			}),
		);
	});

	it("every run round-trips through the session", () => {
		fc.assert(
			fc.property(story, (told) => {
				const copy = readPinned(
					JSON.parse(
						JSON.stringify({
							version: 1,
							taskId: "wf-1",
							task: "the task",
							root: "k0",
							definitions: pinnedDefinitions(told[0]),
						}),
					),
				);
				if (!copy) throw new Error("the copy is refused");
				for (const run of lives(told)) {
					const read = readState(JSON.parse(JSON.stringify(storeRun(run, { pinned: undefined }))));
					if (read.kind !== "state") throw new Error(read.problem);
					const restored = restoreRun(read.state, { kind: "pinned", ...copy });
					if (restored.kind !== "run" || restored.run.kind !== "live" || run.kind !== "live") throw new Error("lost");
					const kept = { reminders: { row: 0, visit: 0 }, askedToCancel: undefined };
					const { definitions: pinned, ...after } = restored.run;
					const { definitions: original, ...before } = run;
					expect(after).toEqual({ ...before, ...kept });
					expect(pinnedDefinitions(pinned)).toEqual(pinnedDefinitions(original));
				}
			}),
		);
	});

	it("arbitrary data in the session never breaks anything", () => {
		const data = fc.oneof(
			fc.anything(),
			fc.record(
				{
					active: fc.oneof(fc.boolean(), fc.anything()),
					workflowKey: fc.constantFrom("k0", "k1", ""),
					currentPath: fc.oneof(
						fc.array(
							fc.record({
								workflowKey: fc.constantFrom("k0", "k1", "k2"),
								phaseIndex: fc.oneof(fc.integer({ min: -1, max: 3 }), fc.double()),
								phaseId: fc.constantFrom("x0", "x1", "y"),
							}),
						),
						fc.anything(),
					),
					globalStepCount: fc.oneof(fc.nat(), fc.anything()),
					startedAt: fc.oneof(fc.nat(), fc.anything()),
				},
				{ requiredKeys: [] },
			),
		);
		fc.assert(
			fc.property(definitions, data, fc.array(event, { maxLength: 5 }), (known, found, events) => {
				const read = readState(found);
				if (read.kind !== "state") return;
				const restored = restoreRun(read.state, { kind: "catalogue", definitions: known });
				if (restored.kind !== "run") return;
				let { run } = restored;
				for (const happened of events) run = happen(run, happened).run;
				expect(isActive(happen(run, { kind: "abandon", at: 1 }).run)).toBe(false);
			}),
		);
	});
});
