// Common steps of runs whose state is done by children: plan them, end or park one, join their files.
import {
	type ChildRun,
	type ChildSpend,
	type EventBody,
	type JoinConflict,
	NO_CHILD_SPEND,
	NO_SPEND,
} from "../../src/machine/index.ts";
import { definition, newTree, type OpenOptions, open, spend, type TestRun } from "./test-run.ts";

const worker = { persona: "Builder", next: ["done"] };

/** Branches with these names, each of one state with a worker. */
export function branches(...names: readonly string[]): object {
	return Object.fromEntries(names.map((name) => [name, worker]));
}

/** A template whose state `a` is done by children, with these fields; the state `b` follows. */
export function parentTemplate(fields: object = {}, more: object = {}): object {
	const children = "run" in fields || "branches" in fields ? {} : { branches: branches("one", "two", "three") };
	return definition({ a: { next: ["b"], ...children, ...fields }, b: { persona: "B", next: ["a", "done"] } }, more);
}

/** A run of the template that has planned its children. */
export function plan(template: object = parentTemplate(), more: OpenOptions = {}): TestRun {
	return measure(open(template, more));
}

/** Measures the files at the start of the visit. */
export function measure(testRun: TestRun): TestRun {
	const { visit } = testRun.run;
	return testRun.say({ kind: "files_measured", visit, purpose: "baseline", tree: newTree() });
}

/** The child with this number, from 1. */
export function childAt(testRun: TestRun, number: number): ChildRun {
	const child = testRun.run.children?.children[number - 1];
	if (!child) throw new Error(`no child ${number}`);
	return child;
}

export function total(tokens: number, more: Partial<ChildSpend> = {}): ChildSpend {
	return { ...NO_CHILD_SPEND, spend: tokens === 0 ? NO_SPEND : spend(tokens), ...more };
}

/** Reports about a child. */
export type ChildReport = Extract<EventBody, { kind: "child_ended" | "child_parked" | "child_spent" }>;

export function ended(
	{ run }: TestRun,
	{ id, index }: Pick<ChildRun, "id" | "index">,
	status: "done" | "failed" | "aborted" = "done",
	more: Partial<Extract<ChildReport, { kind: "child_ended" }>> = {},
): EventBody {
	return {
		kind: "child_ended",
		visit: run.visit,
		child: id,
		status,
		detail: status === "done" ? "" : `broke ${index}`,
		tree: newTree(),
		total: total(0),
		handover: { summary: `did ${index}`, data: {} },
		...more,
	};
}

export function end(testRun: TestRun, number: number, ...more: TailOf<typeof ended>): TestRun {
	return testRun.say(ended(testRun, childAt(testRun, number), ...more));
}

type TailOf<F extends (...all: never[]) => unknown> =
	Parameters<F> extends [unknown, unknown, ...infer Tail] ? Tail : never;

export function park(
	testRun: TestRun,
	number: number,
	status: NonNullable<ChildRun["waits"]> = "paused",
	detail = `asks ${number}`,
): TestRun {
	const { id } = childAt(testRun, number);
	return testRun.say({ kind: "child_parked", visit: testRun.run.visit, child: id, status, detail });
}

export function spent(
	testRun: TestRun,
	number: number,
	of: ChildSpend,
	more: Pick<Extract<ChildReport, { kind: "child_spent" }>, "state" | "activity"> = {},
): TestRun {
	const { id } = childAt(testRun, number);
	return testRun.say({ kind: "child_spent", visit: testRun.run.visit, child: id, ...of, ...more });
}

export function conflict(path: string, ours = "one", theirs = "two"): JoinConflict {
	return { path, kind: "content", ours, theirs };
}

/** Merges the children's files. */
export function join(testRun: TestRun, conflicts: readonly JoinConflict[] = []): TestRun {
	return testRun.say({ kind: "joined", visit: testRun.run.visit, before: newTree(), tree: newTree(), conflicts });
}

/** Writes the merged files. */
export function applyJoin(testRun: TestRun): TestRun {
	const { join: merged } = testRun.due("apply_join");
	return testRun.say({ kind: "join_applied", visit: testRun.run.visit, tree: merged.tree });
}

/** One letter per child: `.` pending, `p` parked, `d` done, `f` failed, `a` aborted, `-` dropped. */
export function letters({ run }: TestRun): string {
	const signs = { pending: ".", parked: "p", done: "d", failed: "f", aborted: "a", dropped: "-" };
	return (run.children?.children ?? []).map(({ status }) => signs[status]).join("");
}
