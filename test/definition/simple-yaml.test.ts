// The fast way through simple YAML gives what the real parser gives, or nothing.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Node, openSource } from "../../src/definition/index.ts";
import { parseSimpleYaml } from "../../src/definition/simple-yaml.ts";
import { parseAnyYaml } from "../../src/definition/yaml.ts";
import { runs } from "../harness/runs.ts";

/** Everything about a tree that anyone uses. */
function shape(node: Node | undefined): unknown {
	if (!node) return undefined;
	const { kind, start } = node;
	if (node.kind === "scalar") return { kind, start, end: node.end, value: node.value, written: node.written };
	if (node.kind === "list") return { kind, start, items: node.items.map(shape) };
	return { kind, start, entries: [...node.entries].map(([key, entry]) => [key, entry.keyStart, shape(entry.value)]) };
}

function compare(text: string): "simple" | "left" {
	const base = 4;
	const simple = parseSimpleYaml(text, base);
	if (!simple) return "left";
	const real = parseAnyYaml(openSource("/f", `---\n${text}`), { start: base, end: base + text.length });
	expect(real.diagnostics).toEqual([]);
	expect(shape(simple)).toEqual(shape(real.root));
	return "simple";
}

describe("simple YAML", () => {
	it.each([
		'id: scan\nname: Deep scan\nemoji: "🔍"\ntools:\n  blacklist:\n    - edit\n    - write\navailableProfiles:\n- scout\n- "planner"\n',
		"name: It's a (small) one, really!\ncount: 50\nloopable: false\npath: ../_shared/a.md\n",
		"# comment\n\na: b   \n  # another\nlist:\n  - one\n\n  - 'two'\nlast: x",
	])("takes %j", (text) => {
		expect(compare(text)).toBe("simple");
	});

	it.each([
		"a: |\n  text\n",
		"a: [b]\n",
		"a: b: c\n",
		"a: b # c\n",
		"a:\n",
		"a: ~\n",
		"a: Null\n",
		"a: TRUE\n",
		"a: 1.5\n",
		"a: 0x1f\n",
		"a: 007\n",
		"a: .inf\n",
		"a: -1\n",
		'a: "b\\n"\n',
		"a: b\n  c\n",
		"a: b\na: c\n",
		"a: *x\n",
		"a: b\n---\nc: d\n",
		"- a\n",
		"  a: b\n",
		"a:\n  - b\n - c\n",
		"a:\n  - b\n    c\n",
		"a:\n  - - b\n",
		"a:\n  - b: c\n",
		"a:\n   b: c\n  d: e\n",
		"a:\tb\n",
		"",
	])("leaves %j to the real parser", (text) => {
		expect(compare(text)).toBe("left");
	});

	it("agrees with the real parser on anything that it takes", () => {
		const word = fc.constantFrom(
			"a",
			"b-c",
			"d_1",
			"null",
			"true",
			"False",
			"1",
			"01",
			"1e3",
			"1_0",
			"0o7",
			".5",
			"../x",
			"-",
			"--",
			"- a",
			"?",
			"!x",
			"&x",
			"*x",
			"@x",
			"%x",
			"'q'",
			'"q"',
			"'it''s'",
			'"',
			"x'y",
			"a: b",
			"a :b",
			"a #b",
			"a#b",
			"#c",
			"[x]",
			"{x}",
			"x, y",
			"|",
			">",
			"é",
			"🔍",
			"\u00a0x",
			"a  b",
			"<<",
			"=",
			"a?",
			"~",
			"x\\y",
			"`x`",
			"...",
			"---",
		);
		const space = fc.constantFrom("", " ", "  ", "    ");
		const line = fc
			.tuple(
				space,
				fc.constantFrom("", "- ", "-  ", "-"),
				fc.constantFrom("", "", "k: ", "k:  ", "k:", "m: ", "n:", "2: ", "<<: ", "'k': "),
				word,
				space,
			)
			.map((parts) => parts.join(""));
		const fine = fc.tuple(fc.constantFrom(": ", ":   "), word, fc.constantFrom("", " ", "\n  - x", "\n  l: y"));
		const text = fc
			.array(fc.oneof({ weight: 5, arbitrary: fine }, { weight: 1, arbitrary: line }), { minLength: 1, maxLength: 4 })
			.map((parts) =>
				parts.map((part, index) => (typeof part === "string" ? part : `key${index}${part.join("")}`)).join("\n"),
			);
		const tries = runs(10);
		let taken = 0;
		fc.assert(
			fc.property(text, (written) => {
				if (compare(written) === "simple") taken += 1;
			}),
			{ numRuns: tries },
		);
		expect(taken).toBeGreaterThan(tries / 100);
	});

	it("agrees with the real parser on files as people write them", () => {
		const value = fc.oneof(
			fc.constantFrom(
				"edit",
				"read",
				"Deep scan",
				'"🔍"',
				"'x: y'",
				"50",
				"true",
				"false",
				"../_shared/p.md",
				"a-b_c",
				"What? Yes!",
			),
			fc.stringMatching(/^[A-Za-z][A-Za-z0-9 ._/,!?()'"-]{0,12}$/),
		);
		const key = fc.constantFrom("id", "name", "emoji", "tools", "blacklist", "x_y", "a-b");
		const list = fc
			.tuple(fc.array(value, { minLength: 1, maxLength: 3 }), fc.constantFrom("", "  ", "    "))
			.map(([items, indent]) => items.map((item) => `\n${indent}- ${item}`).join(""));
		const group = fc
			.tuple(
				key,
				fc.oneof(
					value.map((item) => ` ${item}`),
					list.map((items) => items.replaceAll("\n", "\n  ")),
				),
			)
			.map(([name, content]) => `\n  ${name}:${content}`);
		const entry = fc
			.tuple(
				key,
				fc.oneof(
					value.map((item) => ` ${item}`),
					list,
					group,
				),
			)
			.map(([name, content]) => `${name}:${content}`);
		const tries = runs(5);
		let taken = 0;
		fc.assert(
			fc.property(
				fc.array(entry, { minLength: 1, maxLength: 5 }),
				fc.constantFrom("", "\n", "\n\n# end\n"),
				(entries, end) => {
					if (compare(entries.join("\n") + end) === "simple") taken += 1;
				},
			),
			{ numRuns: tries },
		);
		expect(taken).toBeGreaterThan(tries / 4);
	});
});
