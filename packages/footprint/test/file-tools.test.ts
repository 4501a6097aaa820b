// pi's own file tools: the paths that they open.
import { describe, expect, it } from "vitest";
import { resolveReadPath } from "../src/paths.ts";
import { accesses, inMemory, measured, project } from "./host-environment.ts";

const read = (path: string) => accesses(measured({ tool: "read", input: { path } }));

describe("paths as the file tools of pi resolve them", () => {
	it.each([
		["one leading @", "@~/.ssh/id_rsa", "read ~/.ssh/id_rsa"],
		["only one @ is taken off", "@@a", "read @a"],
		["a link to a folder", "keys/id_rsa", "read keys/id_rsa => ~/.ssh/id_rsa"],
		["home alone", "~", "read ~"],
		["home of another user is not expanded", "~root/x", "read ~root/x"],
		["a file URL", "file:///home/me/.ssh/id_rsa", "read ~/.ssh/id_rsa"],
		["a file URL with escapes", "file:///home/me/%2essh/id_rsa", "read ~/.ssh/id_rsa"],
		["a file URL behind an @", "@file:///home/me/.ssh/id_rsa", "read ~/.ssh/id_rsa"],
		["dots", "src/../.env", "read .env"],
		["doubled slashes", "src//./one.ts", "read src/one.ts"],
		["absolute", "/etc/passwd", "read /etc/passwd"],
		["no glob is expanded", "*.pem", "read *.pem"],
		["no variable is expanded", "$HOME/.ssh", "read $HOME/.ssh"],
	])("%s", (_what, path, expected) => {
		expect(read(path)).toEqual([expected]);
	});

	it.each(["\u00a0", "\u2003", "\u202f", "\u3000"])("a Unicode space counts as a space (%j)", (blank) => {
		expect(read(`src/a${blank}b`)).toEqual(["read src/a b"]);
	});

	it.each([
		["NFD", "caf\u00e9", "cafe\u0301"],
		["a curly quote", "it's", "it\u2019s"],
		["both", "l'\u00e9t\u00e9", "l\u2019e\u0301te\u0301"],
		["a narrow blank before AM", "Shot 9 AM.png", "Shot 9\u202fAM.png"],
	])("read opens the other spelling if only that exists: %s", (_what, asked, there) => {
		const disk = { [`${project}/${there}`]: "file" };
		expect(resolveReadPath(asked, inMemory({ disk }))).toBe(`${project}/${there}`);
	});

	it("read prefers the exact spelling if it exists", () => {
		const disk = { [`${project}/it's`]: "file", [`${project}/it\u2019s`]: "file" };
		expect(resolveReadPath("it's", inMemory({ disk }))).toBe(`${project}/it's`);
	});

	it("a dangling link resolves to its target", () => {
		expect(accesses(measured({ tool: "write", input: { path: "dangling" } }))).toEqual([
			"write! dangling => ~/later/file",
		]);
	});

	it("a path that does not exist is resolved from its deepest existing ancestor", () => {
		expect(accesses(measured({ tool: "write", input: { path: "keys/new/deep" } }))).toEqual([
			"write! keys/new/deep => ~/.ssh/new/deep",
		]);
	});

	it("a URL that pi cannot convert to a path is unknown", () => {
		expect(measured({ tool: "read", input: { path: "file://host/x" } }).unknowns).toHaveLength(1);
	});

	it.each([
		["/c/Users/me/x", "C:\\Users\\me\\x"],
		["~\\x", "C:\\Users\\me\\x"],
		["a/b", "C:\\code\\a\\b"],
		["file:///C:/code/a", "C:\\code\\a"],
	])("on Windows, %s is %s", (path, expected) => {
		const place = {
			platform: "win32",
			cwd: "C:\\code",
			home: "C:\\Users\\me",
			disk: { "C:\\code\\a": "file" },
		} as const;
		expect(measured({ tool: "read", input: { path } }, place).accesses.map((touch) => touch.path)).toEqual([expected]);
	});
});

describe("effects of the file tools", () => {
	it.each([
		["read", { path: "a" }, ["read a"]],
		["write", { path: "new", content: "x" }, ["write! new"]],
		["edit", { path: "a", edits: [] }, ["read a", "write a"]],
		["grep", { pattern: "x" }, ["read ./**"]],
		["grep", { pattern: "x", path: "~" }, ["read ~/**"]],
		["find", { pattern: "id_*", path: "~/.ssh" }, ["list ~/.ssh/**"]],
		["ls", {}, ["list ."]],
		["ls", { path: "~/.ssh" }, ["list ~/.ssh"]],
	])("%s %j", (tool, input, expected) => {
		expect(accesses(measured({ tool, input }))).toEqual(expected);
	});

	it("a search is limited to its glob", () => {
		expect(measured({ tool: "grep", input: { pattern: "x", glob: ".e*" } }).accesses[0]).toMatchObject({
			only: [".e*"],
			skips: ["ignored"],
		});
		expect(measured({ tool: "find", input: { pattern: "*.pem" } }).accesses[0]).toMatchObject({ only: ["*.pem"] });
	});

	it.each(["read", "write", "edit"])("%s without a path accesses nothing: the agent refuses it", (tool) => {
		expect(measured({ tool, input: {} })).toMatchObject({ accesses: [], unknowns: [] });
	});

	it.each([undefined, null, 3, "x", []])("input %j does not throw", (input) => {
		for (const tool of ["read", "grep", "bash", "powershell", "mcp__x"])
			expect(() => measured({ tool, input })).not.toThrow();
	});
});
