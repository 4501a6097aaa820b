// What a run leaves on the project's git remote, below `refs/chronicle/<run>/`: snapshots of its files, named by their tree, and its conversations.
// G1 a snapshot is there before the event that names it is recorded; G2 two hosts cannot overwrite each other's: equal names have equal
// contents; G3 the branch `chronicle/<run>` follows by compare-and-swap and is never forced over somebody else's commit.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Result, WorkspaceFailure } from "../../core/index.ts";
import { PLACEHOLDER_LIST, runGit } from "../workspace/index.ts";
import { explainGit, type GitPlace, gitAt, gitRemote, gitText, remoteFailure } from "./remote.ts";

export interface RunRefsOptions {
	readonly run: string;
	/** The run whose refs hold the snapshots; default: `run`. A child with a folder of its own shares those of its parent. */
	readonly trees?: string;
	/** URL or path of the remote. */
	readonly remote: string;
	/** Private store of the run's snapshots. */
	readonly store: string;
	/** The folder that the run works in, part of a repository. */
	readonly cwd: string;
	readonly signal?: AbortSignal;
}

const identity = {
	GIT_AUTHOR_NAME: "pi-chronicle",
	GIT_AUTHOR_EMAIL: "pi-chronicle@localhost",
	GIT_COMMITTER_NAME: "pi-chronicle",
	GIT_COMMITTER_EMAIL: "pi-chronicle@localhost",
};

/** Commits that only carry a snapshot have one date, so that equal snapshots are equal commits. */
const timeless = { GIT_AUTHOR_DATE: "1577836800 +0000", GIT_COMMITTER_DATE: "1577836800 +0000" };

/** The ref of a snapshot. */
export function treeRef(run: string, tree: string): string {
	return `refs/chronicle/${run}/trees/${tree}`;
}

/** Where the conversations of a run are, one ref for each holder. */
export function conversationRefs(run: string): string {
	return `refs/chronicle/${run}/conversations`;
}

/** Content of a snapshot commit's message. */
export interface SnapshotNote {
	/** The folder that the run works in, below the repository's root. */
	readonly folder: string;
	/** Objects that stand for contents that are not kept, as the store lists them. */
	readonly placeholders: readonly string[];
}

export function noteText(run: string, { folder, placeholders }: SnapshotNote): string {
	return `Files of the run ${run}\n\n${JSON.stringify({ folder, placeholders })}\n`;
}

export function readNote(message: string): SnapshotNote {
	const [, , data = "{}"] = message.split("\n");
	return { folder: "", placeholders: [], ...(JSON.parse(data) as Partial<SnapshotNote>) };
}

export class RunRefs {
	readonly #options: RunRefsOptions;
	readonly #pushed = new Set<string>();
	#place: Promise<GitPlace> | undefined;
	#folder = "";

	constructor(options: RunRefsOptions) {
		this.#options = options;
	}

