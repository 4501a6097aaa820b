// The texts of a finding or a task: whatever a model saves is in them, or the answer to its call says what is not.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
	bindToKnown,
	EMPTY_SNAPSHOT,
	type Entry,
	entryForModel,
	entryForPeople,
	entryPart,
	entryValue,
	explainSaved,
	readSnapshotData,
	type Snapshot,
	updateSnapshot,
} from "../../src/snapshot/index.ts";

const where = { visit: 1, state: "planning" };

/** Saves as the supervisor does; returns the answer too. */
function save(before: Snapshot, given: unknown): { readonly after: Snapshot; readonly answer: string } {
	const read = readSnapshotData(given);
	if (read.kind === "refused") return { after: before, answer: read.reason };
	const data = bindToKnown(before, read.data);
	const after = updateSnapshot(before, data, where);
	return { after, answer: explainSaved(before, after, { ...read, data }) };
}

describe("an entry as text", () => {
	const bug = {
		key: "race",
		text: "Two writers\nat once",
		fields: { file: "src/a.ts", line: 3, tags: ["db"], fixed: null },
	};
	it.each<[name: string, entry: Entry, model: string, people: string]>([
		["a text", { text: "It rains" }, "[f1] It rains", "It rains"],
		["a key", { key: "port", text: "80" }, "[f1] port: 80", "port: 80"],
		[
			"fields",
			bug,
			'[f1] race: Two writers\n  at once\n  file: src/a.ts\n  line: 3\n  tags: ["db"]\n  fixed: null',
			'race: Two writers at once (file: src/a.ts, line: 3, tags: ["db"], fixed: null)',
		],
		["only fields", { text: "", fields: { a: true } }, "[f1]\n  a: true", "(a: true)"],
		["a text that looks like a number", { text: "", fields: { a: "1" } }, '[f1]\n  a: "1"', '(a: "1")'],
		["a text that looks like a field", { text: "", fields: { a: "x\nb: 2" } }, "[f1]\n  a: x\n    b: 2", "(a: x b: 2)"],
		[
			"a diff",
			{ text: "", fields: { diff: '@@ -1 +1 @@\n-\t"a"\n+b\n', hunk: " a\n+b", of: { more: ["x\ny"], n: 1 } } },
			'[f1]\n  diff: @@ -1 +1 @@\n    -\t"a"\n    +b\n  hunk:\n     a\n    +b\n  of:\n    more:\n      0: x\n        y\n    n: 1',
			'(diff: "@@ -1 +1 @@\\n-\\t\\"a\\"\\n+b\\n", hunk: " a\\n+b", of: {"more":["x\\ny"],"n":1})',
		],
		["a name that looks like two", { text: "", fields: { "a: b\nc": 1 } }, '[f1]\n  "a: b\\nc": 1', '("a: b\\nc": 1)'],
	])("%s", (_name, entry, model, people) => {
		expect(entryForModel({ id: "f1", ...entry })).toBe(model);
		expect(entryForPeople(entry)).toBe(people);
	});
	it.each<[path: string[], value: unknown]>([
		[["file"], "src/a.ts"],
		[["tags", "0"], "db"],
		[["key"], "race"],
		[["name"], "race"],
		[["description"], "Two writers\nat once"],
		[["other"], undefined],
		[[], 'Two writers\nat once\nfile: src/a.ts\nline: 3\ntags: ["db"]\nfixed: null'],
	])("its part at %j", (path, value) => {
		expect(entryPart(bug, path)).toEqual(value);
	});
	it("as data", () => {
		expect(entryValue({ key: "k", text: "x" })).toBe("x");
		expect(entryValue(bug)).toEqual({ key: bug.key, text: bug.text, ...bug.fields });
	});
});

