// What a run leaves on the project's git remote, below `refs/chronicle/<run>/`: snapshots of its files, named by their tree, and its conversations.
// Two hosts cannot overwrite each other's: equal names have equal contents. A push is repeated while the remote is out of reach.

import { readFile, realpath } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Result, WorkspaceFailure } from "@pi-chronicle/core/ports";
import type { CheckedOut } from "@pi-chronicle/core/snapshot";
import { checkedOutQuery, parseCheckedOut } from "../../disk/index.ts";
import {
	answersOf,
	commitTree,
	containsFile,
	explainGit,
	type GitPlace,
	type GitResult,
	type GitWorkspaceOptions,
	gitAt,
	gitText,
	openExclusions,
	readFileModes,
	readPlaceholders,
	revParse,
	runGit,
	toRaw,
	treeOver,
} from "../workspace/index.ts";
import { deleteRefs, gitRemote, remoteFailure, thrownFailure } from "./git-remote.ts";
import { type BranchConflict, type BranchTarget, RunBranch, unmoved } from "./run-branch.ts";
import { isSameSnapshot, noteText, type RunSnapshot, treeRef } from "./run-snapshot.ts";

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
	/** What the run's snapshots contain; default: all below `cwd`. Needed to move the branch and for `forHosts`. */
	readonly files?: Pick<GitWorkspaceOptions, "leftOut" | "scope">;
	readonly signal?: AbortSignal;
	/** Called with a sentence when the remote keeps a caller waiting. */
	readonly report?: ((text: string) => void) | undefined;
}

/** Commits that only carry a snapshot have one date, so that equal snapshots are equal commits. */
const timeless = { GIT_AUTHOR_DATE: "1577836800 +0000", GIT_COMMITTER_DATE: "1577836800 +0000" };

/** Where the conversations of a run are, one ref for each holder. */
export function conversationRefs(run: string): string {
	return `refs/chronicle/${run}/conversations`;
}

/** The refspecs that push the snapshots to the refs of `owner`; `place` can read their objects. */
async function snapshotSpecs(
	place: GitPlace,
	owner: string,
	snapshots: readonly RunSnapshot[],
): Promise<readonly string[]> {
	// A ref is pushed once: of a tree on several commits, the last.
	const byTree = new Map(snapshots.map((snapshot) => [snapshot.tree, snapshot]));
	const specs: string[] = [];
	for (const { tree, parent, note } of byTree.values()) {
		const commit = await commitTree(place, tree, parent === undefined ? [] : [parent], note, timeless);
		specs.push(`+${commit}:${treeRef(owner, tree)}`);
	}
	return specs;
}

/** Settings that leave the processor to the workers: more bytes cost less than their time. */
const light = ["-c", "pack.compression=1", "-c", "pack.threads=1"];

/** Another host was pushing the same ref: the next try finds it. */
const contended = /cannot lock ref|failed to update ref|reference already exists/;
const maxTries = 5;
const contendedMs = 100;

/** Pushes snapshots, also while a host that has lost the run pushes the same. */
export async function pushSnapshots(
	place: GitPlace,
	{ remote, owner }: { readonly remote: string; readonly owner: string },
	snapshots: readonly RunSnapshot[],
): Promise<GitResult> {
	const args = ["push", "-q", "--no-verify", remote, ...(await snapshotSpecs(place, owner, snapshots))];
	for (let tries = 1; ; tries += 1) {
		const pushed = await gitRemote(place, args);
		if (pushed.kind !== "failed" || !contended.test(pushed.message) || tries >= maxTries) return pushed;
		await sleep(contendedMs);
	}
}

export interface Pushed {
	readonly conflict?: BranchConflict;
}

interface OpenRefs {
	readonly place: GitPlace;
	/** Whether a path below the root can be one of the files; `leftOut`: by the rules of a host that leaves that out. */
	readonly contains: (leftOut?: readonly string[]) => (path: string) => boolean;
	readonly folder: string;
	readonly branch: RunBranch;
	readonly heads: HeadFiles;
}

/** Where git keeps what the working folder is at. */
interface HeadFiles {
	readonly head: string;
	readonly branches: string;
}

