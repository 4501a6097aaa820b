// Bounds of the file changes that the supervisor records, and of its attempts while the files keep changing.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { EventBody, LedgerEvent, UserEvent } from "@pi-chronicle/core/machine";
import type { Workspace } from "@pi-chronicle/core/ports";
import type { FileLeft } from "@pi-chronicle/core/snapshot";
import { describe, expect, it } from "vitest";
import { supervise } from "../../../src/local/supervisor/index.ts";
import { openGitWorkspace } from "../../../src/local/workspace/index.ts";
import { progressLine } from "../../../src/ui/phrases/index.ts";
import { moveTo, type Play } from "./scripted-launcher.ts";
import { openStage, type Stage } from "./stage.ts";

type Of<K extends EventBody["kind"]> = Extract<LedgerEvent, { kind: K }>;
async function eventsOf<K extends EventBody["kind"]>(stage: Stage, run: string, kind: K): Promise<Of<K>[]> {
	return (await stage.events(run)).filter((event): event is Of<K> => event.kind === kind);
}
const lefts = (count: number): FileLeft[] => Array.from({ length: count }, (_, n) => ({ path: `f${n}`, why: "busy" }));
const work = { a: { persona: "A", next: ["done"] } };
const writes =
	(count: number): Play =>
	async (host, order, ended) => {
		for (let n = 0; n < count; n += 1) writeFileSync(join(order.cwd, `f${n}.txt`), "x\n");
		await moveTo("done")(host, order, ended);
	};
/** The workspace of a stage with some of its functions replaced. */
const replaced = (stage: Stage, more: Partial<Workspace>) => ({
	...stage.ports,
	workspace: { ...stage.ports.workspace, ...more },
});

describe("a measurement", () => {
	it.each([
		[200, 200, undefined],
		[203, 200, 3],
	])("of %d changed files names %d and counts the others", async (changed, named, more) => {
		const stage = openStage([writes(changed)]);
		const { run } = await supervise(await stage.create({ name: "t", states: work }), stage.ports, "fresh").ended;
		const measured = (await eventsOf(stage, run.id, "files_measured")).at(-1);
		expect([measured?.changes?.length, measured?.more]).toEqual([named, more]);
	});

	it.each([
		[0, undefined],
		[50, 50],
		[53, 50],
	])("that cannot keep %d files names %d", async (unkept, named) => {
		const stage = openStage([moveTo("done")]);
		const snapshot: Workspace["snapshot"] = async () => {
			const kept = await stage.ports.workspace.snapshot();
			return kept.ok ? { ok: true, value: { ...kept.value, unkept: lefts(unkept) } } : kept;
		};
		const ledger = await stage.create({ name: "t", states: work });
		const { run } = await supervise(ledger, replaced(stage, { snapshot }), "fresh").ended;
		const measured = await eventsOf(stage, run.id, "files_measured");
		expect(measured.map(({ unkept }) => unkept?.length)).toEqual([named, named]);
	});
});

it("compares what several visits changed with the start of the run, and records what the user had not committed", async () => {
	const write = (text: string, target: string): Play => {
		return async (host, order, ended) => {
			writeFileSync(join(order.cwd, "new.txt"), text);
			await moveTo(target)(host, order, ended);
		};
	};
	const stage = openStage([write("1\n2\n3\n", "b"), write("1\ntwo\n3\n4\n", "done")]);
	const cwd = stage.folder;
	execFileSync("git", ["init", "-q"], { cwd });
	writeFileSync(join(cwd, "mine.txt"), "x\n");
	const { uncommitted } = openGitWorkspace({ cwd, folder: join(cwd, ".pi", "own"), leftOut: [] });
	const ports = replaced(stage, uncommitted ? { uncommitted } : {});
	const states = { a: { persona: "A", next: ["b"] }, b: { persona: "B", next: ["done"] } };
	const { run } = await supervise(await stage.create({ name: "t", states }), ports, "fresh").ended;
	expect(run.snapshot.files).toEqual([{ path: "new.txt", change: "A", added: 4, removed: 0, visit: 2 }]);
	const measured = await eventsOf(stage, run.id, "files_measured");
	expect(measured.map(({ ofRun }) => (typeof ofRun === "object" ? ofRun.total : ofRun))).toEqual([
		undefined,
		"same",
		{ files: 1, added: 4, removed: 0 },
	]);
	expect(measured.find(({ start }) => start)?.uncommitted?.paths).toContain("mine.txt");
});

