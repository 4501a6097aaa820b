// Typed fields over a tree: defaults, problems with places, and documentation generated from the same table.
import { describe, expect, it } from "vitest";
import { referenceTable } from "../../../../scripts/reference-table.ts";
import {
	choice,
	editDistance,
	flag,
	formatDiagnostic,
	formatDiagnostics,
	integer,
	list,
	names,
	nearest,
	number,
	objectField,
	objectSchema,
	openReport,
	openSource,
	parseYaml,
	quoted,
	readObject,
	record,
	sortDiagnostics,
	text,
} from "../../src/definition/index.ts";

const fields = {
	name: text({ form: "line", required: true, about: "Its name." }),
	note: text({ about: "Free text | with a bar." }),
	kind: choice(["small", "large"], { fallback: "small", about: "Its size." }),
	hot: flag({ fallback: true, about: "Whether it is hot." }),
	count: integer({ min: 1, max: 9, fallback: 3, about: "How many." }),
	ratio: number({ min: 0, about: "A part." }),
	tools: names({ fallback: [], shown: "none", about: "Names." }),
	inner: objectField({ x: integer({ about: "X." }), y: text({ required: true, about: "Y." }) }, { about: "A group." }),
	many: list(text({ about: "One." }), { about: "Many." }),
	named: record(integer({ about: "One." }), { about: "By name." }),
};

function read(yaml: string) {
	const source = openSource("/w/f.yaml", yaml);
	const { root, diagnostics } = parseYaml(source);
	expect(diagnostics).toEqual([]);
	if (root?.kind !== "map") throw new Error("not a map");
	const report = openReport();
	const result = readObject(root, fields, { source, report, path: "" });
	return { result, said: report.diagnostics.map((diagnostic) => formatDiagnostic(diagnostic, "/w")) };
}

describe("an object", () => {
	it("fills in defaults and leaves the rest undefined", () => {
		const { result, said } = read("name: ' a\n\n  b '\n");
		expect(said).toEqual([]);
		expect(result.kind === "read" && result.values).toEqual({
			name: "a b",
			note: undefined,
			kind: "small",
			hot: true,
			count: 3,
			ratio: undefined,
			tools: [],
			inner: undefined,
			many: undefined,
			named: undefined,
		});
	});

	it("reads nested objects, lists and records in the file's order", () => {
		const { result } = read("name: a\ninner: {y: q}\nmany: [b, c]\nnamed: {z: 1, constructor: 2, a: 3}\n");
		if (result.kind !== "read") throw new Error("failed");
		expect(result.values.inner).toEqual({ x: undefined, y: "q" });
		expect(result.values.many).toEqual(["b", "c"]);
		expect([...(result.values.named ?? [])]).toEqual([
			["z", 1],
			["constructor", 2],
			["a", 3],
		]);
	});

	it.each([
		["a comma list", "tools: read, grep"],
		["a flow list", "tools: [read, grep]"],
		["a flow list with quotes", 'tools: ["read","grep"]'],
		["a block list", "tools:\n  - read\n  - grep"],
		["a quoted comma list", "tools: 'read,grep,'"],
		["a folded comma list", "tools: >\n  read,\n  grep\n"],
	])("reads %s", (_, written) => {
		const { result, said } = read(`name: a\n${written}\n`);
		expect(said).toEqual([]);
		expect(result.kind === "read" && result.values.tools).toEqual(["read", "grep"]);
	});

	it.each([
		["note: x\n", "f.yaml:1:1 `name` is missing."],
		["name: 1\n", 'f.yaml:1:7 `name` must be a string, but is the number 1. — Put it in quotes: `"1"`.'],
		["name: true\n", 'Put it in quotes: `"true"`.'],
		["name: ''\n", "f.yaml:1:7 `name` is empty."],
		["name:\n", "f.yaml:1:1 `name` has no value."],
		['name: "a\\eb"\n', "control character"],
		["name: [a]\n", "but is a list"],
		["name: {description}\n", 'A value that starts with `{` needs quotes: `"{description}"`.'],
		["name: a\nkind: smal\n", "f.yaml:2:7 `kind` is `smal`; it must be `small` or `large`. Did you mean `small`?"],
		[
			"name: a\nhot: no\n",
			"f.yaml:2:6 `hot` must be `true` or `false`, but is a string. — Write `false`, without quotes.",
		],
		["name: a\nhot: 'yes'\n", "Write `true`, without quotes."],
		["name: a\ncount: 0\n", "`count` must be a whole number from 1 to 9, but is the number 0."],
		["name: a\ncount: 1.5\n", "the number 1.5"],
		["name: a\ncount: .inf\n", "the number .inf"],
		["name: a\ncount: '3'\n", "without quotes"],
		["name: a\nratio: -0.1\n", "a number of at least 0"],
		["name: a\ntools: [a, [b]]\n", "f.yaml:2:12 An entry of `tools` is a list"],
		["name: a\ntools:\n  -\n", "is nothing"],
		["name: a\ninner: {x: 1}\n", "f.yaml:2:8 `inner.y` is missing."],
		["name: a\nmany: b\n", "`many` must be a list, but is a string."],
		["name: a\nnamed: {x: y}\n", "`named.x` must be a whole number"],
	])("reports %j", (yaml, expected) => {
		const { result, said } = read(yaml);
		expect(result.kind).toBe("failed");
		expect(said.join("\n")).toContain(expected);
	});

	it("reports every problem at once, and still returns the readable fields", () => {
		const { result, said } = read("name: a\ncount: x\nhot: maybe\nkind: large\n");
		expect(said).toHaveLength(2);
		expect(result.kind === "failed" && result.partial).toMatchObject({ name: "a", kind: "large" });
	});

	it("warns about unknown keys and optional keys without a value, with the closest known key", () => {
		const { result, said } = read("name: a\nnmae: b\nnonsense: c\nnote:\n$schema: x\n");
		expect(result.kind).toBe("read");
		expect(said).toEqual([
			"f.yaml:4:1 warning: `note` has no value. — Write its value (string), or remove the line.",
			"f.yaml:2:1 warning: Unknown field `nmae`. Did you mean `name`? — Write `name`, or remove the line.",
			"f.yaml:3:1 warning: Unknown field `nonsense`. — Remove it: it has no effect.",
		]);
	});

	it("generates its own documentation", () => {
		expect(referenceTable(fields).slice(0, 6)).toEqual([
			"| field | type | default | meaning |",
			"|---|---|---|---|",
			"| `name` | string | *required* | Its name. |",
			"| `note` | string | — | Free text \\| with a bar. |",
			"| `kind` | `small` or `large` | `small` | Its size. |",
			"| `hot` | `true` or `false` | `true` | Whether it is hot. |",
		]);
		expect(objectSchema(fields)).toMatchObject({
			type: "object",
			required: ["name"],
			additionalProperties: false,
			properties: {
				kind: { enum: ["small", "large"], default: "small", description: "Its size." },
				count: { type: "integer", minimum: 1, maximum: 9, default: 3 },
				named: { type: "object", additionalProperties: { type: "integer" } },
			},
		});
	});
});