	/** Pushes a snapshot, unless that was done before. */
	async pushTree(tree: string): Promise<Result<void, WorkspaceFailure>> {
		if (this.#pushed.has(tree)) return { ok: true, value: undefined };
		const { run: own, trees: run = own, remote } = this.#options;
		try {
			const place = await this.#open();
			const parent = await this.#headOf();
			const list = await readFile(join(place.gitDir, PLACEHOLDER_LIST), "utf8").catch(() => "");
			const note = noteText(run, { folder: this.#folder, placeholders: list.split("\n").filter(Boolean) });
			const commit = await this.#commit(place, tree, parent === undefined ? [] : [parent], note, timeless);
			const done = await gitRemote(place, ["push", "-q", "--no-verify", remote, `+${commit}:${treeRef(run, tree)}`]);
			if (done.kind !== "done") return remoteFailure(done);
			this.#pushed.add(tree);
			return { ok: true, value: undefined };
		} catch (error) {
			return remoteFailure({ kind: "failed", code: -1, message: (error as Error).message, raw: "" });
		}
	}

	/** Pushes texts as files of one commit, for the next holder of the run. `fence`: of this one. */
	async pushConversations(fence: number, files: ReadonlyMap<string, string>): Promise<Result<void, WorkspaceFailure>> {
		const { run, remote } = this.#options;
		try {
			const place = await this.#open();
			const entries: string[] = [];
			for (const [name, text] of files) {
				const object = await gitText(place, ["hash-object", "-w", "--stdin"], Buffer.from(text));
				entries.push(`100644 blob ${object}\t${name}\n`);
			}
			const tree = await gitText(place, ["mktree"], Buffer.from(entries.join("")));
			const commit = await this.#commit(place, tree, [], `Conversations of the run ${run}\n`);
			const ref = `${conversationRefs(run)}/${fence}`;
			const done = await gitRemote(place, ["push", "-q", "--no-verify", remote, `+${commit}:${ref}`]);
			return done.kind === "done" ? { ok: true, value: undefined } : remoteFailure(done);
		} catch (error) {
			return remoteFailure({ kind: "failed", code: -1, message: (error as Error).message, raw: "" });
		}
	}

	/** Moves the branch of the run to the files of `tree` after event `seq`. Resolves to a conflict, one sentence, if the branch is not ours. */
	async moveBranch(tree: string, seq: number): Promise<string | undefined> {
		const { run, remote } = this.#options;
		const ref = `refs/heads/chronicle/${run}`;
		const place = await this.#open();
		const listed = await gitRemote(place, ["ls-remote", remote, ref]);
		if (listed.kind !== "done") return `The branch chronicle/${run} was not moved: ${explainGit(listed)}.`;
		const tip = listed.output.toString("utf8").split("\t", 1)[0] ?? "";
		const before = tip === "" ? undefined : await this.#ownCommit(place, ref, tip);
		if (before === "foreign") return `The branch chronicle/${run} has foreign commits, so it was not changed.`;
		if (before !== undefined && (before.seq >= seq || before.tree === tree)) return undefined;
		const base = await this.#headOf();
		const parents = [...(tip === "" ? [] : [tip]), ...(base === undefined || before?.base === base ? [] : [base])];
		const files = await this.#branchTree(place, tree, base);
		const commit = await this.#commit(place, files, parents, branchNote(run, { seq, tree, base: base ?? "" }));
		const lease = `--force-with-lease=${ref}:${tip}`;
		const done = await gitRemote(place, ["push", "-q", "--no-verify", lease, remote, `${commit}:${ref}`]);
		if (done.kind === "done") return undefined;
		return `The branch chronicle/${run} was not moved: ${explainGit(done)}.`;
	}

	/** Deletes the run's refs, except those of the trees in `keep`; all of them, with the branch, without it. */
	async collect(keep?: ReadonlySet<string>): Promise<void> {
		const { run, remote } = this.#options;
		const place = await this.#open();
		const listed = await gitRemote(place, [
			"ls-remote",
			remote,
			`refs/chronicle/${run}/*`,
			`refs/heads/chronicle/${run}`,
		]);
		if (listed.kind !== "done") return;
		const refs = listed.output
			.toString("utf8")
			.split("\n")
			.map((line) => line.split("\t")[1] ?? "")
			.filter((ref) => ref !== "" && !(keep && (!ref.includes("/trees/") || keep.has(ref.split("/").at(-1) ?? ""))));
		if (refs.length > 0) await gitRemote(place, ["push", "-q", "--no-verify", remote, ...refs.map((ref) => `:${ref}`)]);
	}

	/** The note in our own commit at the tip of the branch. */
	async #ownCommit(place: GitPlace, ref: string, tip: string): Promise<BranchNote | "foreign"> {
		const known = await gitAt(place, ["cat-file", "-e", `${tip}^{commit}`]);
		if (known.kind !== "done") {
			const fetched = await gitRemote(place, [
				"fetch",
				"-q",
				"--no-write-fetch-head",
				"--no-tags",
				this.#options.remote,
				ref,
			]);
			if (fetched.kind !== "done") return "foreign";
		}
		const text = await gitText(place, ["log", "-1", "--format=%ce%n%B", tip]).catch(() => "");
		const [author, ...message] = text.split("\n");
		return author === identity.GIT_COMMITTER_EMAIL ? (readBranchNote(message.join("\n")) ?? "foreign") : "foreign";
	}

	/** The tree of the branch: the run's files over the rest of the repository; contents that are not kept stay as they were. */
	async #branchTree(place: GitPlace, tree: string, base: string | undefined): Promise<string> {
		const list = await readFile(join(place.gitDir, PLACEHOLDER_LIST), "utf8").catch(() => "");
		const placeholders = new Set(list.split("\n").map((line) => line.split(" ", 1)[0] ?? ""));
		const index = { ...place, env: { GIT_INDEX_FILE: join(place.gitDir, "index.branch") } };
		await gitText(index, ["read-tree", "--empty"]);
		const root = this.#folder === "" ? "" : `${this.#folder}/`;
		const entries = async (of: string): Promise<string[]> =>
			(await gitText(place, ["ls-tree", "-r", "-z", of])).split("\0").filter(Boolean);
		const pathOf = (entry: string): string => entry.slice(entry.indexOf("\t") + 1);
		const objectOf = (entry: string): string => entry.split(/[ \t]/, 3)[2] ?? "";
		const kept = await entries(tree);
		const left = new Set(kept.filter((entry) => placeholders.has(objectOf(entry))).map(pathOf));
		const before = base === undefined ? [] : await entries(base);
		const lines = [
			...before.filter((entry) => !pathOf(entry).startsWith(root) || left.has(pathOf(entry))),
			...kept.filter((entry) => !left.has(pathOf(entry))),
		];
		await gitText(
			index,
			["update-index", "-z", "--index-info"],
			Buffer.from(lines.map((line) => `${line}\0`).join("")),
		);
		return gitText(index, ["write-tree"]);
	}

	async #commit(
		place: GitPlace,
		tree: string,
		parents: readonly string[],
		message: string,
		dates: Readonly<Record<string, string>> = {},
	): Promise<string> {
		const args = ["commit-tree", tree, ...parents.flatMap((parent) => ["-p", parent])];
		return gitText({ ...place, env: { ...identity, ...dates } }, args, Buffer.from(message));
	}