describe("the answer to a call", () => {
	const start = save(EMPTY_SNAPSHOT, {
		findings: [{ key: "port", text: "80" }],
		pending_tasks: ["Write docs", "Add tests"],
	});
	it.each<[name: string, given: unknown, answer: string]>([
		["of new entries", { findings: ["x"] }, "Saved f4. Open tasks: t2 (Write docs), t3 (Add tests)."],
		["that replaces", { port: 81 }, "Saved f1 (replaces what it was). Open tasks: t2 (Write docs), t3 (Add tests)."],
		[
			"that replaces by id",
			{ pending_tasks: [{ id: "t2", text: "y" }] },
			"Saved t2 (replaces what it was). Open tasks: t2 (y), t3 (Add tests).",
		],
		[
			"that resolves",
			{ resolve: ["t2", "Add tests."] },
			"Resolved t2 (Write docs), t3 (Add tests). This run has no open task.",
		],
		[
			"with a misspelled name",
			{ resolve: ["prot"] },
			"Nothing is known as `prot`. Did you mean `port`? Open tasks: t2 (Write docs), t3 (Add tests).",
		],
		[
			"with nothing in an entry",
			{ findings: [null, "x"] },
			"Saved f4. Left out: 1 entry without content. Open tasks: t2 (Write docs), t3 (Add tests).",
		],
		[
			"with a long entry",
			{ findings: [`a ${"x".repeat(9000)}`], resolve: ["t2", "t3"] },
			"Saved f4. Resolved t2 (Write docs), t3 (Add tests). Too much for the next worker's first message: f4. It may get only the beginning there; the whole is in handover.md. This run has no open task.",
		],
		[
			"with too many",
			{ findings: Array.from({ length: 30 }, (_, n) => `${n} ${"x".repeat(1000)}`), resolve: ["t2", "t3"] },
			"Only in handover.md from now on, because there is too much: 13 older findings. Resolve what is not needed. This run has no open task.",
		],
		[
			"of which two differ little",
			{ findings: ["Foo", "foo."], resolve: ["t2", "t3"] },
			'Saved f4. Resolved t2 (Write docs), t3 (Add tests). Not kept separately, because an entry differs only in case, spaces or final punctuation: "Foo" (f4). This run has no open task.',
		],
	])("%s", (_name, given, answer) => {
		expect(save(start.after, given).answer).toContain(answer);
	});
	it("knows what was resolved before, and keeps the order of tasks", () => {
		const { after } = save(start.after, { resolve: ["t2"], pending_tasks: ["Write docs again"] });
		expect(save(after, { resolve: ["t2"] }).answer).toContain("`t2` was resolved before (t2).");
		expect(after.resolved).toEqual([{ id: "t2", text: "Write docs", ...where, resolvedIn: 1 }]);
		const again = save(after, { pending_tasks: ["add tests"] }).after;
		expect(again.pendingTasks.map(({ id }) => id)).toEqual(["t3", "t4"]);
	});
});

