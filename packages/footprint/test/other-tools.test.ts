// Tools of other extensions and MCP servers: a walk over their arguments.
import { describe, expect, it } from "vitest";
import { accesses, doubts, harms, measured } from "./host-environment.ts";

const of = (tool: string, input: unknown) => accesses(measured({ tool, input }));

describe("arguments that look like paths", () => {
	it.each([
		["a home path", "mcp__fs__read_file", { path: "~/.ssh/id_rsa" }, ["read ~/.ssh/id_rsa"]],
		["an @", "mcp__fs__read_file", { path: "@~/.ssh/id_rsa" }, ["read ~/.ssh/id_rsa"]],
		["a link", "view", { file: "keys/id_rsa" }, ["read keys/id_rsa => ~/.ssh/id_rsa"]],
		["any key", "x", { what: "./.env" }, ["read .env"]],
		["a hidden name", "x", { what: ".env" }, ["read .env"]],
		["a name with an ending", "x", { what: "server.pem" }, ["read server.pem"]],
		["a list", "x", { paths: ["a", ".env"] }, ["read a", "read .env"]],
		["deep", "x", { a: { b: [{ file_path: ".env" }] } }, ["read .env"]],
		["a key that is a path", "x", { files: { "src/one.ts": "text" } }, ["read src/one.ts"]],
		["a file URL", "x", { uri: "file:///home/me/.ssh/id_rsa" }, ["read ~/.ssh/id_rsa"]],
		["a writing tool", "mcp__fs__write_file", { path: "a", content: "x" }, ["read a", "write a"]],
		["camel case", "createFile", { filePath: "new" }, ["read new", "write new"]],
		["a deleting tool", "delete_file", { path: "a" }, ["read a", "delete a"]],
		[
			"a moving tool",
			"move_file",
			{ source: "a", destination: "b" },
			["read a", "write a", "delete a", "read b", "write b", "delete b"],
		],
	])("%s", (_what, tool, input, expected) => {
		expect(of(tool, input)).toEqual(expected);
	});

	it.each([
		{ query: "how does process.env work" },
		{ url: "https://example.com/a/b" },
		{ text: "a sentence about .env files" },
		{ number: 3, flag: true, nothing: null },
		{ content: "line one\nline/two.ts\n" },
	])("exclude text: %j", (input) => {
		expect(of("search_web", input)).toEqual([]);
	});

	it("in a patch are written", () => {
		const patch = "*** Begin Patch\n*** Update File: src/one.ts\n@@\n-a\n+b\n*** Delete File: a\n*** End Patch";
		expect(of("apply_patch", { input: patch })).toEqual(expect.arrayContaining(["write src/one.ts", "write a"]));
		const diff = "--- a/src/two.ts\n+++ b/src/two.ts\n@@ -1 +1 @@\n-a\n+b\n";
		expect(of("patch_file", { diff })).toEqual(["read src/two.ts", "write src/two.ts"]);
	});
});

describe("commands among the arguments", () => {
	it.each([
		[{ command: "rm -rf src" }],
		[{ cmd: "rm -rf src" }],
		[{ script: "cd .; rm -rf src" }],
		[{ command: ["bash", "-lc", "rm -rf src"] }],
		[{ command: ["rm", "-rf", "src"] }],
		[{ command: "rm", args: ["-rf", "src"] }],
		[{ options: { command: "rm -rf src" } }],
	])("%j", (input) => {
		const footprint = measured({ tool: "mcp__shell__run", input });
		expect(accesses(footprint)).toContain("delete src/**");
		expect(harms(footprint)).toContain("recursive-delete");
	});

	it("run in the folder that the arguments name", () => {
		expect(of("run", { command: "rm one.ts", cwd: "src" })).toContain("delete src/one.ts");
		expect(of("run", { command: "cat id_rsa", workdir: "~/.ssh" })).toContain("read ~/.ssh/id_rsa");
	});
});

describe("the unknown effect of a tool", () => {
	it("is assumed for every such tool, regardless of its name", () => {
		expect(measured({ tool: "read_something", input: {} }).unknowns).toEqual([
			{ what: "tool", text: "read_something", may: ["read", "list", "write", "delete", "link"] },
		]);
	});

	it("is narrowed by annotations", () => {
		const may = (annotations: { readOnlyHint?: boolean; destructiveHint?: boolean }) =>
			measured({ tool: "x", input: {}, annotations }).unknowns[0]?.may;
		expect(may({ readOnlyHint: true })).toEqual(["read", "list"]);
		expect(may({ destructiveHint: false })).toEqual(["read", "list", "write", "link"]);
		expect(may({ destructiveHint: true })).toContain("delete");
	});

	it("does not hide a command given to a tool that declares itself read-only", () => {
		const footprint = measured({ tool: "x", input: { command: "rm a" }, annotations: { readOnlyHint: true } });
		expect(accesses(footprint)).toContain("delete a");
	});

	it("is assumed for too many arguments", () => {
		const input = { paths: Array.from({ length: 2000 }, (_, index) => `./f${index}`) };
		expect(doubts(measured({ tool: "x", input }))).toContain("syntax");
	});

	it("is assumed for endless nesting", () => {
		let input: unknown = ".env";
		for (let depth = 0; depth < 10_000; depth++) input = { a: input };
		expect(doubts(measured({ tool: "x", input }))).toContain("syntax");
	});
});

describe("many arguments", () => {
	const cost = (count: number) => {
		const input = { items: Array.from({ length: count }, (_, index) => `text number ${index} of many`) };
		const times = Array.from({ length: 5 }, () => {
			const before = process.cpuUsage();
			measured({ tool: "x", input });
			const { user, system } = process.cpuUsage(before);
			return (user + system) / 1000;
		});
		return Math.min(...times);
	};

	it("cost time in proportion to their number, and are bounded", () => {
		cost(500);
		expect(cost(8000)).toBeLessThan(100);
		expect(
			doubts(measured({ tool: "x", input: { items: Array.from({ length: 8000 }, (_, at) => `v ${at}`) } })),
		).toContain("syntax");
	});
});
