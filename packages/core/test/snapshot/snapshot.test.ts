// The snapshot kept across workers: adding, replacing and resolving entries within a size limit.
import { describe, expect, it } from "vitest";
import {
	addChanges,
	addSummary,
	bindToKnown,
	changedFiles,
	cutText,
	EMPTY_SNAPSHOT,
	explainNoRoom,
	explainSaved,
	type FileChange,
	readSnapshotData,
	type Snapshot,
	setChanges,
	updateSnapshot,
} from "../../src/snapshot/index.ts";

const here = { visit: 1, state: "planning" };

function take(snapshot: Snapshot, given: unknown, where = here): Snapshot {
	const read = readSnapshotData(given);
	if (read.kind === "refused") throw new Error(read.reason);
	return updateSnapshot(snapshot, bindToKnown(snapshot, read.data), where);
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
		["nested values", { ports: [{ api: 1 }] }, [["f1", "ports", '[{"api":1}]']]],
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
			{ id: "f1", key: "API_port", text: "8081", visit: 2, state: "coding", first: here, earlier: ["8080"] },
		]);
		expect(take(after, { api_port: "9" }).findings[0]?.earlier).toEqual(["8081", "8080"]);
	});
	it("the same text twice is one entry, and keeps its place", () => {
		const twice = take(take(EMPTY_SNAPSHOT, ["The port is 1.", "other"]), "the  port is 1");
		expect(texts(twice).map(([id]) => id)).toEqual(["f1", "f2"]);
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
	it.each<[resolve: unknown, left: string[]]>([
		["[f1]", ["t2", "t3"]],
		["#f1", ["t2", "t3"]],
		["`F1`", ["t2", "t3"]],
		["f1: one", ["t2", "t3"]],
		["[f1] (from plan) k1: one", ["t2", "t3"]],
		["- f1 (k1: one)", ["t2", "t3"]],
		["f1, t2", ["t3"]],
		["f1 and [t2]", ["t3"]],
		[["f1; f9", "t2: done"], ["t3"]],
		[{ findings: ["f1"], pending_tasks: ["t2"] }, ["t3"]],
		["t2: write tests", ["f1", "t2"]],
		["f1 or so", ["f1", "t2", "t3"]],
		["f10", ["f1", "t2", "t3"]],
	])("resolves %j as ids are shown and written", (resolve, left) => {
		const some = take(EMPTY_SNAPSHOT, {
			findings: [{ key: "k1", text: "one" }],
			pending_tasks: ["write docs", "t2: write tests"],
		});
		const rest = take(some, { resolve });
		expect([...rest.findings, ...rest.pendingTasks].map(({ id }) => id)).toEqual(left);
	});
	it("tells which of several ids it does not know", () => {
		const some = take(EMPTY_SNAPSHOT, { findings: ["one"] });
		const data = bindToKnown(some, { resolve: ["f1, f9"] });
		expect(explainSaved(some, updateSnapshot(some, data, here), { data })).toContain(
			"Resolved f1 (one). Nothing is known as `f9`.",
		);
	});
	it.each([["completed"], ["resolved"], ["done"], ["remove"]])("%s resolves too", (word) => {
		const some = take(EMPTY_SNAPSHOT, { pending_tasks: ["write tests"] });
		expect(tasks(take(some, { [word]: [{ id: "t1" }] }))).toEqual([]);
	});
	it("names the new ids, and the names that match no entry", () => {
		const some = take(EMPTY_SNAPSHOT, { pending_tasks: ["write tests"] });
		const data = bindToKnown(some, { findings: [{ text: "it rains" }], resolve: ["t9", "t1"] });
		expect(explainSaved(some, updateSnapshot(some, data, here), { data })).toBe(
			"Saved f2. Resolved t1 (write tests). Nothing is known as `t9`. This run has no open task.",
		);
	});
	it("never changes its arguments", () => {
		const some = take(EMPTY_SNAPSHOT, { port: 1, pending_tasks: ["a"] });
		const copy = structuredClone(some);
		addSummary(addChanges(take(some, { port: 2, resolve: ["a"] }), [{ path: "a", change: "A" }], 0, 2), "s", here);
		expect(some).toEqual(copy);
	});
});

