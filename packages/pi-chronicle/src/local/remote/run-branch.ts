// The branch `chronicle/<run>` of the project's remote: it follows the run by compare-and-swap. Another host's commit is never overwritten. The
// remote is not queried for a tip that this host has set.
import { isNumber, object, parseUntrusted } from "@pi-chronicle/core/definition";
import {
	branchTree,
	type ConvertedObjects,
	commitTree,
	committerEmail,
	explainGit,
	type GitPlace,
	gitAt,
	gitText,
} from "../workspace/index.ts";
import { gitFetch, gitRemote } from "./git-remote.ts";
import { treeRef } from "./run-snapshot.ts";
import { isObjectName } from "./untrusted.ts";

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

/** Why the branch was not moved, and what helps. */
export interface BranchConflict {
	readonly detail: string;
	readonly remedy: string;
}

/** The remote did not take a move, with its reason. */
export function unmoved(run: string, reason: string): BranchConflict {
	return {
		detail: `The branch chronicle/${run} was not moved: ${reason}.`,
		remedy: "Check the remote; the next state moves it.",
	};
}

function takenByOthers(run: string, snapshot: string): BranchConflict {
	const moved = `git fetch origin chronicle/${run} && git push origin FETCH_HEAD:refs/heads/others-${run.slice(0, 8)} :refs/heads/chronicle/${run}`;
	return {
		detail: `The branch chronicle/${run} has foreign commits, so it was not changed.`,
		remedy: `To move them away: ${moved}; the next state makes the branch again. The files of now: git fetch origin ${snapshot}`,
	};
}

interface Tip extends BranchNote {
	readonly commit: string;
}

export interface RunBranchOptions {
	readonly run: string;
	readonly owner: string;
	readonly remote: string;
	/** Whether a path (bytes as latin1, below the root) can be one of the run's files. */
	readonly contains: (path: string) => boolean;
}

export class RunBranch {
	readonly ref: string;
	readonly #options: RunBranchOptions;
	readonly #place: GitPlace;
	readonly #converted: ConvertedObjects = new Map();
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

	/** Prepares the move to the target; `undefined`: the branch is already there. */
	async prepare(target: BranchTarget): Promise<BranchMove | { readonly conflict: BranchConflict } | undefined> {
		const { tree, seq, base } = target;
		const found = this.#tip ?? (await this.#queryTip(target));
		if (found !== undefined && "conflict" in found) return found;
		if (found !== undefined && (found.seq >= seq || found.tree === tree)) return undefined;
		const tip = found?.commit ?? "";
		const parents = [...(tip === "" ? [] : [tip]), ...(base === undefined || found?.base === base ? [] : [base])];
		const { run, contains } = this.#options;
		const files = await branchTree(this.#place, { tree, base, contains, converted: this.#converted });
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
	async #queryTip({ seq, tree }: BranchTarget): Promise<Tip | { readonly conflict: BranchConflict } | undefined> {
		const { run, remote, owner } = this.#options;
		const listed = await gitRemote(this.#place, ["ls-remote", remote, this.ref]);
		if (listed.kind !== "done") return { conflict: unmoved(run, explainGit(listed)) };
		const commit = listed.output.toString("utf8").split("\t", 1)[0] ?? "";
		if (commit === "") return undefined;
		const note = await this.#ownNote(commit);
		// A note from the future is not ours: the branch would wait for it.
		if (!note || note.seq > seq) return { conflict: takenByOthers(run, treeRef(owner, tree)) };
		return { ...note, commit };
	}

	/** The note in a commit of ours; `undefined`: it is somebody else's. */
	async #ownNote(commit: string): Promise<BranchNote | undefined> {
		const known = await gitAt(this.#place, ["cat-file", "-e", `${commit}^{commit}`]);
		if (known.kind !== "done" && (await gitFetch(this.#place, this.#options.remote, [this.ref])).kind !== "done")
			return undefined;
		const text = await gitText(this.#place, ["log", "-1", "--format=%ce%n%B", commit]).catch(() => "");
		const [author, ...message] = text.split("\n");
		return author === committerEmail ? readNote(message.join("\n")) : undefined;
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