describe("entries with an origin", () => {
	const child = (name: string) => ({ findings: [{ key: "bug", text: `of ${name}`, from: name }] });
	const review = { visit: 2, state: "review" };
	const planned = save(EMPTY_SNAPSHOT, { findings: [{ key: "port", text: "80" }, "It rains"] }).after;
	const joined = ["api", "ui"].reduce((known, name) => updateSnapshot(known, child(name), review), planned);
	const shown = (snapshot: Snapshot) => snapshot.findings.map(entryForModel);
	const saveAs = (before: Snapshot, given: unknown) => {
		const read = readSnapshotData(given);
		if (read.kind === "refused") throw new Error(read.reason);
		const data = bindToKnown(before, read.data);
		const after = updateSnapshot(before, data, { visit: 3, state: "building" });
		return { after, answer: explainSaved(before, after, { ...read, data }) };
	};
	it("show it in a form of its own, and are kept apart", () => {
		expect(shown(joined)).toEqual([
			"[f1] (from planning) port: 80",
			"[f2] (from planning) It rains",
			"[f3] (from api) bug: of api",
			"[f4] (from ui) bug: of ui",
		]);
	});
	it("keep place and first origin when another state replaces them, by key or id", () => {
		const { after } = saveAs(joined, {
			findings: [
				{ key: "port", text: "81" },
				{ key: "f2", text: "It pours" },
			],
		});
		expect(shown(after).slice(0, 2)).toEqual([
			"[f1] (from planning, changed by building) port: 81",
			"[f2] (from planning, changed by building) It pours",
		]);
		const again = saveAs(after, { findings: ["it pours."] }).after;
		expect(again.findings.map(({ id }) => id)).toEqual(["f1", "f2", "f3", "f4"]);
		expect(shown(saveAs(planned, { port: "80" }).after)[0]).toBe("[f1] (from planning) port: 80");
	});
	it("a task that is saved as a finding, by its id, is no longer open", () => {
		const { after } = saveAs(planned, { pending_tasks: ["Add tests"] });
		const now = saveAs(after, { findings: [{ key: "t3", text: "Tests exist" }] }).after;
		expect(now.pendingTasks).toEqual([]);
		expect(now.findings.at(-1)?.text).toBe("Tests exist");
	});
	it("a long name of a state is cut", () => {
		const state = "s".repeat(64);
		expect(entryForModel({ id: "f1", text: "x", state }).length).toBeLessThan(40);
	});
	it("a name that fits several resolves none, and the answer names them", () => {
		const { after, answer } = saveAs(joined, { resolve: ["bug", "port"] });
		expect(answer).toBe(
			"Resolved f1 (port: 80). Not resolved: `bug` fits f3 (bug: of api), f4 (bug: of ui). Name the id. This run has no open task.",
		);
		expect(after.findings.map(({ id }) => id)).toEqual(["f2", "f3", "f4"]);
		const rest = saveAs(after, { resolve: ["f4"] });
		expect(rest.answer).toContain("Resolved f4 (bug: of ui).");
		expect(saveAs(rest.after, { resolve: ["bug"] }).answer).toContain("Resolved f3 (bug: of api).");
	});
	it.each([["port"], ["f1"]])("a resolved one is open again when it is saved as %s", (key) => {
		const { after } = saveAs(joined, { resolve: ["port"] });
		const open = saveAs(after, { findings: [{ key, text: "80" }] }).after;
		expect(shown(open)).toContain("[f1] (from planning) port: 80");
		expect(open.resolved ?? []).toEqual([]);
	});
	it("are folded as before from events of earlier versions", () => {
		const { after } = save(joined, "one more");
		const names = updateSnapshot(after, { resolve: ["bug"] }, where);
		expect(names.findings.map(({ id }) => id)).toEqual(["f1", "f2", "f5"]);
	});
});

const names = fc.oneof(
	fc.constantFrom("text", "key", "name", "id", "description", "title", "file", "__proto__"),
	fc.string(),
);
const fields = fc.dictionary(names, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 5 });
const entries = fc.array(fc.oneof(fc.string({ unit: "grapheme" }), fields, fc.integer(), fc.boolean()), {
	maxLength: 5,
});
const saved = fc.record({ findings: entries, pending_tasks: entries }, { requiredKeys: [] });

/** Every string, number, boolean and name in a value, as it may occur in a text. */
function leaves(value: unknown): string[] {
	if (Array.isArray(value)) return value.flatMap(leaves);
	if (typeof value === "object" && value !== null)
		return Object.entries(value).flatMap(([name, inner]) => [...(isAlias(name) ? [] : [name]), ...leaves(inner)]);
	return typeof value === "string" ? [value.trim()] : [JSON.stringify(value)];
}

/** Names that say only what the text and the key of an entry are. */
function isAlias(name: string): boolean {
	return ["text", "key", "name", "id", "description", "title"].includes(name);
}

const plain = (text: string): string => text.replace(/\s+/g, " ");

describe("whatever a model saves", () => {
	it("is whole in the text for the next model, or the answer says what is not", () => {
		fc.assert(
			fc.property(saved, (given) => {
				const { after, answer } = save(EMPTY_SNAPSHOT, given);
				const text = plain([...after.findings, ...after.pendingTasks].map(entryForModel).join("\n"));
				const lost = leaves(Object.values(given)).filter(
					(leaf) =>
						!text.includes(plain(leaf)) &&
						!text.includes(plain(JSON.stringify(leaf)).slice(1, -1)) &&
						!text.includes(plain(JSON.stringify(JSON.stringify(leaf))).slice(3, -3)),
				);
				if (lost.length > 0) expect(answer).toMatch(/empty|without content|Not kept separately|replaces/);
			}),
		);
	});
});
