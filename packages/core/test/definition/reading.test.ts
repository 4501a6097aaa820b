// Reading files safely, and turning YAML, front matter and JSON into trees with places.
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseFrontmatter } from "@earendil-works/pi-coding-agent";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { cpuMs } from "../../../pi-chronicle/test/harness/cpu.ts";
import { needsLinux, needsNoRoot, needsPosix } from "../../../pi-chronicle/test/harness/needs.ts";
import { within } from "../../../pi-chronicle/test/harness/patience.ts";
import {
	formatDiagnostic,
	type Node,
	openSource,
	type ParsedTree,
	parseFrontMatter,
	parseJson,
	parseYaml,
	readSource,
} from "../../src/definition/index.ts";

const folder = mkdtempSync(join(tmpdir(), "definition-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function plain(node: Node | undefined): unknown {
	if (!node) return undefined;
	if (node.kind === "scalar") return node.value;
	if (node.kind === "list") return node.items.map(plain);
	return Object.fromEntries([...node.entries].map(([key, { value }]) => [key, plain(value)]));
}

const source = (text: string) => openSource("/w/f.yaml", text);
const lines = ({ diagnostics }: { diagnostics: ParsedTree["diagnostics"] }) =>
	diagnostics.map((diagnostic) => formatDiagnostic(diagnostic, "/w"));

describe("a file", () => {
	const put = (name: string, content: string | Uint8Array): string => {
		const path = join(folder, name);
		writeFileSync(path, content);
		return path;
	};
	const codeOf = (path: string, maxBytes?: number) => {
		const read = readSource(path, maxBytes === undefined ? {} : { maxBytes });
		return read.kind === "problem" ? read.diagnostic.code : read.kind;
	};

	it("is read as text with uniform line ends and no byte order mark", () => {
		const read = readSource(put("crlf", "\ufeffa\r\nb\rc\n"));
		expect(read.kind === "text" && read.source.text).toBe("a\nb\nc\n");
	});

	it("may be empty or a single byte", () => {
		expect(codeOf(put("none", ""))).toBe("text");
		expect(codeOf(put("one", "x"))).toBe("text");
	});

	it("is absent if it does not exist or a parent is a file", () => {
		expect(codeOf(join(folder, "nothing"))).toBe("absent");
		expect(codeOf(join(put("file", "x"), "below"))).toBe("absent");
	});

	it("is refused above its limit, regardless of the reported size", () => {
		expect(codeOf(put("exact", "a".repeat(1000)), 1000)).toBe("text");
		expect(codeOf(put("large", "a".repeat(1001)), 1000)).toBe("too-large");
		expect(codeOf(put("huge", Buffer.alloc(10_000_000, "a")))).toBe("too-large");
	});

	it("of the proc file system, whose size is 0, is read up to the limit", needsLinux, () => {
		expect(codeOf("/proc/self/status")).toBe("text");
		expect(codeOf("/proc/self/status", 100)).toBe("too-large");
	});

	it("that is a directory, binary, UTF-16 or torn UTF-8 is explained", () => {
		mkdirSync(join(folder, "directory"));
		expect(codeOf(join(folder, "directory"))).toBe("is-a-directory");
		expect(codeOf(put("binary", Uint8Array.of(104, 105, 0, 1)))).toBe("binary");
		expect(codeOf(put("utf-16", Uint8Array.of(0xff, 0xfe, 104, 0)))).toBe("utf-16");
		const torn = readSource(put("torn", Buffer.concat([Buffer.from("é\nok\n"), Buffer.from("é").subarray(0, 1)])));
		expect(torn.kind === "problem" && torn.diagnostic).toMatchObject({
			code: "not-utf-8",
			line: 3,
			column: 1,
		});
		const inside = readSource(
			put("latin", Buffer.concat([Buffer.from("ééé\nab"), Buffer.of(0xe9), Buffer.from("c\nd")])),
		);
		expect(inside.kind === "problem" && inside.diagnostic).toMatchObject({ code: "not-utf-8", line: 2, column: 3 });
	});

	it("that is a pipe, a device or a loop of links is never opened", needsPosix, () => {
		const pipe = join(folder, "pipe");
		execFileSync("sh", ["-c", `mkfifo "$0"`, pipe]);
		expect(codeOf(pipe)).toBe("not-a-file");
		expect(codeOf("/dev/zero")).toBe("not-a-file");
		symlinkSync("loop-b", join(folder, "loop-a"));
		symlinkSync("loop-a", join(folder, "loop-b"));
		expect(codeOf(join(folder, "loop-a"))).toBe("link-loop");
		symlinkSync("exact", join(folder, "link"));
		expect(codeOf(join(folder, "link"))).toBe("text");
		const refused = readSource(join(folder, "link"), { links: "refuse" });
		expect(refused.kind === "problem" && refused.diagnostic.code).toBe("link-loop");
	});

	it("without read permission is explained", needsNoRoot, () => {
		const path = put("secret", "x");
		chmodSync(path, 0);
		expect(codeOf(path)).toBe("unreadable");
	});

	it("of any bytes never throws", () => {
		const path = join(folder, "any");
		fc.assert(
			fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
				writeFileSync(path, bytes);
				const read = readSource(path, { maxBytes: 200 });
				expect(["text", "problem"]).toContain(read.kind);
				const known = ["binary", "utf-16", "not-utf-8", "too-large"];
				if (read.kind === "problem") expect(known).toContain(read.diagnostic.code);
			}),
		);
	});
});