/** What git's files say; `undefined`: it is not there in plain form. */
async function readHead({ head, branches }: HeadFiles): Promise<CheckedOut | undefined> {
	const text = (await readFile(head, "utf8")).trim();
	const [, branch = null] = /^ref: refs\/heads\/(.+)$/.exec(text) ?? [];
	const commit = branch === null ? text : (await readFile(join(branches, branch), "utf8")).trim();
	return /^[0-9a-f]{40,64}$/.test(commit) ? { branch, commit } : undefined;
}

export class RunRefs {
	readonly #options: RunRefsOptions;
	#opened: Promise<OpenRefs> | undefined;

	constructor(options: RunRefsOptions) {
		this.#options = options;
	}

	/** The commit that the working folder is at, if it has one. */
	async head(): Promise<string | undefined> {
		return (await this.checkedOut())?.commit;
	}

	/** The branch and commit that the working folder is at. Usually read without git: they are asked for with every snapshot. */
	async checkedOut(): Promise<CheckedOut | undefined> {
		const { cwd } = this.#options;
		const known = await this.#open()
			.then(({ heads }) => readHead(heads))
			.catch(() => undefined);
		if (known !== undefined) return known;
		const asked = await runGit({ args: [...checkedOutQuery], cwd });
		return asked.kind === "done" ? parseCheckedOut(asked.output.toString("utf8")) : undefined;
	}

