// Credentials and pi's own folder in a home folder that is the project: never stored, restored, deleted or copied, whatever patterns say.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { credentialFiles } from "@pi-chronicle/core/snapshot";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { agentExclusions } from "../../../src/local/workspace/index.ts";
import { openFolder } from "../../harness/folder.ts";
import { patient } from "../../harness/patience.ts";
import { runs } from "../../harness/runs.ts";
import { openFilesStage, value } from "./stage.ts";

const everywhere = [
	...[".ssh/id_ed25519", ".ssh/config", ".gnupg/private-keys-v1.d/a.key", ".aws/credentials", ".aws/sso/cache/a.json"],
	...[
		".kube/config",
		".docker/config.json",
		".config/gh/hosts.yml",
		".config/gcloud/access_tokens.db",
		".netrc",
		".pypirc",
	],
	...[
		".azure/msal_token_cache.json",
		".git-credentials",
		".config/git/credentials",
		".pgpass",
		".vault-token",
		".cargo/credentials.toml",
	],
	...[
		".bash_history",
		".zsh_history",
		".python_history",
		".node_repl_history",
		".local/share/fish/fish_history",
		".psql_history",
	],
	...[
		".codex/auth.json",
		".claude/.credentials.json",
		".gem/credentials",
		".terraform.d/credentials.tfrc.json",
		".SSH/id_rsa",
	],
];
const atHome = [
	".npmrc",
	".yarnrc.yml",
	".docker/contexts/a",
	".kube/other",
	".aws/config",
	"auth.json",
	".m2/settings.xml",
];
const agent = [".pi/agent/auth.json", ".pi/agent/sessions/a/b.jsonl", ".pi/agent/settings.json"];
const ofProject = [
	...[
		"src/auth.json",
		"locales/en/auth.json",
		"docker/config.json",
		"ssh/config",
		".docker/nginx.conf",
		"aws/credentials.ts",
	],
	...[
		".config/gh.txt",
		"history",
		"bash_history.md",
		".github/workflows/ci.yml",
		".pi/agents/a.md",
		"kube/config",
		".netrc.md",
	],
];

const inHome = credentialFiles([""]);

describe("the table of credentials", () => {
	const inProject = credentialFiles([]);
	const aboveHomes = credentialFiles(["home/*", "root"]);

	it.each(everywhere)("has %s, in any folder", (path) => {
		for (const prefix of ["", "a/", "home/u/", "a b/c/"]) expect(inProject(`${prefix}${path}`)).toBe(true);
	});

	it.each(atHome)("has %s in a home folder only", (path) => {
		expect([inHome(path), aboveHomes(`home/u/${path}`), aboveHomes(`root/${path}`)]).toEqual([true, true, true]);
		expect([inProject(path), inHome(`a/${path}`)]).toEqual([false, false]);
	});

	it.each(ofProject)("leaves %s to the project", (path) => {
		expect(inProject(path)).toBe(false);
	});
});

/** A home folder that is the project. */
function openHome() {
	const stage = openFilesStage();
	vi.stubEnv("HOME", stage.root);
	vi.stubEnv("USERPROFILE", stage.root);
	const sessions = join(stage.root, ".pi", "chronicle");
	const leftOut = [sessions, ...agentExclusions(join(stage.root, ".pi", "agent"))];
	return { stage, leftOut };
}

const never = fc.constantFrom(...everywhere.filter((path) => path !== ".SSH/id_rsa"), ...atHome, ...agent);

it(
	"in a home folder, no snapshot, rewind, child or join touches one of them",
	async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.uniqueArray(never, { minLength: 2, maxLength: 6 }),
				fc.uniqueArray(fc.constantFrom(...ofProject.filter((path) => !inHome(path))), { minLength: 1, maxLength: 3 }),
				fc.constantFrom("nothing", "included", "tracked", "kept secrets"),
				async (secrets, plain, how) => {
					const { stage, leftOut } = openHome();
					const [made = "", ...before] = secrets;
					for (const path of [...before, ...plain]) stage.write(path, "SECRET 1\n");
					if (how === "included") stage.write(".gitignore", "!.ssh/\n!.*\n!**\n");
					if (how === "tracked") stage.repository(".");
					const options = { leftOut, ...(how === "kept secrets" ? { secrets: "kept" as const } : {}) };
					const children = join(openFolder(), "work");
					const workspace = stage.open({ ...options, children });
					const start = await value(workspace.snapshot());
					expect([...stage.entries(start.tree).keys()].filter((path) => secrets.includes(path))).toEqual([]);
					expect([...stage.entries(start.tree).keys()]).toEqual(expect.arrayContaining(plain));

					const child = await value(workspace.openChild("one", start.tree, { links: [] }));
					for (const path of secrets) expect(existsSync(join(child.cwd, path))).toBe(false);
					writeFileSync(join(child.cwd, plain[0] ?? ""), "of the child\n");
					const ended = await value(stage.openChild(child.cwd, "one", options).snapshot());
					const names = { ours: "a", theirs: "b" };
					await value(workspace.join({ from: child.tree, to: ended.tree, names }));
					expect(stage.read(plain[0] ?? "")).toBe("of the child\n");

					// A login changes, one is added, while the run works.
					for (const path of before) stage.write(path, "SECRET 2\n");
					stage.write(made, "SECRET 2\n");
					await value(workspace.restore(start.tree));
					for (const path of secrets) expect(stage.read(path)).toBe("SECRET 2\n");
					for (const path of plain) expect(stage.read(path)).toBe("SECRET 1\n");
				},
			),
			{ numRuns: runs(0.03) },
		);
	},
	patient(120_000),
);

it("a snapshot of an earlier version that holds them restores and copies none of them", async () => {
	const { stage, leftOut } = openHome();
	stage.write(".bash_history", "old\n");
	stage.write(".pi/agent/auth.json", "old\n");
	stage.write("a.txt", "1\n");
	vi.stubEnv("HOME", openFolder());
	const index = join(openFolder(), "old-index");
	const workspace = stage.open({ leftOut });
	await value(workspace.snapshot());
	const env = { GIT_DIR: stage.store, GIT_INDEX_FILE: index };
	for (const [name, text] of Object.entries(env)) vi.stubEnv(name, text);
	stage.git(".", "--work-tree=.", "add", "-f", "a.txt", ".bash_history", ".pi/agent/auth.json");
	const old = stage.git(".", "write-tree");
	for (const name of Object.keys(env)) vi.stubEnv(name, undefined);
	stage.write(".bash_history", "new\n");
	stage.write("a.txt", "2\n");

	const child = await value(workspace.openChild("one", old, { links: [] }));
	expect([existsSync(join(child.cwd, ".bash_history")), readFileSync(join(child.cwd, "a.txt"), "utf8")]).toEqual([
		false,
		"1\n",
	]);
	expect(await value(workspace.preview(old, 10))).toMatchObject({ changes: [{ path: "a.txt" }], left: [] });
	await value(workspace.restore(old));
	expect([stage.read(".bash_history"), stage.read("a.txt")]).toEqual(["new\n", "1\n"]);
});