describe("YAML", () => {
	it("gives values of the core schema, keys of any name, and places", () => {
		const parsed = parseYaml(source("__proto__: 1\nconstructor: [yes, true, ~, 0x1f, 'a']\n2: {b: 2024-01-01}\n"));
		expect(lines(parsed)).toEqual([]);
		const { root } = parsed;
		expect(root?.kind === "map" && [...root.entries.keys()]).toEqual(["__proto__", "constructor", "2"]);
		expect(root?.kind === "map" && plain(root.entries.get("constructor")?.value)).toEqual(["yes", true, null, 31, "a"]);
		expect(root?.kind === "map" && plain(root.entries.get("2")?.value)).toEqual({ b: "2024-01-01" });
		expect(root?.kind === "map" && source(" ").place(0)).toMatchObject({ line: 1, column: 1 });
	});

	it("follows aliases and merges, with explicit keys taking precedence", () => {
		expect(plain(parseYaml(source("a: &x {p: 1, q: 2}\nb: {<<: *x, q: 3}\nc: *x\n")).root)).toEqual({
			a: { p: 1, q: 2 },
			b: { p: 1, q: 3 },
			c: { p: 1, q: 2 },
		});
	});

	const mistakes: [string, string, string, RegExp][] = [
		["a list with dashes on one line", "name: x\ntools:\n  whitelist: - edit - write\n", "f.yaml:3:14", /on same line/],
		["a duplicate key", "a: 1\nb: 2\na: 3\n", "f.yaml:3:1", /`a` is duplicated.*line 1/],
		["a tab as indentation", "a:\n\tb: 1\n", "f.yaml:2:1", /Tabs/],
		["a list that is not closed", "a: [1, 2\nb: 3\n", "f.yaml:2:1", /end with a \]/],
		["a quote that is not closed", 'x: 1\na: "b\nc: 2\nd: 3\n', "f.yaml:5:1", /Missing closing/],
		["a reserved first character", "a: @x\n", "f.yaml:1:4", /cannot start with .* @/],
		["an alias of nothing", "a: *x\n", "f.yaml:1:4", /`&x`, which is not defined before/],
		["a lone star", "emoji: *\n", "f.yaml:1:8", /Alias cannot be an empty/],
		["an alias inside what it repeats", "a: &a [*a]\n", "f.yaml:1:8", /inside the node that it repeats/],
		["text after an object", "name: a\nmessage: {description} please\n", "f.yaml:2:", /Unexpected scalar/],
		["a line without a colon", "key\nother: 1\n", "f.yaml:1:1", /single line/],
		["wrong indentation", "name: a\n  bar: b\n", "f.yaml:1:7", /Nested mappings/],
		["an unknown escape", 'a: "\\q"\n', "f.yaml:1:5", /Invalid escape/],
		["a second document", "a: 1\n---\nb: 2\n", "f.yaml:2:1", /multiple documents\.$/],
		["a key that is a list", "? [a]\n: b\n", "f.yaml:1:3", /not plain text/],
		["depth without end", "[".repeat(50_000), "f.yaml:1:", /nested/],
		["depth that is closed", "[".repeat(300) + "]".repeat(300), "f.yaml:1:101", /100 levels/],
	];
	it.each(mistakes)("places %s", (_, text, place, message) => {
		const parsed = parseYaml(source(text));
		const [first] = parsed.diagnostics;
		expect(parsed.root).toBeUndefined();
		expect(lines(parsed)[0]).toContain(place);
		expect(first?.message).toMatch(message);
		expect(first?.remedy).toMatch(/\.$/);
	});

	it("reports every mistake, one per line", () => {
		const parsed = parseYaml(source("a: @x\nb: `y`\nc: ok\nd: %z\n"));
		expect(parsed.diagnostics.map(({ line }) => line)).toEqual([1, 2, 4]);
	});

	it("reads a value with an inner colon and warns about it, with unchanged offsets", () => {
		const parsed = parseYaml(source("description: Use when: the user asks: now\nname: a: b # note: c\nlast: [x]\n"));
		expect(plain(parsed.root)).toEqual({ description: "Use when: the user asks: now", name: "a: b", last: ["x"] });
		expect(parsed.diagnostics.map(({ severity, line, column }) => [severity, line, column])).toEqual([
			["warning", 1, 14],
			["warning", 2, 7],
		]);
		const last = parsed.root?.kind === "map" ? parsed.root.entries.get("last") : undefined;
		expect(
			last &&
				source("description: Use when: the user asks: now\nname: a: b # note: c\nlast: [x]\n").place(last.keyStart),
		).toMatchObject({ line: 3, column: 1 });
	});

	it("does not copy the nodes that aliases repeat", () => {
		const levels = Array.from(
			{ length: 30 },
			(_, level) => `a${level}: &a${level} [${level ? `*a${level - 1}, *a${level - 1}` : "x"}]`,
		);
		const parsed = parseYaml(source(`${levels.join("\n")}\n`));
		expect(parsed.root?.kind).toBe("map");
		expect(parseYaml(source(`x: &x 1\nl: [${"*x, ".repeat(1001)}]\n`)).diagnostics[0]?.code).toBe("too-many-aliases");
	});

	it("finds one duplicate among many keys without comparing all pairs", async () => {
		const keys = Array.from({ length: 60_000 }, (_, index) => `k${index}: v`);
		const ms = await cpuMs(() => {
			const parsed = parseYaml(source([...keys, "k7: w"].join("\n")));
			expect(parsed.diagnostics.map(({ code }) => code)).toEqual(["duplicate-key"]);
		});
		expect(ms).toBeLessThan(within(20_000));
	});

	it("never throws, and reports a problem whenever it returns no tree", () => {
		const piece = fc.constantFrom(
			"a",
			":",
			" ",
			"\n",
			"- ",
			"[",
			"]",
			"{",
			"}",
			'"',
			"'",
			"&x",
			"*x",
			"<<",
			"#",
			"|",
			"\t",
			"!",
			"?",
			"---",
			"%",
			"é",
			"😀",
		);
		fc.assert(
			fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
				const parsed = parseYaml(source(pieces.join("")));
				if (parsed.diagnostics.some(({ severity }) => severity === "error")) expect(parsed.root).toBeUndefined();
				for (const { line, column, message, remedy } of parsed.diagnostics) {
					expect(line).toBeGreaterThan(0);
					expect(column).toBeGreaterThan(0);
					expect(message && remedy).toBeTruthy();
				}
			}),
		);
	});
});

