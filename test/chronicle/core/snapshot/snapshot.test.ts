// The snapshot kept across workers: adding, replacing and resolving entries within a size limit.
import { describe, expect, it } from "vitest";
import {
	addChanges,
	addSummary,
	EMPTY_SNAPSHOT,
	explainSaved,
	type FileChange,
	readSnapshotData,
	type Snapshot,
	unknownNames,
	updateSnapshot,
} from "../../../../src/chronicle/core/snapshot/index.ts";

const here = { visit: 1, state: "planning" };

function take(snapshot: Snapshot, given: unknown, where = here): Snapshot {
	const read = readSnapshotData(given);
	if (read.kind === "refused") throw new Error(read.reason);
	return updateSnapshot(snapshot, read.data, where);
}
const texts = (snapshot: Snapshot) => snapshot.findings.map(({ id, key, text }) => [id, key, text]);
const tasks = (snapshot: Snapshot) => snapshot.pendingTasks.map(({ id, text }) => `${id} ${text}`);

describe("accepted shapes of data", () => {
	it.each<[string, unknown, unknown[]]>([
		["a text", "The API port is 8081", [["f1", undefined, "The API port is 8081"]]],
		[
			"a list",
			["one", "two"],
			[
				["f1", undefined, "one"],
				["f2", undefined, "two"],
			],
		],
		[
			"an object of keys",
			{ api_port: 8081, host: "local" },
			[
				["f1", "api_port", "8081"],
				["f2", "host", "local"],
			],
		],
		["an object written as text", '{"api_port": 8081}', [["f1", "api_port", "8081"]]],
		["a list written as text", '["one"]', [["f1", undefined, "one"]]],
		["text that only begins like an object", "{braces} are used", [["f1", undefined, "{braces} are used"]]],
		[
			"findings",
			{ findings: ["one", { key: "k", text: "two" }] },
			[
				["f1", undefined, "one"],
				["f2", "k", "two"],
			],
		],
		["one finding", { findings: "one" }, [["f1", undefined, "one"]]],
		["findings under another name", { key_findings: [{ title: "x", description: "one" }] }, [["f1", undefined, "one"]]],
		[
			"findings by key",
			{ findings: { port: 1, host: "a" } },
			[
				["f1", "port", "1"],
				["f2", "host", "a"],
			],
		],
		["nested values", { ports: { api: 1 } }, [["f1", "ports", '{"api":1}']]],
		["files", { modified_files: ["a.ts", "b.ts"] }, [["f1", "files named by the worker", "a.ts, b.ts"]]],
	])("%s", (_, given, found) => {
		expect(texts(take(EMPTY_SNAPSHOT, given))).toEqual(found);
	});
	it.each([
		[{ pending_tasks: ["write tests"] }],
		[{ pendingTasks: [{ task: "write tests" }] }],
		[{ todo: "write tests" }],
		[{ tasks: [{ title: "write tests" }] }],
	])("%j is a pending task", (given) => {
		expect(tasks(take(EMPTY_SNAPSHOT, given))).toEqual(["t1 write tests"]);
	});
	it.each([[null], [undefined], [3], [true], [""], ["  "], [{}], [[]], [{ findings: [] }], [{ findings: ["", " "] }]])(
		"%j is refused with a reason",
		(given) => {
			const read = readSnapshotData(given);
			expect(read.kind).toBe("refused");
			expect(read.kind === "refused" && read.reason.length).toBeGreaterThan(10);
		},
	);
	it("refuses too much data instead of cutting it silently", () => {
		expect(readSnapshotData("x".repeat(32_001)).kind).toBe("refused");
		expect(readSnapshotData(Array.from({ length: 201 }, (_, n) => `fact ${n}`)).kind).toBe("refused");
		expect(readSnapshotData({ ["k".repeat(81)]: "v" }).kind).toBe("refused");
		expect(readSnapshotData(Array.from({ length: 100 }, () => "x".repeat(10_000))).kind).toBe("refused");
		expect(readSnapshotData({ resolve: ["x".repeat(1_000_000)] }).kind).toBe("refused");
	});
	it("keeps keys such as __proto__ as keys", () => {
		expect(texts(take(EMPTY_SNAPSHOT, JSON.parse('{"__proto__": "x", "constructor": "y"}')))).toEqual([
			["f1", "__proto__", "x"],
			["f2", "constructor", "y"],
		]);
	});
});

