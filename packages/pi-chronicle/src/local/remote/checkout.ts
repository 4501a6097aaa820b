// The project on a host: a bare mirror of its remote, and a working folder for each run. Git works on a mirror one call at a time: worktrees that are
// added while another is fetched get lost. A working folder starts from a recorded snapshot, never from the tip of a branch. Ignored files
// (dependencies, secrets) stay on the host. A folder with files that are nowhere else is kept until its run is removed.
import { existsSync } from "node:fs";
import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { CheckedOut } from "@pi-chronicle/core/snapshot";
import { branchOfRef } from "../../disk/index.ts";
import { isRunId } from "../ledger/index.ts";
import {
	commitTree,
	type GitPlace,
	gitAt,
	gitText,
	killOrphanedGit,
	readRest,
	removeLocks,
	runGit,
} from "../workspace/index.ts";
import { conversationSpec, writeConversations } from "./conversations.ts";
import { deleteRefs, gitFetch, gitRemote, remoteError } from "./git-remote.ts";
import { pushSnapshots } from "./run-refs.ts";
import { addNote, type SnapshotRecord, treeRef, unpackSnapshots } from "./run-snapshot.ts";
import { folderIn, isBranchName, parseNote, type SnapshotNote } from "./untrusted.ts";

export interface CheckoutOptions {
	/** The folder of everything that the engine keeps on this host for the project. */
	readonly data: string;
	readonly remote: string;
}

export interface RunBase {
	/** The commit whose files surround the snapshot's; undefined: there is none. */
	readonly parent: string | undefined;
	readonly note: SnapshotNote;
}

export interface RecordedPlace {
	readonly folder: string;
	/** The commit that the working folder was at; null: none. */
	readonly parent: string | null;
}

export class Checkout {
	readonly #data: string;
	readonly #remote: string;
	readonly #place: GitPlace;
	#queue: Promise<unknown> = Promise.resolve();
	#made: Promise<void> | undefined;

	constructor({ data, remote }: CheckoutOptions) {
		this.#data = data;
		this.#remote = remote;
		this.#place = { gitDir: join(data, "mirror.git"), cwd: data };
	}