	/** Describes the snapshot `tree`, taken while the working folder was at the commit `parent`. Throws a sentence. */
	async describe(tree: string, parent: string | undefined): Promise<RunSnapshot> {
		const { place, folder } = await this.#open();
		return {
			tree,
			parent,
			note: noteText(this.#owner, {
				folder,
				placeholders: await readPlaceholders(place.gitDir),
				modes: readFileModes(place.gitDir),
			}),
		};
	}

	/**
	 * The snapshot `tree` for hosts, which leave `leftOut` out: what only the rules of this machine leave out, such as pi's agent folder in the project,
	 * is as in the commit `base`. Throws a sentence.
	 */
	async forHosts(tree: string, base: string, leftOut: readonly string[]): Promise<string> {
		const { place, contains } = await this.#open();
		const [here, there] = [contains(), contains(leftOut)];
		return treeOver(place, { tree, base, contains: (path) => here(path) || !there(path) });
	}

	/** The objects that a snapshot has and `base` has not, as a git pack; `undefined`: they are more than `bytes`, or git fails. */
	async pack(snapshot: RunSnapshot, base: RunSnapshot, bytes: number): Promise<Buffer | undefined> {
		if (isSameSnapshot(snapshot, base)) return undefined;
		const { place } = await this.#open();
		const wanted = [snapshot.tree, `^${base.tree}`];
		if (snapshot.parent !== undefined && snapshot.parent !== base.parent) {
			wanted.push(snapshot.parent);
			if (base.parent !== undefined) wanted.push(`^${base.parent}`);
		}
		const packed = await gitAt(place, [...light, "pack-objects", "-q", "--revs", "--stdout", "--window=0"], {
			input: Buffer.from(`${wanted.join("\n")}\n`),
			enough: bytes,
		});
		return packed.kind === "done" && !packed.cut ? packed.output : undefined;
	}

	/** Pushes snapshots, and moves the branch of the run, in one push. A branch that is not ours stays, and fails nothing. */
	async push(snapshots: readonly RunSnapshot[], target?: BranchTarget): Promise<Result<Pushed, WorkspaceFailure>> {
		try {
			const { place, branch } = await this.#open();
			const specs = await snapshotSpecs(place, this.#owner, snapshots);
			for (let tries = 1; ; tries += 1) {
				const wasAssumed = branch.isAssumed;
				const pushed = await this.#pushOnce(specs, target);
				if (pushed.ok && pushed.value.conflict === undefined) return pushed;
				branch.forget();
				const mayWork = pushed.ok ? wasAssumed : contended.test(pushed.failure.message);
				if (!mayWork || tries >= maxTries) return pushed;
				await sleep(contendedMs);
			}
		} catch (error) {
			return thrownFailure(error);
		}
	}

	async #pushOnce(specs: readonly string[], target?: BranchTarget): Promise<Result<Pushed, WorkspaceFailure>> {
		const { remote, run } = this.#options;
		const { place, branch } = await this.#open();
		const prepared = target && (await branch.prepare(target));
		const move = prepared && "commit" in prepared ? prepared : undefined;
		const value = prepared && "conflict" in prepared ? prepared : {};
		if (specs.length === 0 && !move) return { ok: true, value };
		const lease = move ? [`--force-with-lease=${branch.ref}:${move.tip}`] : [];
		const all = move ? [...specs, `${move.commit}:${branch.ref}`] : specs;
		const done = await gitRemote(place, [...light, "push", "-q", "--no-verify", ...lease, remote, ...all]);
		if (done.kind === "done") {
			if (move && target) branch.moved(move, target);
			return { ok: true, value };
		}
		if (done.kind !== "failed" || !isRefusedAlone(done.message, `chronicle/${run}`)) return remoteFailure(done);
		return { ok: true, value: { conflict: unmoved(run, explainGit(done)) } };
	}

	/** Pushes texts as files of one commit, for the next holder of the run; gives the commit. `fence`: of this one. */
	async pushConversations(
		fence: number,
		files: ReadonlyMap<string, string>,
	): Promise<Result<string, WorkspaceFailure>> {
		const { run, remote } = this.#options;
		try {
			const { place } = await this.#open();
			const entries: string[] = [];
			for (const [name, text] of files) {
				const object = await gitText(place, ["hash-object", "-w", "--stdin"], Buffer.from(text));
				entries.push(`100644 blob ${object}\t${name}\n`);
			}
			const tree = await gitText(place, ["mktree"], Buffer.from(entries.join("")));
			const commit = await commitTree(place, tree, [], `Conversations of the run ${run}\n`);
			const ref = `${conversationRefs(run)}/${fence}`;
			const done = await gitRemote(place, ["push", "-q", "--no-verify", remote, `+${commit}:${ref}`]);
			return done.kind === "done" ? { ok: true, value: commit } : remoteFailure(done);
		} catch (error) {
			return thrownFailure(error);
		}
	}

	/** Deletes the run's refs, except those of the trees and conversations in `keep`; all of them, with the branch, without it. */
	async collect(keep?: KeptRefs): Promise<void> {
		const { run, remote } = this.#options;
		const { place } = await this.#open();
		const all = [`refs/chronicle/${run}/*`, `refs/heads/chronicle/${run}`];
		await deleteRefs(place, remote, all, (ref, commit) => keep !== undefined && isKept(keep, ref, commit));
	}

	get #owner(): string {
		return this.#options.trees ?? this.#options.run;
	}

	#open(): Promise<OpenRefs> {
		this.#opened ??= this.#openPlace();
		return this.#opened;
	}

	async #openPlace(): Promise<OpenRefs> {
		const { run, remote, cwd, store, files: { leftOut, scope } = { leftOut: [] }, signal, report } = this.#options;
		const paths = ["objects", "HEAD", "refs/heads"].map((path) => ["--git-path", path]);
		const asked = await runGit({ args: revParse(["--show-toplevel"], ["--show-prefix"], ...paths), cwd });
		if (asked.kind !== "done") throw new Error(`${cwd} is not in a git repository`);
		const [root = "", prefix = "", ...found] = answersOf(asked.output);
		const [objects = "", head = "", branches = ""] = found.map((path) => resolve(cwd, path));
		const folder = prefix.replace(/\/$/, "");
		const place: GitPlace = { gitDir: store, cwd, alternates: [objects], signal, report };
		const real = await realpath(root);
		const contains: OpenRefs["contains"] = (onHost) =>
			containsFile(
				onHost ? openExclusions(real, onHost, []) : openExclusions(real, leftOut),
				scope === "repository" ? "" : toRaw(folder),
			);
		const branch = new RunBranch(place, { run, owner: this.#owner, remote, contains: contains() });
		return { place, contains, folder, branch, heads: { head, branches } };
	}
}

/** What the refs of a finished run still hold. */
interface KeptRefs {
	readonly trees: ReadonlySet<string>;
	/** The commit with its conversations; null: not known, all stay. */
	readonly conversations: string | null;
}

function isKept({ trees, conversations }: KeptRefs, ref: string, commit: string): boolean {
	if (ref.includes("/trees/")) return trees.has(ref.split("/").at(-1) ?? "");
	return !ref.includes("/conversations/") || conversations === null || conversations === commit;
}

/** Whether a ref is the only one that the remote has refused, by git's error text. */
function isRefusedAlone(text: string, ref: string): boolean {
	const refused = [...text.matchAll(/^ ! \[[^\]]*\]\s+\S+ -> (\S+) \(/gm)];
	return refused.length > 0 && refused.every(([, name]) => name === ref);
}
