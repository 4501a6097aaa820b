// A repository that hosts share through a bare remote, and the files with which runs of it are submitted.
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openSharedWorkspace } from "../../pi-chronicle/src/local/remote/index.ts";
import type { storeOf } from "./open-engine.ts";

type Creates = NonNullable<NonNullable<Parameters<typeof storeOf>[2]>["creates"]>;

export interface SharedRepository {
	/** The bare repository that the hosts share. */
	readonly remote: string;
	/** A repository with one commit. */
	readonly cwd: string;
	/** Runs git in `cwd`; gives its output. */
	git(...args: string[]): string;
}

/** Makes the repositories in `root`; the commit has the file `name`. */
export function openSharedRepository(root: string, name: string, text: string): SharedRepository {
	const remote = join(root, "remote.git");
	const cwd = join(root, "project");
	mkdirSync(cwd);
	const git = (...args: string[]): string => {
		const done = spawnSync("git", args, { cwd, encoding: "utf8" });
		if (done.status !== 0) throw new Error(done.stderr);
		return done.stdout.trim();
	};
	git("init", "-q", "--bare", remote);
	git("init", "-q");
	writeFileSync(join(cwd, name), text);
	git("add", "-A");
	git("-c", "user.name=t", "-c", "user.email=t@localhost", "commit", "-q", "-m", "first");
	return { remote, cwd, git };
}

/** Submits runs with the files of `cwd`, which are on the commit that `parent` names. `folderOf`: where their snapshots are taken. */
export function submitsFiles(
	{ remote, cwd }: Pick<SharedRepository, "remote" | "cwd">,
	folderOf: (run: string) => string,
	parent: () => string | null,
): Creates {
	return {
		kind: "submitted",
		async base(run) {
			const options = { run: run.id, remote, cwd, folder: folderOf(run.id), leftOut: [] };
			const files = await openSharedWorkspace(options).snapshot();
			return files.ok
				? { ok: true, value: { head: files.value.tree, parent: parent(), folder: "" } }
				: { ok: false, failure: { ...files.failure, reason: "io" } };
		},
	};
}
