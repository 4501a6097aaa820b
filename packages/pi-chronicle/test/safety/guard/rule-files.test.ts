// Rule files in the forms in use: locations, meaning, diagnostics.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
	blockingProblems,
	deserializeRules,
	hashRules,
	locateRules,
	type RuleSet,
	readRules,
	serializeRules,
} from "../../../src/safety/index.ts";
import { needsNoRoot } from "../../harness/needs.ts";

let root: string;
beforeEach(() => {
	root = mkdtempSync(join(tmpdir(), "rules-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function put(path: string, text: string): string {
	const file = join(root, path);
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, text);
	return file;
}

function read(text: string, tier: "global" | "project" = "project"): RuleSet {
	const file = put(`${tier}/.pi/damage-control-rules.yaml`, text);
	return readRules([{ file, tier, base: join(root, tier) }], "linux");
}

function problems(rules: RuleSet): string[] {
	return rules.diagnostics.map(({ severity, code, line, column }) => `${severity} ${code} ${line}:${column}`);
}

describe("the classic form of rule files", () => {
	it("has four lists, reasons, ask and line numbers", () => {
		const rules = read(`bashToolPatterns:
  - pattern: '\\brm\\s+-[rRf]'
    reason: no recursive rm
  - pattern: '\\bgit\\s+stash\\s+drop\\b'
    reason: loses a stash
    ask: true
zeroAccessPaths:
  - ".env"
  - ~/.ssh/
readOnlyPaths: [dist/, "*.lock"]
noDeletePaths:
  - .git/
`);
		expect(problems(rules)).toEqual([]);
		expect(rules.closed).toBe(false);
		expect(rules.commands.map(({ pattern, decision, origin }) => [pattern, decision, origin.line])).toEqual([
			["\\brm\\s+-[rRf]", "deny", 2],
			["\\bgit\\s+stash\\s+drop\\b", "ask", 4],
		]);
		expect(rules.paths.map(({ limit, pattern, origin }) => [limit, pattern, origin.line])).toEqual([
			["zero", ".env", 8],
			["zero", "~/.ssh/", 9],
			["read-only", "dist/", 10],
			["read-only", "*.lock", 10],
			["no-delete", ".git/", 12],
		]);
	});

	it("has the additions of known forks", () => {
		const rules = read(`dryRun: true
strict: true
bashToolPatterns:
  - { pattern: a, reason: b, dryRun: true }
  - { pattern: c, reason: d, platforms: [win32] }
  - { pattern: e, reason: f, platforms: [linux] }
  - pattern: (?i)DROP TABLE
    reason: g
zeroAccessPaths:
  - { path: "*.pem", reason: keys, ask: true }
  - "C:\\\\Users\\\\ann\\\\.ssh\\\\"
  - "/Users/ann/notes/*"
zeroAccessExclusions: [node_modules/]
allowReadPaths: [.env.test]
`);
		expect(problems(rules)).toEqual([]);
		expect(rules.strict).toBe(true);
		expect(rules.commands.map(({ pattern, flags, dryRun }) => [pattern, flags, dryRun])).toEqual([
			["a", "", true],
			["e", "", true],
			["DROP TABLE", "i", true],
		]);
		expect(rules.paths[0]).toMatchObject({ pattern: "*.pem", decision: "ask", reason: "keys", dryRun: true });
		expect(rules.exceptions.map(({ pattern, access }) => [pattern, access])).toEqual([
			["node_modules/", "all"],
			[".env.test", "read"],
		]);
	});

	it.each<[string, string, readonly string[]]>([
		["an alias", 'zeroAccessPaths:\n  - *.env\n  - ".ssh/" # keys\n', [".ssh/"]],
		["an open bracket", "zeroAccessPaths: [.env, a.key\n", [".env", "a.key"]],
		["an open quote", 'zeroAccessPaths: [.env]\nreadOnlyPaths: ["dist/\n', [".env"]],
		["an exception too", "zeroAccessPaths:\n  - .env\n x: [\nallowedPaths: [.env]\n", [".env"]],
		["a key twice", "noDeletePaths: [a]\nnoDeletePaths: [b]\n", ["a"]],
	])("keeps what the parser read of a file with %s, and no exceptions", (_title, text, places) => {
		const rules = read(text);
		expect(rules.closed).toBe(true);
		expect(rules.paths.map(({ pattern }) => pattern)).toEqual(expect.arrayContaining([...places]));
		expect(rules.exceptions).toEqual([]);
	});

	it.each<[string, string, readonly string[]]>([
		["a misspelled key", "zeroAccessPath: [.env]\n", [".env"]],
		["a misspelled key", "readOnlyPath:\n  - dist/\n", ["dist/"]],
		["a map of lists", "zeroAccessPaths: {secrets: [.env], keys: ['*.pem']}\n", [".env", "*.pem"]],
		["a rule outside a list", "bashToolPatterns: {pattern: '\\brm\\b', reason: no}\n", ["\\brm\\b"]],
	])("applies the likely meaning of %s at once: %s", (_title, text, patterns) => {
		const rules = read(text);
		expect(rules.closed).toBe(true);
		expect([...rules.paths, ...rules.commands].map(({ pattern }) => pattern)).toEqual(patterns);
	});

	it("reports an entry that has swallowed the next one", () => {
		const rules = read("zeroAccessPaths:\n  - .env\n    - .npmrc\n  - a - b\n");
		expect(rules.closed).toBe(true);
		expect(rules.diagnostics.map(({ code, line, column }) => [code, line, column])).toEqual([
			["swallowed-entry", 3, 5],
		]);
	});

	it("reads expressions between slashes", () => {
		const rules = read(`bashToolPatterns:
  - '/rm\\s+-rf/i'
  - '/drop table/gi'
  - '/a|b/'
  - '/etc/'
  - 'rm /tmp/x/'
`);
		expect(rules.diagnostics).toEqual([]);
		expect(rules.commands.map(({ pattern, flags }) => [pattern, flags])).toEqual([
			["rm\\s+-rf", "i"],
			["drop table", "i"],
			["a|b", ""],
			["/etc/", ""],
			["rm /tmp/x/", ""],
		]);
	});

	it("distinguishes path patterns from expressions", () => {
		const rules = read(`protected_paths:
  read_only: ["**/secrets.*", "config.*", "*.pem"]
sensitivePaths: ['.*secret.*', '\\.env$']
`);
		expect(rules.diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
		expect(rules.paths.map(({ pattern, syntax }) => [pattern, syntax])).toEqual([
			["**/secrets.*", "glob"],
			["config.*", "glob"],
			["*.pem", "glob"],
			[".*secret.*", "regex"],
			["\\.env$", "regex"],
		]);
	});

	it("reads effects by name", () => {
		const rules = read(`effects:
  recursive-delete: { decision: deny, reason: no, except: [dist/] }
  git-force-push: ask
  publish: off
`);
		expect(problems(rules)).toEqual([]);
		expect(rules.effects.map(({ effect, decision, except }) => [effect, decision, except])).toEqual([
			["recursive-delete", "deny", ["dist/"]],
			["git-force-push", "ask", []],
		]);
	});

	it("reads CRLF, a byte order mark, comments and four spaces", () => {
		const rules = read("\ufeffzeroAccessPaths:\r\n    # secrets\r\n    - .env\r\n");
		expect(problems(rules)).toEqual([]);
		expect(rules.paths).toHaveLength(1);
	});
});

describe("forms related to the classic one", () => {
	it("translates blocked_commands and protected_paths", () => {
		const rules = read(`blocked_commands:
  - pattern: "rm -rf /"
    message: "no"
  - pattern: "git push --force"
    message: "use the lease"
protected_paths:
  read_only: ["*.pem", "**/.env"]
  no_delete: ["*.csproj"]
`);
		expect(rules.closed).toBe(false);
		expect(problems(rules)).toEqual(["warning dialect 1:1"]);
		expect(rules.files[0]?.dialect).toContain("blocked_commands");
		expect(rules.paths.map(({ limit, pattern }) => [limit, pattern])).toEqual([
			["read-only", "*.pem"],
			["read-only", "**/.env"],
			["no-delete", "*.csproj"],
		]);
		const [root, push] = rules.commands.map(({ pattern, flags }) => new RegExp(pattern, flags));
		expect(root?.test("rm -rf /")).toBe(true);
		expect(root?.test("rm   -rf /*")).toBe(true);
		expect(root?.test("rm -rf /tmp/x")).toBe(false);
		expect(push?.test("git push --force origin main")).toBe(true);
		expect(push?.test("git push --force-with-lease")).toBe(false);
	});

	it("translates destructiveCommands and sensitivePaths, which are expressions", () => {
		const rules = read(`destructiveCommands:
  - "\\\\bgit\\\\s+reset\\\\s+--hard\\\\b"
sensitivePaths:
  - "(^|/)\\\\.ssh(/|$)"
  - "(^|/)id_rsa$"
  - "*.pem"
`);
		expect(rules.closed).toBe(false);
		expect(rules.commands.map(({ pattern }) => pattern)).toEqual(["\\bgit\\s+reset\\s+--hard\\b"]);
		expect(rules.paths.map(({ limit, syntax, pattern }) => [limit, syntax, pattern])).toEqual([
			["zero", "regex", "(^|/)\\.ssh(/|$)"],
			["zero", "regex", "(^|/)id_rsa$"],
			["zero", "glob", "*.pem"],
		]);
	});

	it.each([
		["askPatterns: ['git push']", "ask"],
		["approval_required: ['git push*']", "ask"],
		["denied-commands: ['git push']", "deny"],
		["bashToolPatterns:\n  ask: [{pattern: 'git push', reason: x}]", "ask"],
		["bashToolPatterns:\n  block: ['git push']", "deny"],
		["bashToolPatterns: [{pattern: 'git push', action: confirm}]", "ask"],
	])("reads %s as %s", (text, decision) => {
		const rules = read(text);
		expect(rules.closed).toBe(false);
		expect(rules.commands.map((rule) => rule.decision)).toEqual([decision]);
	});

	it.each([
		["blocked_paths: [a]", "zero"],
		["ReadOnlyPaths: [a]", "read-only"],
		["protectedPaths: [a]", "read-only"],
		["no_delete_paths: [a]", "no-delete"],
		["sensitive_files: [a]", "zero"],
	])("reads %s as %s", (text, limit) => {
		const rules = read(text);
		expect(rules.closed).toBe(false);
		expect(rules.paths.map((rule) => rule.limit)).toEqual([limit]);
	});
});

describe("an error closes the guard and reports its place:", () => {
	it.each<[string, string, string]>([
		["broken YAML", "zeroAccessPaths:\n  - 'a' | 'b'\n", "error syntax 2:9"],
		["an unquoted star", "zeroAccessPaths:\n  - .env\n  - *.pem\n", "error unknown-alias 3:5"],
		["an unknown key", "zeroAccessPaths: [.env]\nzeroAcessPath: [x]\n", "error unknown-key 2:1"],
		["only unknown keys", "batchPatterns: []\n", "error unknown-key 1:1"],
		["a text for a list", 'zeroAccessPaths: ".env"\n', "error wrong-type 1:18"],
		["a map for a list", "zeroAccessPaths:\n  a: b\n", "error wrong-type 2:3"],
		["an empty entry", "zeroAccessPaths:\n  - ~\n  - .env\n", "error wrong-type 2:5"],
		["an entry that is a list", "zeroAccessPaths:\n  - [a]\n", "error wrong-type 2:5"],
		["a bad expression", "bashToolPatterns:\n  - pattern: '('\n    reason: x\n", "error bad-pattern 2:5"],
		["a rule without a pattern", "bashToolPatterns:\n  - reason: x\n", "error wrong-type 2:5"],
		["an unknown field", "bashToolPatterns:\n  - pattern: x\n    aks: true\n", "error unknown-key 3:5"],
		["an `ask` that is not a boolean", "bashToolPatterns:\n  - pattern: x\n    ask: maybe\n", "error wrong-type 3:10"],
		["a number for the file", "7\n", "error wrong-type 1:1"],
		["a list for the file", "- a\n", "error wrong-type 1:1"],
		["a key given twice", "zeroAccessPaths: [a]\nzeroAccessPaths: [b]\n", "error duplicate-key 2:1"],
		["an unknown effect", "effects:\n  recursive-delet: deny\n", "error unknown-key 2:3"],
		["an unknown decision", "effects:\n  publish: never\n", "error wrong-value 2:12"],
		["a `strict` that is not a boolean", "strict: yes please\n", "error wrong-type 1:9"],
		[
			"a comma in a text within braces",
			"effects:\n  publish: { decision: ask, reason: a, b c }\n",
			"error unknown-key 2:40",
		],
		["an unknown group", "protected_paths:\n  readonlly: [a]\n", "error unknown-key 2:3"],
	])("%s", (_name, text, expected) => {
		const rules = read(text);
		expect(problems(rules)).toContain(expected);
		expect(rules.closed).toBe(true);
		expect(blockingProblems(rules)).not.toEqual([]);
		for (const { message, remedy } of rules.diagnostics) {
			expect(message).toMatch(/^[A-Z`].*[.?]$/s);
			expect(remedy).toMatch(/\S/);
		}
	});

	it("while readable rules stay in force", () => {
		const rules = read(
			"zeroAccessPaths:\n  - .env\n  - ~\nreadOnlyPaths: dist/\nbashToolPatterns: [{pattern: '('}, {pattern: ok}]\n",
		);
		expect(rules.paths.map(({ pattern }) => pattern)).toEqual([".env", "dist/"]);
		expect(rules.commands.map(({ pattern }) => pattern)).toEqual(["ok"]);
		expect(rules.closed).toBe(true);
	});

	it("a directory, an unreadable file and a dangling link don't count as no rules", () => {
		const directory = join(root, "d", ".pi", "damage-control-rules.yaml");
		mkdirSync(directory, { recursive: true });
		const link = join(root, "l", ".pi", "damage-control-rules.yaml");
		mkdirSync(dirname(link), { recursive: true });
		symlinkSync(join(root, "nowhere"), link);
		for (const [cwd, code] of [
			[join(root, "d"), "is-a-directory"],
			[join(root, "l"), "dead-link"],
		] as const) {
			const rules = readRules(locateRules({ cwd, home: join(root, "home"), agentDir: undefined }), "linux");
			expect(rules.diagnostics.map((problem) => problem.code)).toContain(code);
			expect(rules.closed).toBe(true);
		}
	});

	it("an unreadable file doesn't count as no rules", needsNoRoot, () => {
		const file = put("p/.pi/damage-control-rules.yaml", "zeroAccessPaths: [a]\n");
		chmodSync(file, 0);
		const rules = readRules(locateRules({ cwd: join(root, "p"), home: root, agentDir: undefined }), "linux");
		expect(rules.closed).toBe(true);
	});

	it("an empty file is reported", () => {
		for (const text of ["", "# nothing yet\n", "zeroAccessPaths: []\n"]) {
			const rules = read(text);
			expect(rules.diagnostics.map(({ code }) => code)).toEqual(["no-rules"]);
			expect(rules.closed).toBe(false);
		}
	});
});

describe("locations of rule files", () => {
	const at = (cwd: string) =>
		locateRules({ cwd: join(root, cwd), home: join(root, "home"), agentDir: join(root, "home/.pi/agent") }).map(
			({ file, tier }) => `${tier} ${file.slice(root.length + 1)}`,
		);

	it("are searched upward to the repository's root and no further, the user's own first", () => {
		mkdirSync(join(root, "home/repo/.git"), { recursive: true });
		mkdirSync(join(root, "home/repo/a/b"), { recursive: true });
		put("home/.pi/damage-control-rules.yaml", "strict: true\n");
		put("home/.pi/agent/damage-control-rules.yaml", "strict: true\n");
		put("home/repo/.pi/damage-control-rules.yaml", "strict: true\n");
		put("home/repo/a/.pi/damage-control-rules.yml", "strict: true\n");
		expect(at("home/repo/a/b")).toEqual([
			"global home/.pi/damage-control-rules.yaml",
			"global home/.pi/agent/damage-control-rules.yaml",
			"project home/repo/.pi/damage-control-rules.yaml",
			"project home/repo/a/.pi/damage-control-rules.yml",
		]);
		put(".pi/damage-control-rules.yaml", "strict: true\n");
		mkdirSync(join(root, "other/.git"), { recursive: true });
		expect(at("other")).toEqual([
			"global home/.pi/damage-control-rules.yaml",
			"global home/.pi/agent/damage-control-rules.yaml",
		]);
	});

	it("may have no file", () => {
		mkdirSync(join(root, "home/x/.git"), { recursive: true });
		expect(at("home/x")).toEqual([]);
	});
});

describe("several rule files", () => {
	it("add up: a project adds rules and removes none", () => {
		const mine = put(
			"home/.pi/damage-control-rules.yaml",
			"zeroAccessPaths: [.env]\nselfProtection: ask\npathMatching: substring\nstrict: true\n",
		);
		const theirs = put(
			"repo/.pi/damage-control-rules.yaml",
			"zeroAccessPaths: []\nreadOnlyPaths: [dist/]\nselfProtection: off\nnestedAgents: off\nzeroAccessExclusions: [.env]\ncaseInsensitive: false\npathMatching: segments\ndryRun: true\nstrict: false\n",
		);
		const rules = readRules(
			[
				{ file: mine, tier: "global", base: root },
				{ file: theirs, tier: "project", base: root },
			],
			"linux",
		);
		expect(rules.paths.map(({ pattern }) => pattern)).toEqual([".env", "dist/"]);
		expect(rules.selfProtection).toBe("ask");
		expect(rules.nestedAgents).toBe("deny");
		expect(rules).toMatchObject({ matching: "substring", strict: true, foldCase: undefined });
		expect(rules.paths.map(({ dryRun }) => dryRun)).toEqual([false, true]);
		expect(rules.exceptions[0]?.of).toEqual({ file: theirs });
		expect(rules.diagnostics.map(({ code }) => code)).toEqual(["only-global", "only-global"]);
		expect(rules.closed).toBe(false);
	});
});

describe("frozen rules", () => {
	it("round-trip unchanged, under their hash only", () => {
		const rules = read("zeroAccessPaths: [.env]\nbashToolPatterns: [{pattern: a, reason: b}]\n");
		const text = serializeRules(rules);
		const hash = hashRules(rules);
		expect(hash).toMatch(/^[0-9a-f]{16}$/);
		expect(deserializeRules(text, hash)).toEqual(JSON.parse(JSON.stringify(rules)));
		expect(hashRules(deserializeRules(text, hash))).toBe(hash);
		expect(() => deserializeRules(text.replace(".env", ".enw"), hash)).toThrow(/hash/);
		expect(hashRules(read("zeroAccessPaths: [.env]\n"))).not.toBe(hash);
	});
});
