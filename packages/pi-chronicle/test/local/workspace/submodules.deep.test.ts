// Submodules and other repositories inside the project, in the folder of a child and at the join.

import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { resolveAddress } from "../../../src/local/workspace/submodules.ts";
import { sampled } from "../../harness/deep-it.ts";
import { openFolder } from "../../harness/folder.ts";
import { needsPosix } from "../../harness/needs.ts";
import { patient } from "../../harness/patience.ts";
import { joinChild, look, openCase, repository } from "./ending-child.ts";
import { type FilesStage, gitAuthor, value } from "./stage.ts";

const local = ["-c", "protocol.file.allow=always"];

function git(cwd: string, ...args: string[]): string {
	const ran = spawnSync("git", [...local, ...args], { cwd, encoding: "utf8", env: { ...process.env, ...gitAuthor } });
	return `${ran.status} ${ran.stdout}${ran.status === 0 ? "" : ran.stderr}`.trim();
}

/** A library with a submodule of its own. */
function library(): string {
	const [inner, outer] = [openFolder(), openFolder()];
	repository(inner);
	repository(outer);
	git(outer, "submodule", "add", "-q", inner, "inner");
	git(outer, "commit", "-qm", "inner");
	return outer;
}

it.each([
	["https://h/a/lib.git", "https://h/x/app.git", "https://h/a/lib.git"],
	["../lib.git", "https://h/x/app.git", "https://h/x/lib.git"],
	["../../y/lib.git", "https://h/x/app.git/", "https://h/y/lib.git"],
	["./lib", "/srv/app", "/srv/app/lib"],
	["../lib.git", "git@h:app.git", "git@h:lib.git"],
	["../lib.git", "git@h:x/app.git", "git@h:x/lib.git"],
	["../lib", "/home/me/app", "/home/me/lib"],
])("the address %s of a submodule of %s is %s", (address, base, resolved) => {
	expect(resolveAddress(address, base)).toBe(resolved);
});

/** A project with the submodule `lib`, one that is not fetched (`later`), and the repository `vendor/own`, which is no submodule. */
function withSubmodules(stage: FilesStage): void {
	const outer = library();
	git(stage.root, "init", "-q");
	writeFileSync(join(stage.root, ".gitignore"), ".pi/\ndist/\n");
	// As it is next to the project's remote.
	git(stage.root, "remote", "add", "origin", join(dirname(outer), "app.git"));
	for (const name of ["lib", "later"]) git(stage.root, "submodule", "add", "-q", `../${basename(outer)}`, name);
	git(stage.root, "submodule", "update", "--init", "--recursive", "lib");
	git(stage.root, "add", "-A");
	git(stage.root, "commit", "-qm", "all");
	git(stage.root, "submodule", "deinit", "-q", "-f", "later");
	repository(join(stage.root, "vendor/own"));
}

describe("submodules in the folder of a child", { timeout: patient(60_000) }, () => {
	it(
		"have their files at their commit, are named, and are unchanged by the child's git and a join",
		needsPosix,
		async () => {
			const made = await openCase(withSubmodules);
			const { root } = made.child;
			const before = [look(made.stage.root), git(made.stage.root, "submodule", "status", "--recursive")];
			for (const path of ["lib/own.txt", "lib/inner/own.txt", "vendor/own/own.txt"])
				expect([path, existsSync(join(root, path))]).toEqual([path, true]);
			expect(made.child.notes.join("\n")).toMatch(
				/`lib` is a submodule, copied[\s\S]*`vendor\/own` is a repository of its own, copied/,
			);
			expect(made.child.notes.join("\n")).toContain("`git submodule update --init later` fetches them");
			// As in the project: nothing is changed, and each is at its commit.
			expect(git(root, "status", "--porcelain")).toBe("0");
			const heads = (folder: string) => git(join(folder, "lib"), "rev-parse", "HEAD");
			expect(heads(root)).toBe(heads(made.stage.root));
			// As in a sandbox.
			chmodSync(join(root, ".git/config"), 0o400);
			const settings = readFileSync(join(root, ".git/config"), "utf8");
			expect(git(root, "submodule", "status")).toMatch(/^0 -\S+ later\n \S+ lib/);
			expect(git(root, "submodule", "update", "--init", "later")).toMatch(/^0/);
			expect(readFileSync(join(root, ".git/config"), "utf8")).toBe(settings);
			expect(readFileSync(join(root, "later/own.txt"), "utf8")).toBe("own\n");
			expect(git(root, "submodule", "update", "--init", "--recursive", "lib")).toMatch(/^0/);
			writeFileSync(join(root, "b.txt"), "b\n");
			const joined = await joinChild(made);
			expect([joined.kept, joined.left, made.stage.read("b.txt")]).toEqual([[], [], "b\n"]);
			rmSync(join(made.stage.root, "b.txt"));
			expect([look(made.stage.root), git(made.stage.root, "submodule", "status", "--recursive")]).toEqual(before);
			expect(await value(made.parent.removeChildren([]))).toEqual([]);
		},
	);

	it.each<[string, string, (root: string) => void]>(
		sampled([
			["an edit", "lib", (root) => writeFileSync(join(root, "lib/own.txt"), "changed\n")],
			[
				"a commit",
				"lib",
				(root) => {
					writeFileSync(join(root, "lib/own.txt"), "changed\n");
					git(join(root, "lib"), "commit", "-qam", "changed");
				},
			],
			[
				"a commit on a branch that is left",
				"lib",
				(root) => {
					git(join(root, "lib"), "checkout", "-qb", "side");
					git(join(root, "lib"), "commit", "-q", "--allow-empty", "-m", "side");
					git(join(root, "lib"), "checkout", "-q", "--detach", "HEAD~1");
				},
			],
			["an edit of an inner one", "lib/inner", (root) => writeFileSync(join(root, "lib/inner/own.txt"), "changed\n")],
			[
				"an edit of a repository that is no submodule",
				"vendor/own",
				(root) => writeFileSync(join(root, "vendor/own/new.txt"), "new\n"),
			],
		]),
	)("stay in its folder, named, if the child changes them: %s", async (_, path, change) => {
		const made = await openCase(withSubmodules);
		const before = look(made.stage.root);
		change(made.child.root);
		const { kept } = await joinChild(made);
		expect(kept).toMatchObject([
			{ path: made.child.root, files: [{ path, why: expect.stringContaining("that it has changed") }] },
		]);
		expect(look(made.stage.root)).toEqual(before);
		expect(await value(made.parent.removeChildren([]))).toMatchObject([{ files: [{ path }] }]);
	});
});