describe("the closest known word", () => {
	it.each([
		["blackist", "blacklist"],
		["whitelsit", "whitelist"],
		["Whitelist", "whitelist"],
		["white-list", "whitelist"],
		["shell", undefined],
		["edt", "edit"],
		["x", undefined],
		["", undefined],
		["z".repeat(10_000), undefined],
	])("of %s is %s", (word, expected) => {
		expect(nearest(word, ["blacklist", "whitelist", "edit", "ls"])).toBe(expected);
	});

	it("counts a swap of neighbors as one edit", () => {
		expect(editDistance("form", "from")).toBe(1);
		expect(editDistance("", "abc")).toBe(3);
		expect(editDistance("kitten", "sitting")).toBe(3);
	});
});

describe("diagnostics", () => {
	const one = { severity: "error", code: "x", message: "m", remedy: "r" } as const;

	it("are sorted by severity, file, line and column", () => {
		const sorted = sortDiagnostics([
			{ ...one, file: "/a", line: 1, severity: "warning" },
			{ ...one, file: "/b" },
			{ ...one, file: "/a", line: 10, column: 2 },
			{ ...one, file: "/a", line: 2, column: 9 },
			{ ...one, file: "/a", line: 10, column: 1 },
		]);
		expect(sorted.map(({ file, line, column }) => [file, line, column])).toEqual([
			["/a", 2, 9],
			["/a", 10, 1],
			["/a", 10, 2],
			["/b", undefined, undefined],
			["/a", 1, undefined],
		]);
	});

	it("of a list say what each is, errors first", () => {
		const list = Array.from({ length: 20 }, (_, index) => ({
			...one,
			file: "/w/a",
			line: index + 1,
			severity: index % 3 === 1 ? ("error" as const) : ("warning" as const),
		}));
		const lines = formatDiagnostics(list, "/w");
		expect(lines).toHaveLength(20);
		expect(lines[0]).toBe("a:2 error: m — r");
		expect(lines.map((line) => line.split(" ")[1])).toEqual([
			...Array(7).fill("error:"),
			...Array(13).fill("warning:"),
		]);
	});

	it("are one printable line each, with a relative path inside the base only", () => {
		expect(formatDiagnostic({ ...one, file: "/w/a\u001b[31m", line: 3, message: "a\nb\u202e" }, "/w")).toBe(
			"a\ufffd[31m:3 a b\ufffd — r",
		);
		expect(formatDiagnostic({ ...one, file: "/elsewhere/a", severity: "warning" }, "/w")).toBe(
			"/elsewhere/a warning: m — r",
		);
		expect(formatDiagnostic({ ...one, file: "/w/..b/c" }, "/w")).toBe("..b/c m — r");
		expect(quoted("a `b`\n\nc ".repeat(50), 10)).toBe("`a 'b' c a…`");
	});

	it("beyond the limit are counted and still cause failure", () => {
		const report = openReport(2);
		for (let index = 0; index < 5; index += 1) report.warn({ file: "/a" }, one);
		expect(report.failed).toBe(false);
		report.error({ file: "/a" }, one);
		expect(report.failed).toBe(true);
		expect(report.diagnostics).toHaveLength(3);
		expect(report.diagnostics.at(-1)).toMatchObject({ severity: "error", message: expect.stringContaining("4 more") });
		const short = openReport(1);
		for (let index = 0; index < 2; index += 1) short.warn({ file: "/a" }, one);
		expect(short.diagnostics.at(-1)?.message).toBe("There is 1 more problem.");
	});
});