describe("a rewind", () => {
	/** A finished run that is sent back to its start, in this workspace. */
	async function rewound(restore: Workspace["restore"]) {
		const stage = openStage([writes(1)]);
		const { run } = await supervise(await stage.create({ name: "t", states: work }), stage.ports, "fresh").ended;
		const [baseline] = await eventsOf(stage, run.id, "files_measured");
		const back: UserEvent = {
			...{
				kind: "rewind_requested",
				to: 1,
				state: "a",
				tree: baseline?.tree ?? "",
				snapshot: run.snapshot,
				pairMoves: {},
			},
		};
		const supervision = supervise(await stage.reopen(run.id), replaced(stage, { restore }), "reopened");
		await supervision.submit(back);
		await supervision.ended;
		return { stage, id: run.id };
	}

	it.each([
		[0, undefined, undefined],
		[50, 50, undefined],
		[53, 50, 3],
	])("that leaves %d files names %d and counts the others", async (count, named, more) => {
		const { stage, id } = await rewound(async (tree) => ({ ok: true, value: { tree, left: lefts(count) } }));
		const [restored] = await eventsOf(stage, id, "files_restored");
		expect([restored?.left?.length, restored?.leftMore]).toEqual([named, more]);
		expect(restored?.now).toBeUndefined();
	});

	it("names the files that differ from the requested ones afterwards", async () => {
		const { stage, id } = await rewound(async () => ({ ok: true, value: { tree: "other", left: [] } }));
		expect((await eventsOf(stage, id, "files_restored"))[0]?.now).toBe("other");
	});

	it.each([
		["changed", 5],
		["io", 1],
	] as const)("that fails because of %s is tried %d times, then recorded as failed", async (reason, times) => {
		let tried = 0;
		const { stage, id } = await rewound(async () => {
			tried += 1;
			return { ok: false, failure: { reason, message: "No.", remedy: "" } };
		});
		expect(tried).toBe(times);
		expect(await eventsOf(stage, id, "files_unrestored")).toMatchObject([{ detail: "No." }]);
		expect(await eventsOf(stage, id, "files_restored")).toEqual([]);
	});
});

describe("a join", () => {
	const part: Play = async (host, order, ended) => {
		mkdirSync(order.cwd, { recursive: true });
		writeFileSync(join(order.cwd, `${order.cwd.split("/").at(-1)}.txt`), "x\n");
		await moveTo("done")(host, order, ended);
	};
	const branch = { run: { states: { work: { persona: "B", next: ["done"] } } }, task: "x" };
	async function joined(more: Partial<Workspace>) {
		const stage = openStage([part, part]);
		const ledger = await stage.create({
			...{ name: "t", states: { build: { branches: { one: branch, two: branch }, next: ["done"] } } },
		});
		const { run } = await supervise(ledger, replaced(stage, more), "fresh").ended;
		return { stage, run };
	}
	const conflictsOf = (count: number) =>
		Array.from(
			{ length: count },
			(_, n) => ({ path: `f${n}`, paths: [`f${n}`], kind: "content", why: "", hunks: "" }) as const,
		);

	it("is abandoned after 20 merges if the files keep changing", async () => {
		const { stage, run } = await joined({
			join: async ({ to }) => ({ ok: true, value: { tree: to, left: [], conflicts: conflictsOf(1) } }),
			merge: async ({ theirs }) => ({ ok: true, value: { tree: theirs, conflicts: [] } }),
		});
		expect(run.hold?.detail).toBe("The files keep changing while the results are joined.");
		expect(await eventsOf(stage, run.id, "joined")).toHaveLength(20);
	});

	it("records the first 200 conflicts", async () => {
		const { stage, run } = await joined({
			merge: async ({ theirs }) => ({ ok: true, value: { tree: theirs, conflicts: conflictsOf(150) } }),
		});
		expect((await eventsOf(stage, run.id, "joined")).map(({ conflicts }) => conflicts.length)).toEqual([200]);
	});

	it.each([
		[0, undefined, undefined],
		[50, 50, undefined],
		[53, 50, 3],
	])("that leaves %d files names %d, and counts the others wherever it names them", async (count, named, more) => {
		const { stage, run } = await joined({
			join: async ({ to }) => ({ ok: true, value: { tree: to, left: lefts(count), conflicts: [] } }),
		});
		const [applied] = await eventsOf(stage, run.id, "join_applied");
		expect([applied?.left?.length, applied?.leftMore]).toEqual([named, more]);
		if (count === 0 || !applied) return;
		const notice = /^Not written at the join: (.*) and (\d+) more$/.exec(run.notices.at(-1) ?? "");
		expect((notice?.[1]?.split(", ").length ?? 0) + Number(notice?.[2])).toBe(count);
		const lines = progressLine(run, applied)?.split("\n") ?? [];
		const listed = lines.filter((line) => line.endsWith("(busy)")).length;
		expect(listed + Number(/and (\d+) more/.exec(lines.at(-1) ?? "")?.[1])).toBe(count);
	});
});
