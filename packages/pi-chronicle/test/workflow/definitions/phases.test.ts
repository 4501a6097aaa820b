// Phase files: fields, limits on tools in every notation, diagnostics.
import { describe, expect, it } from "vitest";
import { checkToolNames, type ToolLimits } from "../../../src/workflow/definitions/index.ts";
import { openTree, phaseFile, workflowFiles, workflowYaml } from "./tree.ts";

function loadPhase(content: string) {
	const tree = openTree({ "global/x/workflow.yaml": workflowYaml(["a.md"]), "global/x/a.md": content });
	const catalogue = tree.load();
	const entry = catalogue.definitions.get("x")?.entries[0];
	return {
		catalogue,
		phase: entry?.kind === "phase" ? entry : undefined,
		said: tree.lines(catalogue.diagnostics).join("\n"),
	};
}

describe("a phase file", () => {
	it("gives its fields and its trimmed body", () => {
		const { phase, said } = loadPhase(
			'---\nid: scan\nname: " Deep  scan "\nemoji: "?"\ntools:\n  blacklist: [edit]\navailableProfiles:\n  - scout\n  - 7\nautoContinue: false\n---\n\n# Scan\n\n{description}\n\n',
		);
		expect(said).toBe("");
		expect(phase).toMatchObject({
			kind: "phase",
			id: "scan",
			name: "Deep scan",
			emoji: "?",
			instructions: "# Scan\n\n{description}",
			tools: { kind: "blacklist", names: ["edit"], shell: "judged" },
			profiles: ["scout", "7"],
			autoContinue: false,
		});
		expect(Object.isFrozen(phase)).toBe(true);
	});

	it("has no limits and no profiles by default", () => {
		expect(loadPhase(phaseFile("a")).phase).toMatchObject({
			tools: { kind: "free" },
			profiles: [],
			autoContinue: undefined,
		});
	});

	it("with a byte order mark and CRLF equals one with LF", () => {
		const content = phaseFile("a", "tools:", "  whitelist:", "    - read").replace("Do a.", "Do a.\n\nThen b.");
		const plain = loadPhase(content).phase;
		const other = loadPhase(`\ufeff${content.replaceAll("\n", "\r\n")}`).phase;
		expect(plain?.instructions).toBe("Do a.\n\nThen b.");
		expect({ ...other, file: "" }).toEqual({ ...plain, file: "" });
	});

	it("a workflow.yaml with a byte order mark and CRLF loads", () => {
		const tree = openTree({
			"global/x/workflow.yaml": `\ufeff${workflowYaml(["a.md"], { initialMessage: "|\n  Line one\n  Line two" }).replaceAll("\n", "\r\n")}`,
			"global/x/a.md": phaseFile("a"),
		});
		expect(tree.load().definitions.get("x")?.initialMessage).toBe("Line one\nLine two\n");
	});

	it.each([
		["no id", "---\nname: A\nemoji: e\n---\nDo.", "global/x/a.md:2:1 `id` is missing."],
		["no name", "---\nid: a\nemoji: e\n---\nDo.", "`name` is missing."],
		["no emoji", "---\nid: a\nname: A\n---\nDo.", "`emoji` is missing."],
		["an empty emoji", "---\nid: a\nname: A\nemoji: ''\n---\nDo.", "`emoji` is empty."],
		["an emoji without a value", "---\nid: a\nname: A\nemoji:\n---\nDo.", "global/x/a.md:4:1 `emoji` has no value."],
		["a blank id", "---\nid: '  '\nname: A\nemoji: e\n---\nDo.", "`id` is empty."],
		["an empty body", "---\nid: a\nname: A\nemoji: e\n---\n\n  \n", "has no instructions"],
		[
			"a numeric id",
			"---\nid: 1\nname: A\nemoji: e\n---\nDo.",
			'global/x/a.md:2:5 `id` must be a string, but is the number 1. — Put it in quotes: `"1"`.',
		],
		["a truth value as name", "---\nid: a\nname: true\nemoji: e\n---\nDo.", 'Put it in quotes: `"true"`'],
		["a star as emoji", "---\nid: a\nname: A\nemoji: *\n---\nDo.", "global/x/a.md:4:8"],
		[
			"fields torn apart by a formatter",
			"## <!-- a.md -->\n\nid: a\nname: A\n\n---\n\nDo.",
			"global/x/a.md:1:1 The file starts with",
		],
		["front matter that never ends", "---\nid: a\nname: A\n\nDo.", "never ends"],
		["no content", "", "The file is empty."],
		["an id with a control character", '---\nid: "a\\e[31m"\nname: A\nemoji: e\n---\nDo.', "control character"],
		[
			"a duplicate key",
			"---\nid: a\nid: b\nname: A\nemoji: e\n---\nDo.",
			"global/x/a.md:3:1 The key `id` is duplicated",
		],
		["autoContinue: no", "---\nid: a\nname: A\nemoji: e\nautoContinue: no\n---\nDo.", "Write `false`"],
	])("%s → skipped, with field and file named", (_, content, expected) => {
		const { phase, catalogue, said } = loadPhase(content);
		expect(phase).toBeUndefined();
		expect(said).toContain(expected);
		expect(said).toContain("global/x/a.md");
		expect(said).toMatch(/workflow.yaml:5:5 Workflow `x` does not load because its phase file `a.md` has/);
		expect([...catalogue.rejected.keys()]).toEqual(["x"]);
	});

	it("a value with an inner colon is read, with a warning", () => {
		const { phase, said } = loadPhase("---\nid: a\nname: Use when: asked\nemoji: e\n---\nDo.");
		expect(phase?.name).toBe("Use when: asked");
		expect(said).toContain("global/x/a.md:3:7 warning:");
	});

	it("a misspelled variable in a body is reported, code in braces is not", () => {
		const { phase, said } = loadPhase(
			`${phaseFile("a")}\nOn {descripton}; const {foo} = \${bar}; {phaseInstructions}\n`,
		);
		expect(phase).toBeDefined();
		expect(said.split("\n")).toEqual([
			expect.stringMatching(
				/a.md:9:4 warning: `{descripton}` is not a variable and is not replaced. Did you mean `{description}`\?/,
			),
			expect.stringMatching(/a.md:9:40 warning: `{phaseInstructions}` is not a variable/),
		]);
	});

	it("ids must be unique within a workflow, and may repeat across workflows", () => {
		const tree = openTree({
			...workflowFiles("global/parent", ["a", "@child"]),
			...workflowFiles("global/child", ["a"], { show: "workflows" }),
			"global/twice/workflow.yaml": workflowYaml(["one.md", "two.md"], { commandName: "twice" }),
			"global/twice/one.md": phaseFile("same"),
			"global/twice/two.md": phaseFile("same"),
			"global/again/workflow.yaml": workflowYaml(["one.md", "./one.md"], { commandName: "again" }),
			"global/again/one.md": phaseFile("one"),
		});
		const catalogue = tree.load();
		expect([...catalogue.definitions.keys()]).toEqual(["child", "parent"]);
		const said = tree.lines(catalogue.diagnostics);
		expect(said).toEqual([
			expect.stringMatching(/^global\/again\/workflow.yaml:6:5 .*`again`.*`one`/),
			expect.stringMatching(
				/^global\/twice\/workflow.yaml:6:5 Workflow `twice` has two phases with the id `same`: `one.md` and `two.md`/,
			),
		]);
	});
});

