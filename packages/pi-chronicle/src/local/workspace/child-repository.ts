// The git repository of a child's folder. It keeps git from finding the user's repository, because the run's private folder may be inside
// the project. An agent there can inspect its own changes and the project's history; its staged changes and commits stay in the folder.
import { appendFile, mkdir, readFile, realpath, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { copyIndex } from "./copy-index.ts";
import { gitFailure } from "./failures.ts";
import { answersOf, type GitResult, revParse, runGit } from "./git.ts";
import { commitAuthor } from "./merge-output.ts";
import { privateAttributes, type Store } from "./store.ts";

export interface ChildRepository {
	/** Runs git on it. */
	git(args: readonly string[], input?: Buffer): Promise<GitResult>;
	/** Makes its index, which is `indexed` if that is known, its only commit on top of the project's. */
	commit(message: string, indexed: string | undefined): Promise<void>;
	copyIndex(place: string): Promise<void>;
}

const branch = "chronicle";

/** Makes an empty repository in `folder`, with the settings that git has chosen for the store `from`: without a git of its own. */
export async function copyRepository(from: string, folder: string): Promise<void> {
	const config = await readFile(join(from, "config"), "utf8");
	for (const name of ["objects/info", "objects/pack", "refs/heads", "refs/tags"])
		await mkdir(join(folder, name), { recursive: true });
	// Refs are files here, whatever git prefers.
	const own = config.replace(/^\t(?:worktree|sharedrepository|refstorage) = .*\n|^\[receive\][^[]*/gim, "");
	await writeFile(join(folder, "config"), own);
	await writeFile(join(folder, "HEAD"), `ref: refs/heads/${branch}\n`);
}

/** Creates the repository of the folder `files`, which reads objects of the store and of the user's repository. */
export async function makeChildRepository(
	store: Store,
	{ files, storeFolder, ignored }: { readonly files: string; readonly storeFolder: string; readonly ignored: string },
): Promise<ChildRepository> {
	const folder = join(files, ".git");
	const { repository, control } = store;
	const git: ChildRepository["git"] = (args, input) =>
		runGit({
			args: [`--git-dir=${folder}`, `--work-tree=${files}`, ...args],
			cwd: files,
			env: commitAuthor,
			signal: control.signal,
			...(input ? { input } : {}),
		});
	const required = async (args: readonly string[]): Promise<string> => {
		const ran = await git(args);
		if (ran.kind !== "done") throw gitFailure(ran);
		return ran.output.toString("latin1").trim();
	};
	await copyRepository(storeFolder, folder);
	// By its real path: a sandbox follows no link in a place that commands may write, and the link to the store can be deleted.
	const own = await realpath(join(storeFolder, "objects"));
	const objects = [own, ...(repository.objects === undefined ? [] : [repository.objects])];
	await mkdir(join(folder, "info"), { recursive: true });
	await writeFile(join(folder, "objects", "info", "alternates"), objects.map(alternateLine).join(""));
	// The files are the same as the user's on disk, without filters.
	await writeFile(join(folder, "info", "attributes"), privateAttributes);
	await writeFile(join(folder, "info", "exclude"), `${ignored}\n`);
	return {
		git,
		async commit(message, indexed) {
			const tree = indexed ?? (await required(["write-tree", "--missing-ok"]));
			const parent = repository.objects === undefined ? undefined : await takeHistory(store, folder);
			const parents = parent === undefined ? [] : ["-p", parent];
			const commit = await required(["commit-tree", tree, "-m", message, ...parents]);
			await writeFile(join(folder, "refs", "heads", branch), `${commit}\n`);
		},
		copyIndex: (place) => copyIndex(join(folder, "index"), place),
	};
}

/** The project's commit that the child's start is based on; `undefined` if there is none. */
async function takeHistory(store: Store, folder: string): Promise<string | undefined> {
	const asked = await runGit({
		args: revParse(["--git-path", "shallow"], ["HEAD"]),
		cwd: store.root,
		signal: store.control.signal,
	});
	if (asked.kind !== "done") return undefined;
	const [shallow = "", head] = answersOf(asked.output);
	const cut = await readFile(resolve(store.root, shallow)).catch(() => undefined);
	if (cut) await appendFile(join(folder, "shallow"), cut);
	return head;
}

/** A line of git's list of other object folders; one that would be misread is quoted. */
export function alternateLine(path: string): string {
	return `${/^["#]|\n/.test(path) ? JSON.stringify(path) : path}\n`;
}