	/** The commit that the working folder is at, if it has one. */
	async #headOf(): Promise<string | undefined> {
		const asked = await runGit({ args: ["rev-parse", "-q", "--verify", "HEAD^{commit}"], cwd: this.#options.cwd });
		return asked.kind === "done" ? asked.output.toString("utf8").trim() : undefined;
	}

	#open(): Promise<GitPlace> {
		this.#place ??= this.#openPlace();
		return this.#place;
	}

	async #openPlace(): Promise<GitPlace> {
		const { cwd, store, signal } = this.#options;
		const asked = await runGit({ args: ["rev-parse", "--show-prefix", "--git-path", "objects"], cwd });
		if (asked.kind !== "done") throw new Error(`${cwd} is not in a git repository`);
		const [prefix = "", objects = ""] = asked.output.toString("utf8").split("\n");
		this.#folder = prefix.replace(/\/$/, "");
		const alternates = [objects.startsWith("/") ? objects : join(cwd, objects)];
		return { gitDir: store, cwd, alternates, signal };
	}
}

interface BranchNote {
	readonly seq: number;
	readonly tree: string;
	readonly base: string;
}

function branchNote(run: string, note: BranchNote): string {
	return `Files of the run ${run} after event ${note.seq}\n\nChronicle-Snapshot: ${JSON.stringify(note)}\n`;
}

function readBranchNote(message: string): BranchNote | undefined {
	const [, data] = /^Chronicle-Snapshot: (\{.*\})$/m.exec(message) ?? [];
	return data === undefined ? undefined : (JSON.parse(data) as BranchNote);
}
