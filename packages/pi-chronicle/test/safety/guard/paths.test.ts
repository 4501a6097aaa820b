// Paths that a pattern matches.
import { describe, expect, it } from "vitest";
import { compilePaths } from "../../../src/safety/guard/match/path-matcher.ts";
import type { PathEnvironment } from "../../../src/safety/guard/match/path-pattern.ts";
import type { PathException, PathRule, RuleSet } from "../../../src/safety/guard/rules/rule-set.ts";

const host: PathEnvironment = {
	home: "/home/ann",
	platform: "linux",
	env: (name) => ({ HOME: "/home/ann", SECRETS: "/srv/secrets" })[name],
	real: (path) => path.replace(/^\/home\/ann\/\.ssh/, "/home/ann/dotfiles/ssh"),
};

function rule(pattern: string): PathRule {
	return {
		kind: "path",
		limit: "zero",
		pattern,
		syntax: "glob",
		base: "/srv/app",
		name: pattern,
		reason: "",
		decision: "deny",
		dryRun: false,
		origin: { file: "/rules.yaml", line: 1 },
	};
}

function matches(
	pattern: string,
	path: string,
	options: Partial<RuleSet & PathEnvironment> = {},
	limit: PathRule["limit"] = "zero",
): boolean {
	const { matching = "segments", foldCase, exceptions = [], ...other } = options;
	const matcher = compilePaths(
		{ paths: [{ ...rule(pattern), limit }], exceptions, matching, foldCase },
		{ ...host, ...other },
		() => () => new Set(),
	);
	return matcher.rulesFor(path, "change").length > 0;
}

const cases: readonly [pattern: string, yes: readonly string[], no: readonly string[]][] = [
	[
		".env",
		["/srv/app/.env", "/srv/app/pkg/.env", "/.env", "/srv/app/.env/inner"],
		["/srv/app/.env.example", "/srv/app/.env.local", "/srv/app/environment", "/srv/app/x.env", "/srv/app/.ENV"],
	],
	["*.env", ["/a/x.env", "/a/.env", "/a/b.env/c"], ["/a/.env.example", "/a/env"]],
	[".env.*.local", ["/a/.env.x.local"], ["/a/.env.local", "/a/.env.x.locals"]],
	["*.pem", ["/a/server.pem", "/a/.pem"], ["/a/server.pem.pub", "/a/pem"]],
	["docker-compose.*.yml", ["/a/docker-compose.prod.yml"], ["/a/docker-compose.yml", "/a/docker-composeXprod.yml"]],
	[
		"dist/",
		["/srv/app/dist", "/srv/app/dist/x.js", "/srv/app/pkg/dist/x.js", "/dist"],
		["/srv/app/distribution/x.js", "/srv/app/mydist", "/srv/app/dist.js"],
	],
	["*.app/", ["/a/My.app/Contents/x"], ["/a/My.apple"]],
	["~/.ssh/", ["/home/ann/.ssh", "/home/ann/.ssh/id_rsa"], ["/home/bob/.ssh", "/home/ann/.sshx", "/srv/app/.ssh"]],
	["~/.ssh/", ["/home/ann/dotfiles/ssh/id_rsa"], ["/home/ann/dotfiles/ssh2/id_rsa"]],
	["$HOME/.aws", ["/home/ann/.aws/credentials"], ["/home/ann/.awsx"]],
	[["$", "{HOME}/.aws"].join(""), ["/home/ann/.aws"], []],
	["$SECRETS/", ["/srv/secrets/a"], ["/srv/secret"]],
	["/etc/", ["/etc", "/etc/passwd"], ["/srv/etc/passwd", "/etcetera"]],
	["/", ["/anything"], []],
	["/Users/ann/notes/*", ["/Users/ann/notes/a", "/Users/ann/notes/a/b"], ["/Users/ann/notes", "/Users/ann/notebook/a"]],
	["secrets/*.json", ["/a/secrets/x.json", "/secrets/x.json"], ["/a/secrets/x/y.json", "/a/secretsx/x.json"]],
	["secrets/**/*.json", ["/a/secrets/x.json", "/a/secrets/x/y/z.json"], ["/a/secrets/x.txt"]],
	["**/.env", ["/a/b/.env", "/.env"], ["/a/.env.x"]],
	["/srv/**/keys", ["/srv/keys", "/srv/a/keys/b", "/srv/a/b/keys"], ["/srv/a/key", "/opt/keys"]],
	["conf/**", ["/a/conf/x", "/a/conf"], ["/a/config"]],
	["./README.md", ["/srv/app/README.md"], ["/srv/app/pkg/README.md", "/README.md"]],
	["./docs/", ["/srv/app/docs", "/srv/app/docs/a"], ["/srv/app/pkg/docs/a"]],
	["a/b", ["/x/a/b", "/x/a/b/c"], ["/x/a/c/b", "/x/ab"]],
	["*.{key,p12}", ["/a/x.key", "/a/x.p12"], ["/a/x.key2"]],
	["id_[re]*", ["/a/id_rsa", "/a/id_ed25519"], ["/a/id_x"]],
	["[!.]*.txt", ["/a/b.txt"], ["/a/.b.txt"]],
	["file?.md", ["/a/file1.md"], ["/a/file.md", "/a/file12.md"]],
	["na me", ["/a/na me/x"], ["/a/name"]],
	["[", ["/a/["], ["/a/x"]],
	["a*b*c", ["/x/aXbYbZc"], ["/x/aXcYb"]],
	["it's.{a,b}", ["/x/it's.a", "/x/it's.b"], ["/x/it's.c"]],
	["?.md", ["/x/\u{1f600}.md"], ["/x/ab.md"]],
];

