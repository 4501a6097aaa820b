// The branch `chronicle/<run>` of the project's remote: it follows the run by compare-and-swap.
// B1 another host's commit is never overwritten; B2 the remote is not queried for a tip that this host has set.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isNumber, object } from "../../../definition/index.ts";
import { PLACEHOLDER_LIST } from "../workspace/index.ts";
import { commitTree, committerEmail, explainGit, type GitPlace, gitAt, gitRemote, gitText } from "./remote.ts";
import { isObjectName, parseUntrusted } from "./untrusted.ts";

/** What the branch should show: the files of `tree` after event `seq`. */
export interface BranchTarget {
	readonly tree: string;
	readonly seq: number;
	/** The commit that the working folder was at; undefined: none. */
	readonly base: string | undefined;
}

/** A commit for the branch, and the tip that it replaces; an empty one: there is no branch. */
export interface BranchMove {
	readonly commit: string;
	readonly tip: string;
}

interface Tip extends BranchNote {
	readonly commit: string;
}

export interface RunBranchOptions {
	readonly run: string;
	readonly remote: string;
	/** The folder that the run works in, below the repository's root. */
	readonly folder: string;
}

export class RunBranch {
	readonly ref: string;
	readonly #options: RunBranchOptions;
	readonly #place: GitPlace;
	/** The tip that this host has set. */
	#tip: Tip | undefined;

	constructor(place: GitPlace, options: RunBranchOptions) {
		this.#place = place;
		this.#options = options;
		this.ref = `refs/heads/chronicle/${options.run}`;
	}

	/** Whether the next move relies on a tip that the remote was not queried for. */
	get isAssumed(): boolean {
		return this.#tip !== undefined;
	}

	/** Prepares the move to the target; `undefined`: the branch is already there. A conflict is one sentence. */
	async prepare({ tree, seq, base }: BranchTarget): Promise<BranchMove | { readonly conflict: string } | undefined> {
		const found = this.#tip ?? (await this.#queryTip(seq));
		if (found !== undefined && "conflict" in found) return found;
		if (found !== undefined && (found.seq >= seq || found.tree === tree)) return undefined;
		const tip = found?.commit ?? "";
		const parents = [...(tip === "" ? [] : [tip]), ...(base === undefined || found?.base === base ? [] : [base])];
		const files = await this.#filesOf(tree, base);
		const { run } = this.#options;
		const commit = await commitTree(this.#place, files, parents, noteText(run, { seq, tree, base: base ?? "" }));
		return { commit, tip };
	}

	/** Call it once the branch was moved. */
	moved({ commit }: BranchMove, { tree, seq, base = "" }: BranchTarget): void {
		this.#tip = { commit, tree, seq, base };
	}

	/** Call it when the remote refused a move: the next one queries the tip again. */
	forget(): void {
		this.#tip = undefined;
	}

	/** Queries the remote for the tip; `undefined`: there is no branch. */
	async #queryTip(seq: number): Promise<Tip | { readonly conflict: string } | undefined> {
		const { run, remote } = this.#options;
		const listed = await gitRemote(this.#place, ["ls-remote", remote, this.ref]);
		if (listed.kind !== "done")
			return { conflict: `The branch chronicle/${run} was not moved: ${explainGit(listed)}.` };
		const commit = listed.output.toString("utf8").split("\t", 1)[0] ?? "";
		if (commit === "") return undefined;
		const note = await this.#ownNote(commit);
		// A note from the future is not ours: the branch would wait for it.
		if (!note || note.seq > seq)
			return { conflict: `The branch chronicle/${run} has foreign commits, so it was not changed.` };
		return { ...note, commit };
	}

	/** The note in a commit of ours; `undefined`: it is somebody else's. */
	async #ownNote(commit: string): Promise<BranchNote | undefined> {
		const known = await gitAt(this.#place, ["cat-file", "-e", `${commit}^{commit}`]);
		if (known.kind !== "done") {
			const args = ["fetch", "-q", "--no-write-fetch-head", "--no-tags", this.#options.remote, this.ref];
			if ((await gitRemote(this.#place, args)).kind !== "done") return undefined;
		}
		const text = await gitText(this.#place, ["log", "-1", "--format=%ce%n%B", commit]).catch(() => "");
		const [author, ...message] = text.split("\n");
		return author === committerEmail ? readNote(message.join("\n")) : undefined;
	}

	/** The tree of the branch: the run's files over the rest of the repository; contents that are not kept stay as they were. */
	async #filesOf(tree: string, base: string | undefined): Promise<string> {
		const place = this.#place;
		const list = await readFile(join(place.gitDir, PLACEHOLDER_LIST), "utf8").catch(() => "");
		const placeholders = new Set(list.split("\n").flatMap((line) => line.split(" ", 1)[0] || []));
		const { folder } = this.#options;
		if (folder === "" && placeholders.size === 0) return tree;
		const index = { ...place, env: { GIT_INDEX_FILE: join(place.gitDir, "index.branch") } };
		await gitText(index, ["read-tree", "--empty"]);
		const root = folder === "" ? "" : `${folder}/`;
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
		const input = Buffer.from(lines.map((line) => `${line}\0`).join(""));
		await gitText(index, ["update-index", "-z", "--index-info"], input);
		return gitText(index, ["write-tree"]);
	}
}

interface BranchNote {
	readonly seq: number;
	readonly tree: string;
	readonly base: string;
}

function noteText(run: string, note: BranchNote): string {
	return `Files of the run ${run} after event ${note.seq}\n\nChronicle-Snapshot: ${JSON.stringify(note)}\n`;
}

const isNote = object<BranchNote>({
	seq: isNumber,
	tree: isObjectName,
	base: (value) => value === "" || isObjectName(value),
});

function readNote(message: string): BranchNote | undefined {
	const [, data] = /^Chronicle-Snapshot: (\{.*\})$/m.exec(message) ?? [];
	return data === undefined ? undefined : parseUntrusted(data, isNote);
}