	/** The folder of a run's own files: conversations, snapshots, marker. */
	folderOf(run: string): string {
		return join(this.#data, "runs", run);
	}

	workOf(run: string): string {
		return join(this.#data, "work", run);
	}

	/** Pushes the snapshots that a holder before recorded and did not push. `owner`: the run whose refs hold them. Throws a sentence. */
	async publishRecorded(ledger: SnapshotRecord, owner: string, signal?: AbortSignal): Promise<void> {
		const recorded = await ledger.recordedSnapshots();
		const last = recorded.at(-1);
		if (!last) return;
		await this.#alone(async () => {
			const origin = { remote: this.#remote, owner };
			const place = { ...this.#place, signal };
			await unpackSnapshots(place, origin, recorded);
			const pushed = await pushSnapshots(place, origin, recorded);
			if (pushed.kind !== "done") throw remoteError("The recorded snapshots of the run could not be pushed", pushed);
		});
		await ledger.deleteSnapshots(last.seq);
	}

	/**
	 * Fetches a snapshot, with the conversations of the run. `owner`: the run whose refs hold the snapshot; `recorded`: where it belongs, as the
	 * database says; without that (runs of earlier versions), the commit says it. Throws a sentence.
	 */
	fetchRun(
		run: string,
		owner: string,
		tree: string,
		recorded: RecordedPlace | undefined,
		signal?: AbortSignal,
	): Promise<RunBase> {
		return this.#alone(async () => {
			const ref = treeRef(owner, tree);
			const fetched = await gitRemote({ ...this.#place, signal }, [
				// A branch that was deleted may be the folder of new ones.
				...["fetch", "-q", "--prune", "--no-write-fetch-head", "--no-tags", this.#remote],
				...[`+${ref}:${ref}`, conversationSpec(run), "+refs/heads/*:refs/remotes/origin/*"],
			]);
			if (fetched.kind !== "done") throw remoteError("The snapshot of the run could not be fetched", fetched);
			const text = await gitText(this.#place, ["log", "-1", "--format=%T%n%P%n%B", ref]);
			const [files = "", parents = "", ...message] = text.split("\n");
			if (files !== tree) throw new Error(`${ref} on the remote has other files than were recorded.`);
			const note = parseNote(message.join("\n"));
			const place = recorded ?? (note && { folder: note.folder, parent: parents.split(" ", 1)[0] || null });
			if (!place) throw new Error(`${ref} on the remote does not say where its files belong.`);
			const { folder, parent } = place;
			if (parent !== null) await this.#mustHave(parent);
			return { parent: parent ?? undefined, note: { placeholders: [], ...note, folder } };
		});
	}

	async #mustHave(commit: string): Promise<void> {
		const known = await gitAt(this.#place, ["cat-file", "-e", `${commit}^{commit}`]);
		if (known.kind !== "done")
			throw new Error(`The commit ${commit}, which the run's files are on, is not on the remote.`);
	}

	/** Fetches a branch, or the one that the remote's HEAD names. Throws a sentence. */
	fetchTip(run: string, branch: string | undefined): Promise<CheckedOut> {
		return this.#alone(async () => {
			const ref = `refs/chronicle/${run}/start`;
			if (branch !== undefined && !isBranchName(branch)) throw new Error(`${JSON.stringify(branch)} is not a branch.`);
			const name = branch ?? (await this.#branchOfRemote());
			const from = name === null ? "HEAD" : `refs/heads/${name}`;
			const fetched = await gitFetch(this.#place, this.#remote, [`+${from}:${ref}`]);
			if (fetched.kind !== "done") throw remoteError(`The branch ${name ?? "of HEAD"} could not be fetched`, fetched);
			return { branch: name, commit: await gitText(this.#place, ["rev-parse", ref]) };
		});
	}

	/** The branch that the remote's HEAD names; `null`: none, or the remote does not say. */
	async #branchOfRemote(): Promise<string | null> {
		const listed = await gitRemote(this.#place, ["ls-remote", "--symref", this.#remote, "HEAD"]);
		const [, ref = ""] = /^ref: (\S+)\tHEAD$/m.exec(listed.kind === "done" ? listed.output.toString("utf8") : "") ?? [];
		const name = branchOfRef(ref);
		return name !== null && isBranchName(name) ? name : null;
	}

	/** Makes the working folder, or sets its tracked files back, to the commit of `base`. Gives whether it was made now. */
	reset(run: string, { parent, note }: RunBase): Promise<boolean> {
		return this.#alone(async () => {
			const work = this.workOf(run);
			const exists = (await runGit({ args: ["rev-parse", "--git-dir"], cwd: work })).kind === "done";
			const commit = parent ?? (await this.#emptyCommit());
			if (exists)
				await gitText({ gitDir: join(work, ".git"), cwd: work }, ["checkout", "-q", "-f", "--detach", commit]).catch(
					async () => {
						await this.#add(work, commit);
					},
				);
			else await this.#add(work, commit);
			await mkdir(folderIn(work, note.folder), { recursive: true });
			await addNote(this.#place, join(this.folderOf(run), "files"), note);
			return !exists;
		});
	}

	/** Replaces the conversations here with those that the last holder left: others describe files that are not here. */
	takeConversations(run: string, recorded: string | null): Promise<void> {
		return writeConversations(this.#place, { run, recorded }, this.folderOf(run));
	}

	/** The runs that have folders here, or refs in the mirror. */
	async runsHere(): Promise<readonly string[]> {
		const names = ["runs", "work"].map((kind) => readdir(join(this.#data, kind)).catch((): string[] => []));
		const refs = await this.#alone(() =>
			gitText(this.#place, ["for-each-ref", "--format=%(refname)", "refs/chronicle"]),
		);
		const fetched = refs.split("\n").map((ref) => ref.split("/")[2] ?? "");
		return [...new Set([...(await Promise.all(names)).flat(), ...fetched])].filter(isRunId);
	}

	/** Milliseconds since a run was last begun or published here; 0: it has no folder. */
	async idleMs(run: string): Promise<number> {
		const used = await stat(this.folderOf(run)).catch(() => undefined);
		return used ? Date.now() - used.mtimeMs : 0;
	}

	async #isKept(run: string): Promise<boolean> {
		const rest = await readRest({ place: this.folderOf(run) });
		return rest !== undefined && rest.length > 0;
	}

	/** Removes the folders of a run that has ended, and what the mirror kept for it, unless they have files that are nowhere else. */
	async remove(run: string): Promise<void> {
		if (!(await this.#isKept(run))) await this.removeAll(run);
	}

	/** Deletes the refs that a host has pushed for a run which was removed meanwhile. Its branch stays. */
	removeRefs(run: string): Promise<void> {
		return this.#alone(() => deleteRefs(this.#place, this.#remote, [`refs/chronicle/${run}/*`]));
	}

	/** Removes the folders of a run that does not exist any more, and what the mirror kept for it. */
	removeAll(run: string): Promise<void> {
		return this.#alone(async () => {
			await rm(this.workOf(run), { recursive: true, force: true });
			await rm(this.folderOf(run), { recursive: true, force: true });
			await gitAt(this.#place, ["worktree", "prune"]);
			const refs = await gitText(this.#place, ["for-each-ref", "--format=delete %(refname)", `refs/chronicle/${run}`]);
			await gitAt(this.#place, ["update-ref", "--stdin"], { input: Buffer.from(`${refs}\n`) });
		});
	}

	async #add(work: string, commit: string): Promise<void> {
		await rm(work, { recursive: true, force: true });
		await gitAt(this.#place, ["worktree", "prune"]);
		await gitText(this.#place, ["worktree", "add", "-q", "--force", "--detach", work, commit]);
	}

	async #emptyCommit(): Promise<string> {
		const tree = await gitText(this.#place, ["mktree"], Buffer.alloc(0));
		return commitTree(this.#place, tree, [], "No files\n");
	}

	async #make(): Promise<void> {
		const { gitDir } = this.#place;
		await mkdir(gitDir, { recursive: true, mode: 0o700 });
		// A host that was killed has left git at work, or its locks.
		await killOrphanedGit(gitDir);
		await removeLocks(gitDir, true);
		await gitText(this.#place, ["init", "-q", "--bare"]);
		await gitAt(this.#place, ["remote", "add", "origin", this.#remote]);
		await gitText(this.#place, ["remote", "set-url", "origin", this.#remote]);
		await gitText(this.#place, ["worktree", "prune"]);
	}

	#alone<T>(work: () => Promise<T>): Promise<T> {
		const done = this.#queue.then(async () => {
			if (!existsSync(this.#place.gitDir)) this.#made = undefined;
			this.#made ??= this.#make().catch((error: unknown) => {
				this.#made = undefined;
				throw error;
			});
			await this.#made;
			return work();
		});
		this.#queue = done.catch(() => {});
		return done;
	}
}