describe("path patterns", () => {
	it.each(cases.flatMap(([pattern, yes]) => yes.map((path) => [pattern, path] as const)))(
		"%s matches %s",
		(pattern, path) => {
			expect(matches(pattern, path)).toBe(true);
		},
	);
	it.each(cases.flatMap(([pattern, , no]) => no.map((path) => [pattern, path] as const)))(
		"%s does not match %s",
		(pattern, path) => {
			expect(matches(pattern, path)).toBe(false);
		},
	);

	it("ignore case and normalization if the system does, and on request", () => {
		for (const options of [{ platform: "darwin" as const }, { platform: "win32" as const }, { foldCase: true }]) {
			expect(matches(".env", "/a/.ENV", options)).toBe(true);
			expect(matches("~/.ssh/", "/HOME/ann/.SSH/id_rsa", options)).toBe(true);
			expect(matches("caf\u00e9.txt", "/a/cafe\u0301.txt", options)).toBe(true);
		}
		expect(matches(".env", "/a/.ENV", { platform: "darwin", foldCase: false })).toBe(false);
	});

	it("match Windows paths with either slash", () => {
		const windows = { platform: "win32" as const, home: "C:\\Users\\ann", real: (path: string) => path };
		expect(matches("C:\\Users\\ann\\.ssh\\", "C:\\Users\\ann\\.ssh\\id_rsa", windows)).toBe(true);
		expect(matches("~/.ssh/", "c:\\users\\ann\\.ssh\\id_rsa", windows)).toBe(true);
		expect(matches("%USERPROFILE%\\.aws\\", "C:\\Users\\ann\\.aws\\credentials", windows)).toBe(true);
		expect(matches("*.pem", "D:\\x\\server.pem", windows)).toBe(true);
		expect(matches("secrets/x", "D:\\secrets\\x", windows)).toBe(true);
		expect(matches("C:\\Users\\ann\\.ssh\\", "C:\\Users\\ann\\.sshx\\y", windows)).toBe(false);
	});

	it("match anywhere in a path on request", () => {
		const options = { matching: "substring" as const };
		expect(matches(".env", "/a/.env.example", options)).toBe(true);
		expect(matches("node_modules/", "/a/node_modules", options)).toBe(true);
		expect(matches("a*z", "/a/b/c/z", options)).toBe(true);
		expect(matches(".env", "/a/env", options)).toBe(false);
	});

	it("match every spelling that Windows resolves to the same path", () => {
		const windows = { platform: "win32" as const, home: "C:/Users/ann" };
		for (const path of ["\\.env.", "\\.env ", "\\.env...", "\\.ENV::$DATA", "\\.env:x"])
			expect(matches(".env", `C:\\code${path}`, windows), path).toBe(true);
		for (const path of ["\\\\?\\C:", "\\\\.\\C:", "\\\\localhost\\C$", "\\\\127.0.0.1\\c$", "c:"])
			expect(matches("C:\\Secrets\\", `${path}\\secrets\\a`, windows), path).toBe(true);
		expect(matches("dist/", "C:\\code\\dist.\\x.js", windows)).toBe(true);
		expect(matches(".env", "C:\\code\\.env.example", windows)).toBe(false);
		expect(matches(".env", "/srv/.env.")).toBe(false);
	});

	it("respect exceptions, those of one file only for that file", () => {
		const exception = (of: PathException["of"], access: PathException["access"] = "all"): PathException => ({
			pattern: "node_modules/",
			base: "/srv/app",
			access,
			limits: "all",
			of,
			origin: { file: "/rules.yaml", line: 1 },
		});
		const path = "/srv/app/node_modules/x/test.pem";
		expect(matches("*.pem", path, { exceptions: [exception("every-file")] })).toBe(false);
		expect(matches("*.pem", path, { exceptions: [exception({ file: "/rules.yaml" })] })).toBe(false);
		expect(matches("*.pem", path, { exceptions: [exception({ file: "/other.yaml" })] })).toBe(true);
		expect(matches("*.pem", path, { exceptions: [exception("every-file", "read")] })).toBe(true);
		const ofZero = { ...exception("every-file"), limits: "zero" as const };
		expect(matches("*.pem", path, { exceptions: [ofZero] })).toBe(false);
		expect(matches("*.pem", path, { exceptions: [ofZero] }, "read-only")).toBe(true);
	});

	it("take bounded time for hostile patterns and names", () => {
		const pattern = `${"*a".repeat(40)}b`;
		// The processor's time: a busy machine makes nothing slow here.
		const started = process.cpuUsage();
		expect(matches(pattern, `/x/${"a".repeat(20_000)}`)).toBe(false);
		expect(matches(`${"**/a/".repeat(20)}b`, `/${"a/".repeat(2000)}c`)).toBe(false);
		expect(matches("{a,b}".repeat(40), `/x/${"a".repeat(40)}`)).toBe(false);
		expect(process.cpuUsage(started).user / 1000).toBeLessThan(1000);
	});

	it("take the names of the project's folders literally", () => {
		for (const folder of ["/srv/[app]", "/srv/a{b,c}", "/srv/it's", "/srv/$x", "/srv/back\\slash", "/srv/a*b"]) {
			const at = (pattern: string) => matches(pattern, `${folder}/keys/id`, { home: folder, real: (path) => path });
			expect([folder, at("~/keys/"), at("~/{keys,x}/*"), at("~/k?ys")]).toEqual([folder, true, true, true]);
		}
		expect(matches("~/keys", "/srv/axb/keys", { home: "/srv/a*b", real: (path) => path })).toBe(false);
	});
});