describe("the size is bounded", () => {
	it("500 findings of 2 KB leave the newest, count the rest", () => {
		let snapshot = EMPTY_SNAPSHOT;
		for (let n = 1; n <= 500; n += 1) snapshot = take(snapshot, `${n} ${"x".repeat(2000)}`);
		expect(Buffer.byteLength(JSON.stringify(snapshot))).toBeLessThan(21_000);
		expect(snapshot.findings.at(-1)).toMatchObject({ id: "f500" });
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
		expect(Buffer.byteLength(JSON.stringify(snapshot))).toBeLessThan(50_000);
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
	it.each<[what: string, before: FileChange, now: FileChange, net: Partial<FileChange>]>([
		[
			"an added file",
			{ path: "a", change: "A", added: 10, removed: 0 },
			{ path: "a", change: "M", added: 5, removed: 2 },
			{ change: "A", added: 13, removed: 0 },
		],
		[
			"an added file that moved",
			{ path: "a", change: "A", added: 10, removed: 0 },
			{ path: "b", from: "a", change: "R", added: 1, removed: 3 },
			{ path: "b", change: "A", added: 8, removed: 0 },
		],
		[
			"a file that was there",
			{ path: "a", change: "M", added: 1, removed: 1 },
			{ path: "a", change: "M", added: 1, removed: 1 },
			{ change: "M" },
		],
		[
			"a deleted file",
			{ path: "a", change: "M", added: 9, removed: 0 },
			{ path: "a", change: "D", added: 0, removed: 20 },
			{ change: "D" },
		],
	])("without a comparison, the lines of %s are exact or absent", (_what, before, now, net) => {
		const twice = addChanges(addChanges(EMPTY_SNAPSHOT, [before], 0, 1), [now], 0, 2, "exact");
		expect(twice.files).toEqual([{ path: "a", ...net, visit: 2 }]);
	});
	it("a comparison with the start replaces what the visits say", () => {
		const m = (path: string, added: number): FileChange => ({ path, change: "M", added, removed: 0 });
		const ofRun = { changes: [m("a", 2), m("b", 1)], total: { files: 2, added: 3, removed: 0 } };
		const before = addChanges(EMPTY_SNAPSHOT, [m("b", 1), m("gone", 4), m("a", 1)], 0, 1);
		const after = setChanges(before, ofRun, [m("a", 1)], 2);
		expect(after.files).toEqual([
			{ ...m("b", 1), visit: 1 },
			{ ...m("a", 2), visit: 2 },
		]);
		expect(changedFiles(after)).toEqual(ofRun.total);
	});
	it("counts all changes of a comparison that lists some, and keeps those of the visit", () => {
		const listed = Array.from({ length: 200 }, (_, n) => change(`a/${String(n).padStart(3, "0")}`, "A"));
		const ofRun = { changes: listed, more: 50, total: { files: 250, added: 9, removed: 8 } };
		const after = setChanges(EMPTY_SNAPSHOT, ofRun, [change("z", "M")], 2);
		expect(changedFiles(after)).toEqual(ofRun.total);
		expect(after.files.length + after.dropped.files).toBe(250);
		expect(Buffer.byteLength(JSON.stringify(after.files))).toBeLessThan(4100);
	});
	it("counts what was not listed", () => {
		expect(addChanges(EMPTY_SNAPSHOT, [change("a", "M")], 7, 1).dropped.files).toBe(7);
	});
});

describe("the bounds of what is saved in one call", () => {
	const kind = (given: unknown) => readSnapshotData(given).kind;
	const reason = (given: unknown) => {
		const read = readSnapshotData(given);
		return read.kind === "refused" ? read.reason : "";
	};
	it.each<[what: string, most: unknown, more: unknown, said: string]>([
		["entries", Array(200).fill("x"), Array(201).fill("x"), "201 entries"],
		[
			"entries of each kind together",
			{ findings: Array(100).fill("x"), pending_tasks: Array(50).fill("y"), resolve: Array(50).fill("z") },
			{ findings: Array(100).fill("x"), pending_tasks: Array(50).fill("y"), resolve: Array(51).fill("z") },
			"201 entries",
		],
		["characters of a text", "x".repeat(32_000), "x".repeat(32_001), "32001 characters"],
		["characters of a key", { ["k".repeat(80)]: "v" }, { ["k".repeat(81)]: "v" }, "80 for a key"],
		[
			"characters in all",
			Array(20).fill("x".repeat(10_000)),
			[...Array(20).fill("x".repeat(10_000)), "x"],
			"200001 characters",
		],
		[
			"characters with the keys",
			{ findings: [...Array(19).fill("x".repeat(10_000)), { key: "k", text: "x".repeat(9999) }] },
			{ findings: [...Array(19).fill("x".repeat(10_000)), { key: "kk", text: "x".repeat(9999) }] },
			"200001 characters",
		],
	])("%s", (_what, most, more, said) => {
		expect(kind(most)).toBe("read");
		expect(reason(more)).toContain(said);
	});
});

describe("the shapes of data, one by one", () => {
	const saved = (given: unknown) => {
		const read = readSnapshotData(given);
		return read.kind === "read" ? read.data : read.kind;
	};
	it.each<[given: unknown, data: unknown]>([
		[{ findings: null, notes: "x" }, { findings: [{ text: "x" }] }],
		[{ findings: [null, "null", " undefined ", "x"] }, { findings: [{ text: "x" }] }],
		[{ findings: [3, true] }, { findings: [{ text: "3" }, { text: "true" }] }],
		[{ findings: [{ name: " k ", value: " v " }] }, { findings: [{ key: "k", text: "v" }] }],
		[{ findings: [{ id: 7, content: true }] }, { findings: [{ key: "7", text: "true" }] }],
		[{ findings: [{ key: " ", text: "v" }] }, { findings: [{ text: "v" }] }],
		[{ findings: [{ other: { deep: 1 } }] }, { findings: [{ text: "", fields: { other: { deep: 1 } } }] }],
		[{ findings: { text: "v", key: "k" } }, { findings: [{ key: "k", text: "v" }] }],
		[{ findings: { a: { deep: 1 } } }, { findings: [{ key: "a", text: "", fields: { deep: 1 } }] }],
		[{ data: { findings: ["x"] } }, { findings: [{ text: "x" }] }],
		[{ data: '["x"]' }, { findings: [{ text: "x" }] }],
		[
			{ data: { findings: ["x"] }, findings: ["y"], resolve: ["t1"] },
			{ findings: [{ text: "x" }, { text: "y" }], resolve: ["t1"] },
		],
		[
			{ data: "x", port: 1 },
			{
				findings: [
					{ key: "data", text: "x" },
					{ key: "port", text: "1" },
				],
			},
		],
		[
			{ findings: [{ file: "a.ts", line: 3, text: "x", ok: null }] },
			{ findings: [{ text: "x", fields: { file: "a.ts", line: 3, ok: null } }] },
		],
		[{ findings: [{ title: "a", description: "b" }] }, { findings: [{ text: "b", fields: { title: "a" } }] }],
		[
			{
				pending_tasks: [
					{ key: "k", text: "a" },
					{ key: "K", text: "b" },
				],
			},
			{
				pendingTasks: [
					{ key: "k", text: "a" },
					{ text: "b", fields: { key: "K" } },
				],
			},
		],
		[
			{ findings: [{ name: "n".repeat(81), a: 1 }] },
			{ findings: [{ text: "", fields: { name: "n".repeat(81), a: 1 } }] },
		],
		[{ findings: [{ key: "k" }, ["a", 1]] }, { findings: [{ text: "k" }, { text: '["a",1]' }] }],
		[{ resolve: { id: "t1" } }, { resolve: ["t1"] }],
		[{ resolve: { t1: "done", t2: true } }, { resolve: ["t1", "t2"] }],
		[{ files: "a.ts" }, { findings: [{ key: "files named by the worker", text: "a.ts" }] }],
		[{ " a key ": 3 }, { findings: [{ key: "a key", text: "3" }] }],
		[{ "Key-Findings!": "x" }, { findings: [{ text: "x" }] }],
		[{ resolve: "t1" }, { resolve: ["t1"] }],
		[{ resolve: [" t1 ", "", { key: "k" }, { text: "x" }, 4, null] }, { resolve: ["t1", "k", "x", "4"] }],
		[
			{ todo: ["a"], done: ["b"] },
			{ pendingTasks: [{ text: "a" }], resolve: ["b"] },
		],
		["[1, 2]", { findings: [{ text: "1" }, { text: "2" }] }],
		["  [1]", { findings: [{ text: "1" }] }],
		["[1", { findings: [{ text: "[1" }] }],
		["3", { findings: [{ text: "3" }] }],
	])("%j", (given, data) => {
		expect(saved(given)).toEqual(data);
	});
});

describe("an entry that replaces another", () => {
	it("keeps three earlier texts of 200 bytes, and only of other texts", () => {
		const value = (text: string) => ({ findings: [{ key: "k", text }] });
		let snapshot = take(EMPTY_SNAPSHOT, value("x".repeat(200)));
		snapshot = take(snapshot, value("y".repeat(201)));
		snapshot = take(snapshot, value("y".repeat(201)));
		expect(snapshot.findings[0]?.earlier).toEqual(["x".repeat(200)]);
		for (const text of ["1", "2", "3"]) snapshot = take(snapshot, value(text));
		expect(snapshot.findings[0]?.earlier?.map((text) => Buffer.byteLength(text))).toEqual([1, 1, 200]);
	});
	it("keeps its key and its earlier texts where the same text comes again without a key", () => {
		const first = take(take(EMPTY_SNAPSHOT, { k: "one" }), { k: "two" });
		expect(take(first, ["two"]).findings).toEqual([{ id: "f1", key: "k", text: "two", ...here, earlier: ["one"] }]);
	});
	it("is a separate one if only one of them has the key", () => {
		const first = take(EMPTY_SNAPSHOT, ["one"]);
		expect(take(first, { k: "one" }).findings.map(({ id }) => id)).toEqual(["f1", "f2"]);
	});
	it("is truncated at 8,000 bytes, and found by the truncated text", () => {
		const cut = (text: string) => take(EMPTY_SNAPSHOT, [text]).findings[0];
		expect(cut("x".repeat(8000))).toEqual({ id: "f1", text: "x".repeat(8000), ...here });
		expect(cut("x".repeat(8001))).toEqual({ id: "f1", text: `${"x".repeat(7997)}…`, ...here, cut: true });
		const twice = take(take(EMPTY_SNAPSHOT, ["x".repeat(8001)]), ["x".repeat(8001)]);
		expect(twice.findings).toHaveLength(1);
	});
});

describe("what is dropped is counted", () => {
	/** The number of entries of this many bytes of JSON that a list keeps. */
	const kept = (list: "findings" | "pendingTasks", count: number) => {
		const snapshot = take(EMPTY_SNAPSHOT, {
			[list]: Array.from({ length: count }, (_, n) => `${n} ${"x".repeat(990)}`),
		});
		expect(snapshot[list].length + snapshot.dropped[list]).toBe(count);
		return snapshot[list].length;
	};
	it("per list", () => {
		expect([kept("findings", 18), kept("findings", 19), kept("findings", 40)]).toEqual([18, 19, 19]);
		expect([kept("pendingTasks", 22), kept("pendingTasks", 23)]).toEqual([22, 22]);
	});
	it("and a worker that saves more tasks than fit is told that nothing was saved", () => {
		const some = take(EMPTY_SNAPSHOT, {
			pending_tasks: Array.from({ length: 22 }, (_, n) => `${n} ${"x".repeat(990)}`),
		});
		expect(explainNoRoom(some, take(some, { pending_tasks: ["y".repeat(2000)] }))).toMatch(
			/^Nothing was saved: .* 24 KB\./,
		);
		expect(explainNoRoom(some, take(some, { pending_tasks: ["y"], resolve: ["t1"] }))).toBeUndefined();
		expect(explainNoRoom(some, take(some, { findings: ["y".repeat(7000)] }))).toBeUndefined();
	});
	it("to the byte: a list keeps what fits exactly", () => {
		const bytes = (length: number) => {
			const snapshot = take(
				take(EMPTY_SNAPSHOT, ["old"]),
				Array.from({ length: 11 }, (_, n) => `${n}${"x".repeat(length)}`),
			);
			return {
				size: snapshot.findings.reduce((sum, entry) => sum + Buffer.byteLength(JSON.stringify(entry)) + 1, 0),
				snapshot,
			};
		};
		const lengths = Array.from({ length: 120 }, (_, n) => 1680 + n).map(bytes);
		expect(Math.max(...lengths.map(({ size }) => size))).toBeLessThanOrEqual(20_000);
		expect(lengths.some(({ size, snapshot }) => snapshot.dropped.findings === 0 && size > 19_980)).toBe(true);
	});
	it("and the newest stays, regardless of its size", () => {
		const snapshot = addSummary(EMPTY_SNAPSHOT, "ü".repeat(5000), here);
		expect(snapshot.summaries).toHaveLength(1);
		const file = { path: "x".repeat(9000), change: "M" } as const;
		expect(addChanges(EMPTY_SNAPSHOT, [file], 0, 1).files).toHaveLength(1);
		const two = addChanges(EMPTY_SNAPSHOT, [file, { ...file, path: "y" }], 2, 1);
		expect([two.files.map(({ path }) => path), two.dropped.files]).toEqual([["y"], 3]);
	});
	it("also if only unlisted files have changed", () => {
		expect(addChanges(EMPTY_SNAPSHOT, [], 2, 1).dropped.files).toBe(2);
		expect(addChanges(EMPTY_SNAPSHOT, [], 0, 1)).toBe(EMPTY_SNAPSHOT);
	});
	it("a visit's last summary replaces its earlier one", () => {
		const twice = addSummary(addSummary(EMPTY_SNAPSHOT, "one", here), "two", here);
		expect(twice.summaries).toEqual([{ ...here, text: "two" }]);
		const other = addSummary(twice, "three", { visit: 2, state: "coding" });
		expect(other.summaries.map(({ text }) => text)).toEqual(["two", "three"]);
	});
	it("names that match nothing are named with at most 80 characters", () => {
		const said = explainSaved(EMPTY_SNAPSHOT, EMPTY_SNAPSHOT, { data: { resolve: ["n".repeat(81), "b"] } });
		expect(said).toBe(
			`Nothing is known as \`${"n".repeat(79)}…\`. Nothing is known as \`b\`. This run has no open task.`,
		);
	});
});

describe("cutting", () => {
	it.each([
		["abcdefgh", 8, "abcdefgh"],
		["abcdefghi", 8, "abcde…"],
		["ab😀😀", 10, "ab😀😀"],
		["ab😀😀x", 10, "ab😀…"],
		["abcdü", 6, "abcdü"],
		["abcdüx", 6, "abc…"],
	])("%s at %d bytes is %s", (text, bytes, cut) => {
		expect(cutText(text, bytes)).toEqual(text === cut ? { text } : { text: cut, cut: true });
	});
});