describe("limits on tools", () => {
	const shell = "judged";
	const both = (kind: "whitelist" | "blacklist"): ToolLimits => ({ kind, names: ["read", "grep"], shell });
	const readable: [string, string[], ToolLimits][] = [
		["a comma list", ["tools: read, grep"], both("whitelist")],
		["a flow list", ["tools: [read, grep]"], both("whitelist")],
		["a flow list in quotes", ['tools: ["read","grep"]'], both("whitelist")],
		["a block list", ["tools:", "  - read", "  - grep"], both("whitelist")],
		["a lone tool", ["tools: read"], { kind: "whitelist", names: ["read"], shell }],
		["a whitelist as comma list", ["tools:", "  whitelist: read, grep"], both("whitelist")],
		["a whitelist as flow list", ["tools: {whitelist: [read, grep]}"], both("whitelist")],
		["a whitelist as block list", ["tools:", "  whitelist:", "    - read", '    - "grep"'], both("whitelist")],
		["a blacklist as comma list", ["tools:", "  blacklist: read, grep"], both("blacklist")],
		["a blacklist as flow list", ["tools: {blacklist: ['read', grep]}"], both("blacklist")],
		["a name given twice", ["tools: {blacklist: [read, grep, read]}"], both("blacklist")],
		["an empty whitelist", ["tools: {whitelist: []}"], { kind: "whitelist", names: [], shell }],
		["an empty blacklist", ["tools: {blacklist: []}"], { kind: "blacklist", names: [], shell }],
		["globs", ["tools: {whitelist: ['mcp__*', read]}"], { kind: "whitelist", names: ["mcp__*", "read"], shell }],
		[
			"a shell rule",
			["tools: {blacklist: [edit], shell: strict}"],
			{ kind: "blacklist", names: ["edit"], shell: "strict" },
		],
		[
			"the way out for shells",
			["tools: {whitelist: [bash], shell: unrestricted}"],
			{ kind: "whitelist", names: ["bash"], shell: "unrestricted" },
		],
		["capabilities", ["tools: {allow: [exec, read]}"], { kind: "capabilities", may: ["read", "exec"] }],
		["one capability", ["tools: {allow: read}"], { kind: "capabilities", may: ["read"] }],
		["capabilities with commas", ["tools: {allow: 'read, write'}"], { kind: "capabilities", may: ["read", "write"] }],
		[
			"capabilities as block list",
			["tools:", "  allow:", "    - read", "    - read"],
			{ kind: "capabilities", may: ["read"] },
		],
		["no capability", ["tools: {allow: []}"], { kind: "capabilities", may: [] }],
	];
	it.each(readable)("%s are read", (_, lines, expected) => {
		const { phase, said } = loadPhase(phaseFile("a", ...lines));
		expect(said).toBe("");
		expect(phase?.tools).toEqual(expected);
	});

	const refused: [string, string[], string][] = [
		[
			"blacklist: edit",
			["tools:", "  blacklist: edit"],
			"a.md:6:14 `tools.blacklist` must be a list of names, but is a string. — Write `blacklist: [edit]`.",
		],
		["whitelist: edit", ["tools:", "  whitelist: 'edit'"], "Write `whitelist: [edit]`"],
		["whitelist: 1", ["tools: {whitelist: 1}"], "but is the number 1"],
		["an object as blacklist", ["tools: {blacklist: {edit: true}}"], "but is an object"],
		["a blacklist without a value", ["tools:", "  blacklist:"], "but is nothing"],
		[
			"a misspelt list",
			["tools:", "  blackist: [edit]"],
			"a.md:6:3 `blackist` in `tools` is not a known limit. Did you mean `blacklist`?",
		],
		["another word for it", ["tools: {deny: [edit]}"], "`deny` in `tools` is not a known limit"],
		["a list of lists", ["tools: {blacklist: [[edit]]}"], "An entry of `tools.blacklist` is a list"],
		["a list with a gap", ["tools:", "  blacklist:", "    - edit", "    -"], "is nothing"],
		["tools: without a value", ["tools:"], "a.md:5:1 `tools` has no value."],
		["tools: true", ["tools: true"], "`tools` must be a list of names"],
		["names without a comma", ["tools: {blacklist: [edit write]}"], "`edit write` contains a space. — Separate names"],
		["names without a comma in a text", ["tools: read grep"], "Separate names"],
		["an exception", ["tools: {whitelist: ['*', '!edit']}"], "these lists have no exceptions"],
		[
			"the list on the line of its key",
			["tools:", "  whitelist: - edit - write"],
			"Unexpected `- ` on same line with key",
		],
		["a blacklist outside tools", ["blacklist: [edit]"], "Unknown field `blacklist`."],
		["tool for tools", ["tool: {blacklist: [edit]}"], "Did you mean `tools`?"],
		["Tools for tools", ["Tools: {blacklist: [edit]}"], "Did you mean `tools`?"],
		["allowed-tools", ["allowed-tools: read"], "Unknown field `allowed-tools`."],
		["disallowedTools", ["disallowedTools: [edit]"], "Unknown field `disallowedTools`."],
		["permissions", ["permissions: {deny: [edit]}"], "Unknown field `permissions`."],
		["read-only", ["read-only: true"], "Write limits below `tools:`"],
		["limits under a word of one's own", ["rules: {blacklist: [edit]}"], "Unknown field `rules`. — Write limits below"],
		["a list of tools under a word of one's own", ["never:", "  - edit", "  - write"], "Write limits below `tools:`"],
		["a key in other letters", ["t\u043e\u043els: {blacklist: [edit]}"], "Write limits below `tools:`"],
		["forbidden", ["forbidden: edit"], "Write limits below `tools:`"],
		["arguments of a tool", ["tools: {blacklist: ['bash(rm *)']}"], "contains parentheses"],
		["a bracket in a name", ["tools:", "  blacklist:[edit]"], "contains `:`"],
		["a quote in a name", ['tools: {blacklist: [edit", write]}'], 'contains `"`'],
		["a key without its colon", ["tools:", "  whitelist"], "Put a colon after it"],
		["autoContinue without a value", ["autoContinue:"], "`autoContinue` has no value"],
		["both lists", ["tools: {blacklist: [edit], whitelist: [read]}"], "`tools` has both `blacklist` and `whitelist`"],
		["both lists, empty", ["tools: {whitelist: [], blacklist: []}"], "`tools` has both `blacklist` and `whitelist`"],
		["a list and allow", ["tools: {blacklist: [edit], allow: [read]}"], "`tools` has both `blacklist` and `allow`"],
		["a shell rule alone", ["tools: {shell: strict}"], "has no list of tools"],
		["an unknown shell rule", ["tools: {blacklist: [edit], shell: strct}"], "Did you mean `strict`?"],
		["a shell rule next to allow", ["tools: {allow: [read], shell: strict}"], "`shell` has no effect with `allow`"],
		[
			"an unknown capability",
			["tools: {allow: [read, wirte]}"],
			"`wirte` in `tools.allow` is not a capability. Did you mean `write`?",
		],
		["a tool as capability", ["tools: {allow: [read, bash]}"], "to list tools by name use `whitelist`"],
	];
	it.each(refused)("%s → skipped, never without limits", (_, lines, expected) => {
		const { phase, catalogue, said } = loadPhase(phaseFile("a", ...lines));
		expect(phase).toBeUndefined();
		expect(catalogue.definitions.size).toBe(0);
		expect(said).toContain(expected);
		expect(said).toContain("Workflow `x` does not load because its phase file `a.md`");
	});

	it("an empty object limits nothing and is reported", () => {
		const { phase, said } = loadPhase(phaseFile("a", "tools: {}"));
		expect(phase?.tools).toEqual({ kind: "free" });
		expect(said).toContain("warning: `tools` is an empty object");
	});

	it("a name that differs from a pi tool only by case is reported at load", () => {
		const { phase, said } = loadPhase(phaseFile("a", "tools: {blacklist: [Edit, Bash]}"));
		expect(phase).toBeDefined();
		expect(said).toContain(
			"a.md:5:21 warning: Tool names are case-sensitive, and no tool is called `Edit`. — Write `edit`.",
		);
	});

	it("names of missing tools are reported on request, with the closest one", () => {
		const { catalogue } = loadPhase(
			phaseFile("a", "tools: {whitelist: [read, serch, 'mcp__*', 'lsp-*', workflow_step]}"),
		);
		const found = checkToolNames(catalogue, ["read", "search", "mcp__files__list"]);
		expect(found.map(({ code, severity, line, message }) => [code, severity, line, message])).toEqual([
			[
				"unknown-tool",
				"warning",
				5,
				"Phase `a` limits `serch`, but this session has no such tool. Did you mean `search`?",
			],
			["unknown-tool", "warning", 5, "Phase `a` limits `lsp-*`, but this session has no such tool."],
		]);
	});
});
