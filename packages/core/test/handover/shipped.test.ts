// The shipped definitions: what the instructions of a state refer to is in the first message of its worker, and of its children's workers.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { briefOf, firstMessageText } from "../../src/handover/index.ts";
import { inheritedBy, type LedgerEvent, type Run } from "../../src/machine/index.ts";
import { addOutput, type Snapshot } from "../../src/snapshot/index.ts";
import type { StatePlan } from "../../src/template/index.ts";
import { here, newTree, open, resume, start } from "../machine/test-run.ts";

const folder = join(import.meta.dirname, "../../../pi-chronicle/definitions/chronicle/workflows");
const definitions = readdirSync(folder).map(
	(file) => [file, parse(readFileSync(join(folder, file), "utf8")) as object] as const,
);

const message = (run: Run): string =>
	firstMessageText(
		briefOf(run, "entered", { cwd: "/p", file: "/f", log: "/l", folders: new Map(), abilities: new Map() }),
	);

/** A run of the definition that has saved something and is in `state`. */
function inState(definition: object, state: string): Run {
	const testRun = open(definition, { task: "the task" });
	// Only what is known counts here.
	if (testRun.run.stage.kind === "baselining") start(testRun);
	const entry = { text: "src/total.js:7", fields: { diff: "-half\n+even" } };
	testRun.say({ kind: "told", text: "mind the budget" });
	testRun.say({
		kind: "snapshot_updated",
		...here(testRun),
		by: "worker",
		data: { findings: [entry], pendingTasks: [{ text: "first" }] },
	});
	const { run } = testRun;
	const snapshot = [...run.plan.states.values()].reduce(withData, run.snapshot);
	return { ...run, snapshot, outbox: [], state, visit: 2, stage: { kind: "baselining", because: "entered" } };
}

/** The snapshot with data of the state, where it hands over some: each field says its own name. */
function withData(snapshot: Snapshot, { name, output }: StatePlan): Snapshot {
	const { properties = {} } = (output ?? {}) as { readonly properties?: object };
	const data = Object.fromEntries(Object.keys(properties).map((field) => [field, `${name}.${field} as data`]));
	return output ? addOutput(snapshot, { state: name, visit: 1, data }) : snapshot;
}

function childrenOf(run: Run): readonly Run[] {
	const testRun = { ...run };
	const base = newTree();
	const { branches = [] } = run.plan.states.get(run.state)?.children ?? {};
	return branches.flatMap(({ name, template }, index) => {
		if (template.kind !== "inline") return [];
		const child = {
			index: index + 1,
			id: name,
			name,
			template: name,
			hash: "",
			task: run.task,
			branch: index,
			knows: run.snapshot.nextId,
		};
		const planned = {
			...testRun,
			children: {
				visit: 2,
				state: run.state,
				base,
				files: "shared",
				children: [child],
				stopping: null,
				phase: "working",
				join: null,
			},
		} as unknown as Run;
		const created = {
			...{ kind: "created", schemaVersion: 1, id: name, task: run.task, seq: 1, at: run.updatedAt },
			template: { name, hash: "", definition: template.definition },
			parent: { run: run.id, root: run.id, visit: 2, index: index + 1, name, level: 1, files: "shared" },
			inherited: inheritedBy(planned, child as never),
		};
		return [resume([created as unknown as LedgerEvent]).run];
	});
}

function check(run: Run): void {
	const text = message(run);
	const { instructions = "" } = run.plan.states.get(run.state) ?? {};
	expect(text).toContain(instructions.trim().replace(/\{output\.([^}]+)\}/g, "$1 as data"));
	for (const part of ["the task", "src/total.js:7\n  diff: -half", "first", "mind the budget"])
		expect(text, run.state).toContain(part);
}

describe.each(definitions)("%s", (_file, definition) => {
	it("tells every worker what it refers to", () => {
		const { plan } = open(definition).run;
		for (const [name, state] of plan.states) {
			if (state.persona) check(inState(definition, name));
			for (const child of state.children ? childrenOf(inState(definition, name)) : []) check(child);
		}
	});
});