describe("front matter", () => {
	it("agrees with pi on every file that pi can split", () => {
		const key = fc.constantFrom("id", "name", "tools", "x-y");
		const value = fc.constantFrom("a", "'b'", "[c, d]", "1", "true", '"e: f"', "\n  - g\n  - h", "|\n  text", "");
		const line = fc.tuple(key, value).map(([name, content]) => `${name}: ${content}`);
		const text = fc
			.record({
				start: fc.constantFrom("---", "--- ", "----", "\ufeff---"),
				fields: fc.uniqueArray(line, { selector: (written) => written.split(":")[0], maxLength: 4 }),
				end: fc.constantFrom("---", "--- ", "---\n---", "----"),
				body: fc.constantFrom("", "Body", "\n\n  Body\n\n", "a\n---\nb", "# x: y"),
				newline: fc.constantFrom("\n", "\r\n", "\r"),
			})
			.map(({ start, fields, end, body, newline }) =>
				[start, ...fields, end, body].join("\n").replaceAll("\n", newline),
			);
		fc.assert(
			fc.property(text, (written) => {
				const pi = parseFrontmatter(written);
				const ours = parseFrontMatter(source(written), "optional");
				expect(lines(ours)).toEqual([]);
				expect(plain(ours.fields) ?? {}).toEqual(pi.frontmatter);
				expect(ours.body).toBe(pi.body.trim());
			}),
		);
	});

	it("gives places within the whole file", () => {
		const text = "---\nid: a\nid: b\n---\n\n  Body";
		const front = parseFrontMatter(source(text));
		expect(lines(front)[0]).toContain("f.yaml:3:1");
		expect(text.slice(front.bodyStart)).toBe("Body");
	});

	it.each([
		[
			"torn apart by a formatter",
			"## <!-- gather.md -->\n\nid: gather\nname: Gather\n\n---\n\nText",
			/starts with `## <!-- gather.md -->`/,
			/Make line 1 `---`/,
		],
		["missing", "Just text.", /starts with `Just text.`/, /Make line 1 `---`/],
		["after an empty line", "\n---\nid: a\n---\nx", /precedes the `---`/, /first characters/],
		["never closed", "---\nid: a\n\nText", /never ends/, /`---` between/],
		["empty", "---\n---\nText", /empty/, /key: value/],
		["a list", "---\n- a\n---\nText", /does not consist/, /key: value/],
		["on the line of the dashes", "---id: a\nname: b\n---\nx", /only `---`/, /separate lines/],
		["of an empty file", "", /empty/, /`---`/],
	])("explains fields that are %s", (_, text, message, remedy) => {
		const front = parseFrontMatter(source(text));
		expect(front.fields).toBeUndefined();
		expect(front.diagnostics[0]?.message).toMatch(message);
		expect(front.diagnostics[0]?.remedy).toMatch(remedy);
		expect(front.diagnostics[0]?.line).toBeGreaterThan(0);
	});
});

