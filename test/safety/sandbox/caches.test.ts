// Caches of package managers in the sandbox, where the home directory cannot be written. Runs commands in a real box.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { probeSandbox } from "../../../src/safety/index.ts";
import { cacheOptions, wrapCommand } from "../../../src/safety/sandbox/index.ts";
import { needsProgram } from "../../harness/needs.ts";

const sandbox = await probeSandbox();
let root: string;
let home: string;
let temporary: string;

beforeAll(() => {
	root = realpathSync(mkdtempSync(join(tmpdir(), "caches-")));
	[home, temporary] = [join(root, "home"), join(root, "temp")];
	mkdirSync(temporary);
	const stored = {
		".cargo/config.toml": "config",
		".cargo/registry/index": "index",
		".cache/ms-playwright/browser": "browser",
		".cache/pip/wheel": "wheel",
		".gradle/gradle.properties": "properties",
		"go/pkg/mod/cache/download/module": "module",
	};
	for (const [path, text] of Object.entries(stored)) {
		mkdirSync(dirname(join(home, path)), { recursive: true });
		writeFileSync(join(home, path), text);
	}
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Runs a command in a box in which only the temporary folder can be written, and the home directory's `writable` folders. */
function run(command: string, writable: readonly string[] = [], variables: Record<string, string> = {}): string {
	if (!sandbox) throw new Error("no sandbox");
	const env: Record<string, string | undefined> = { PATH: process.env.PATH, HOME: home, ...variables };
	const options = cacheOptions({ home, temporary, writable, env: (name) => env[name] });
	const text = wrapCommand(
		command,
		{ ...sandbox, options: [...sandbox.options, ...options] },
		{ writable: [temporary, ...writable], readonly: [] },
	);
	return execFileSync("bash", ["-c", text], { env, cwd: home, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

const variables =
	"XDG_CACHE_HOME PIP_CACHE_DIR UV_CACHE_DIR GOCACHE GOLANGCI_LINT_CACHE GOMODCACHE YARN_CACHE_FOLDER YARN_GLOBAL_FOLDER npm_config_cache BUN_INSTALL_CACHE_DIR DENO_DIR COMPOSER_CACHE_DIR CARGO_HOME GRADLE_USER_HOME NUGET_PACKAGES BUNDLE_USER_CACHE";

describe("caches in the sandbox", needsProgram("bwrap", sandbox), () => {
	it("can be written, where those of the home directory cannot", () => {
		const script = `for name in ${variables}; do [ -n "\${!name}" ] && echo x > "\${!name}/x" || echo "$name"; done; touch ~/x 2>&1 || echo kept`;
		expect(run(script).trim().split("\n").at(-1)).toBe("kept");
		expect(run(script).trim().split("\n")).toHaveLength(2);
		expect(existsSync(join(home, "x"))).toBe(false);
	});

	it("still have what is stored and read: settings, browsers, crates, modules", () => {
		const read =
			'cat "$CARGO_HOME"/{config.toml,registry/index} "$XDG_CACHE_HOME/ms-playwright/browser" "$GRADLE_USER_HOME/gradle.properties" "$' +
			'{GOPROXY%%,*}"; echo "$GRADLE_RO_DEP_CACHE $MAVEN_ARGS"';
		const text = run(read.replace('"${GOPROXY%%,*}"', '"$(printf %s "${GOPROXY%%,*}" | sed s,file://,,)/module"'));
		expect(text).toContain("configindexbrowserpropertiesmodule");
		expect(text).toContain(`${home}/.gradle/caches -Dmaven.repo.local=`);
		expect(text).toContain(`-Dmaven.repo.local.tail=${home}/.m2/repository`);
	});

	it("stay where they are if they can be written, also where a variable of the user names them", () => {
		const shown = 'echo "$XDG_CACHE_HOME|$PIP_CACHE_DIR|$npm_config_cache|$NPM_CONFIG_CACHE"';
		expect(run(shown, [join(home, ".cache")])).toMatch(/^\|\|\/.*\/npm_config_cache\|\n$/);
		expect(run(shown, [], { NPM_CONFIG_CACHE: "/x", PIP_CACHE_DIR: join(home, "pip") })).toMatch(
			/^\/.*\/XDG_CACHE_HOME\|\/.*\/PIP_CACHE_DIR\|\/.*\/npm_config_cache\|\n$/,
		);
		expect(run(shown, [join(home, "own")], { PIP_CACHE_DIR: join(home, "own/pip") })).toContain(`|${home}/own/pip|`);
	});

	it("let npm read a project", () => {
		mkdirSync(join(home, "project"), { recursive: true });
		writeFileSync(join(home, "project/package.json"), '{ "name": "p", "version": "1.2.3" }');
		expect(run("cd project && npm ls --json")).toContain('"1.2.3"');
		expect(existsSync(join(home, ".npm"))).toBe(false);
	});
});