describe("replacing, merging, resolving", () => {
	it("a later value of a key replaces the earlier one, which is kept with it", () => {
		const before = take(EMPTY_SNAPSHOT, { api_port: 8080 });
		const after = take(before, { API_port: 8081 }, { visit: 2, state: "coding" });
		expect(after.findings).toEqual([
			{ id: "f1", key: "API_port", text: "8081", visit: 2, state: "coding", earlier: ["8080"] },
		]);
		expect(take(after, { api_port: "9" }).findings[0]?.earlier).toEqual(["8081", "8080"]);
	});
	it("the same text twice is one entry, at the newest place", () => {
		const twice = take(take(EMPTY_SNAPSHOT, ["The port is 1.", "other"]), "the  port is 1");
		expect(texts(twice).map(([id]) => id)).toEqual(["f2", "f1"]);
	});
	it("resolving by id, key or text removes entries for good; ids are not reused", () => {
		const some = take(EMPTY_SNAPSHOT, {
			findings: [{ key: "port", text: "1" }, "two"],
			pending_tasks: ["write tests", "write docs"],
		});
		const rest = take(some, { resolve: ["t3", "PORT", "Two."] });
		expect(texts(rest)).toEqual([]);
		expect(tasks(rest)).toEqual(["t4 write docs"]);
		expect(tasks(take(rest, { pending_tasks: ["more"] }))).toEqual(["t4 write docs", "t5 more"]);
	});
	it.each([["completed"], ["resolved"], ["done"], ["remove"]])("%s resolves too", (word) => {
		const some = take(EMPTY_SNAPSHOT, { pending_tasks: ["write tests"] });
		expect(tasks(take(some, { [word]: [{ id: "t1" }] }))).toEqual([]);
	});
	it("names the new ids, and the names that match no entry", () => {
		const some = take(EMPTY_SNAPSHOT, { pending_tasks: ["write tests"] });
		expect(unknownNames(some, ["t1", "t9", "write tests"])).toEqual(["t9"]);
		const data = { findings: [{ text: "it rains" }], resolve: ["t9", "t1"] };
		expect(explainSaved(some, updateSnapshot(some, data, here), data)).toBe(
			'Saved as f2; every later state will know it. Nothing is known as "t9".',
		);
		expect(explainSaved(some, some, { resolve: ["t1"] })).toBe("Saved.");
	});
	it("never changes its arguments", () => {
		const some = take(EMPTY_SNAPSHOT, { port: 1, pending_tasks: ["a"] });
		const copy = structuredClone(some);
		addSummary(addChanges(take(some, { port: 2, resolve: ["a"] }), [{ path: "a", change: "A" }], 0, 2), "s", here);
		expect(some).toEqual(copy);
	});
});

describe("the size is bounded", () => {
	it("500 findings of 2 KB leave the newest, count the rest and mark what is cut", () => {
		let snapshot = EMPTY_SNAPSHOT;
		for (let n = 1; n <= 500; n += 1) snapshot = take(snapshot, `${n} ${"x".repeat(2000)}`);
		expect(Buffer.byteLength(JSON.stringify(snapshot))).toBeLessThan(16_000);
		expect(snapshot.findings.at(-1)).toMatchObject({ id: "f500", cut: true });
		expect(snapshot.findings.length + snapshot.dropped.findings).toBe(500);
		expect(snapshot.findings.length).toBeGreaterThan(5);
	});
	it("stays within its limits for any data, and cuts between characters", () => {
		let snapshot = EMPTY_SNAPSHOT;
		for (let n = 1; n <= 300; n += 1) {
			snapshot = take(snapshot, {
				findings: [`${n}${"😀\n".repeat(n)}`],
				pending_tasks: [`t${n}${"\u0001".repeat(n * 5)}`],
			});
			snapshot = addSummary(snapshot, "ü".repeat(n * 10), { visit: n, state: "s" });
			const files = Array.from(
				{ length: 10 },
				(_, i): FileChange => ({ path: `src/${n}/${i}.ts`, change: "M", added: 1, removed: 2 }),
			);
			snapshot = addChanges(snapshot, files, 0, n);
		}
		expect(Buffer.byteLength(JSON.stringify(snapshot))).toBeLessThan(32_000);
		expect(JSON.stringify(snapshot)).not.toContain("\ufffd");
		expect(snapshot.dropped.files).toBeGreaterThan(0);
		expect(snapshot.summaries.at(-1)?.visit).toBe(300);
	});
});

describe("changed files over several visits", () => {
	const change = (path: string, kind: FileChange["change"], from?: string): FileChange => ({
		path,
		change: kind,
		...(from ? { from } : {}),
	});
	const after = (...visits: FileChange[][]) =>
		visits
			.reduce((snapshot, changes, index) => addChanges(snapshot, changes, 0, index + 1), EMPTY_SNAPSHOT)
			.files.map(({ path, change: kind, from, visit }) => `${kind} ${from ? `${from}>` : ""}${path} ${visit}`);
	it.each<[FileChange[][], string[]]>([
		[[[change("a", "A")], [change("a", "M")]], ["A a 2"]],
		[[[change("a", "A")], [change("a", "D")]], []],
		[[[change("a", "M")], [change("a", "D")]], ["D a 2"]],
		[[[change("a", "D")], [change("a", "A")]], ["M a 2"]],
		[[[change("a", "M")], [change("b", "R", "a")]], ["R a>b 2"]],
		[[[change("a", "A")], [change("b", "R", "a")]], ["A b 2"]],
		[[[change("b", "R", "a")], [change("b", "M")]], ["R a>b 2"]],
		[
			[[change("a", "M"), change("b", "M")], [change("a", "M")]],
			["M b 1", "M a 2"],
		],
	])("%j gives %j", (visits, files) => {
		expect(after(...visits)).toEqual(files);
	});
	it("counts what was not listed", () => {
		expect(addChanges(EMPTY_SNAPSHOT, [change("a", "M")], 7, 1).dropped.files).toBe(7);
	});
});