describe("JSON", () => {
	it("takes comments, trailing commas and JSON5, and gives places", () => {
		const text = '// head\n{\n\t"a": 1, /* b */\n\tb: [\'x\', .5,],\n\t"__proto__": null,\n}\n';
		const parsed = parseJson(source(text));
		expect(lines(parsed)).toEqual([]);
		const root = parsed.root?.kind === "map" ? parsed.root : undefined;
		expect([...(root?.entries.keys() ?? [])]).toEqual(["a", "b", "__proto__"]);
		expect(plain(root?.entries.get("b")?.value)).toEqual(["x", 0.5]);
		expect(source(text).place(root?.entries.get("b")?.keyStart ?? 0)).toMatchObject({ line: 4, column: 2 });
	});

	it.each([
		["a missing comma", '{"a": 1 "b": 2}', "f.yaml:1:7", /not allowed/],
		["a word", '{"a": tru}', "f.yaml:1:7", /`tru`/],
		["a duplicate key", '{"a": 1, "b": {"c": 2, "c": 3}}', "f.yaml:1:24", /`c` is duplicated/],
		["a cut text", '{\n"a": [1,\n', "f.yaml:3:1", /end with a \]/],
		["nothing", "", "f.yaml:1:1", /empty/],
		["only a comment", "// x\n", "f.yaml:1:1", /empty/],
		["two values", "{}{}", "f.yaml:1:3", /Unexpected/],
		["depth without end", "[".repeat(100_000), "f.yaml:1:", /nested/],
		["depth that is closed", "[".repeat(200) + "]".repeat(200), "f.yaml:1:", /nested/],
	])("explains %s", (_, text, place, message) => {
		const parsed = parseJson(source(text));
		expect(parsed.root).toBeUndefined();
		expect(lines(parsed)[0]).toContain(place);
		expect(parsed.diagnostics[0]?.message).toMatch(message);
	});

	it("reads back everything that JSON.stringify writes", () => {
		fc.assert(
			fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
				const written = JSON.stringify(value, null, "\t");
				expect(JSON.stringify(plain(parseJson(source(written)).root))).toBe(JSON.stringify(JSON.parse(written)));
			}),
		);
	});

	it("never throws on torn text", () => {
		const whole = JSON.stringify({ a: [1, "x\u2028", { b: null }], "c d": true });
		for (let end = 0; end <= whole.length; end += 1) {
			const parsed = parseJson(source(whole.slice(0, end)));
			expect(parsed.root === undefined).toBe(end < whole.length);
		}
	});
});
