// Brings the snapshots of one run, and its branch, to the project's git remote. While events are recorded, a small snapshot waits for the next ones:
// it is recorded in the database in the same statement, and pushed after that, together with others and the branch. A snapshot that was added is on
// the remote, or recorded with the next events. Each builds on the one before it, which is on the remote or recorded. One push at a time. After
// `flush` everything is on the remote. What is recorded and not pushed is bounded.
import type { Result, WorkspaceFailure } from "@pi-chronicle/core/ports";
import type { CrashPoint } from "../supervisor/index.ts";
import { thrownFailure } from "./git-remote.ts";
import type { BranchConflict, BranchTarget } from "./run-branch.ts";
import type { RunRefs } from "./run-refs.ts";
import { isSameSnapshot, type RecordedSnapshot, type RunSnapshot } from "./run-snapshot.ts";

export interface SnapshotPublisherOptions {
	readonly refs: RunRefs;
	/** The snapshot that the run is at, if it is on the remote. */
	readonly published?: Pick<RunSnapshot, "tree" | "parent"> | undefined;
	/** Called with what could not be published and does not stop the run. */
	readonly report: (text: string) => void;
	readonly crashAt: CrashPoint;
}

/** Bytes of a snapshot's objects, compressed, above which it is pushed before it is recorded. */
const maxBytes = 2_000_000;
/** Bytes and number of snapshots that may wait for their push. */
const maxWaitingBytes = 32_000_000;
const maxWaiting = 100;
/**
 * Milliseconds for which recorded snapshots and the branch wait for each other. A push starts several processes, which would delay the move
 * and the start of the next worker.
 */
const gatherMs = 150;

const done: Result<void, WorkspaceFailure> = { ok: true, value: undefined };

/** A snapshot that was recorded with event `seq`, and is to be pushed. */
interface Waiting {
	readonly snapshot: RunSnapshot;
	readonly bytes: number;
	readonly seq: number;
}

export class SnapshotPublisher {
	readonly #options: SnapshotPublisherOptions;
	/** Deletes the records up to an event; undefined: nothing is recorded, and every snapshot is pushed at once. */
	#forget: ((seq: number) => Promise<void>) | undefined;
	#last: RunSnapshot | undefined;
	/** Trees that are on the remote or recorded, with the commits that they were on. */
	readonly #known = new Map<string, Set<string | undefined>>();
	/** To be recorded with the next events. */
	#staged: readonly RecordedSnapshot[] = [];
	#waiting: readonly Waiting[] = [];
	#branch: BranchTarget | undefined;
	#onBranch: (conflict: BranchConflict | undefined) => void = () => {};
	#failure: WorkspaceFailure | undefined;
	#adding: Promise<unknown> = Promise.resolve();
	#pushing: Promise<unknown> = Promise.resolve();
	#timer: NodeJS.Timeout | undefined;

	constructor(options: SnapshotPublisherOptions) {
		this.#options = options;
		const { published } = options;
		if (published) this.#remember({ ...published, note: "" });
	}

	/** From now on snapshots may be recorded: `forget` deletes those up to an event. */
	startRecording(forget: (seq: number) => Promise<void>): void {
		this.#forget = forget;
	}

	/** Calls `listener` after every try to move the branch, with why it was not moved. */
	onBranch(listener: (conflict: BranchConflict | undefined) => void): void {
		this.#onBranch = listener;
	}

	get last(): RunSnapshot | undefined {
		return this.#last;
	}

	/** The commit that a tree was last published on; `undefined`: none, or it was not published here. */
	parentOf(tree: string): string | undefined {
		return [...(this.#known.get(tree) ?? [])].at(-1);
	}

	/** Why the last snapshot could not be added; `undefined` if it was. Nothing that depends on it may be recorded. */
	get failure(): WorkspaceFailure | undefined {
		return this.#failure;
	}

	/** The snapshots that the next events are to be recorded with. */
	get staged(): readonly RecordedSnapshot[] {
		return this.#staged;
	}

	/** Adds the snapshot `tree`, taken while the working folder was at the commit `parent`. Calls run one after another. */
	add(tree: string, parent: string | undefined): Promise<Result<void, WorkspaceFailure>> {
		const added = this.#adding.then(async () => {
			const result = await this.#addNext(tree, parent).catch(thrownFailure);
			this.#failure = result.ok ? undefined : result.failure;
			return result;
		});
		this.#adding = added;
		return added;
	}

	async #addNext(tree: string, parent: string | undefined): Promise<Result<void, WorkspaceFailure>> {
		const { refs } = this.#options;
		if (this.#last && isSameSnapshot(this.#last, { tree, parent })) return done;
		const snapshot = await refs.describe(tree, parent);
		if (!this.#known.get(tree)?.has(parent)) {
			const pack = await this.#pack(snapshot);
			if (pack) this.#staged = [...this.#staged, pack];
			else {
				const pushed = await this.#enqueuePush([snapshot]);
				if (!pushed.ok) return pushed;
			}
		}
		this.#remember(snapshot);
		return done;
	}

	/** The snapshot as it is recorded; `undefined`: it has to be pushed. */
	async #pack(snapshot: RunSnapshot): Promise<RecordedSnapshot | undefined> {
		const base = this.#last;
		if (!this.#forget || !base) return undefined;
		const waiting = this.#waiting.reduce((sum, { bytes }) => sum + bytes, 0);
		if (waiting > maxWaitingBytes || this.#waiting.length > maxWaiting) return undefined;
		const pack = await this.#options.refs.pack(snapshot, base, maxBytes);
		return pack && { ...snapshot, base: base.tree, pack };
	}

	#remember(snapshot: RunSnapshot): void {
		this.#last = snapshot;
		const parents = this.#known.get(snapshot.tree) ?? new Set();
		this.#known.set(snapshot.tree, parents.add(snapshot.parent));
	}

	/** Whether the tree is on the remote or recorded, as far as is known here. */
	knows(tree: string): boolean {
		return this.#known.has(tree);
	}

	/** Pushes trees that are no snapshots of the run's folder, as far as they are not known. */
	async pushTrees(trees: readonly string[]): Promise<Result<void, WorkspaceFailure>> {
		const { refs } = this.#options;
		const unknown = [...new Set(trees)].filter((tree) => !this.knows(tree));
		if (unknown.length === 0) return done;
		try {
			const head = await refs.head();
			const snapshots = await Promise.all(unknown.map((tree) => refs.describe(tree, head)));
			const pushed = await this.#enqueuePush(snapshots);
			if (pushed.ok) for (const tree of unknown) this.#known.set(tree, new Set([head]));
			return pushed;
		} catch (error) {
			return thrownFailure(error);
		}
	}

	/** To be called when staged snapshots were recorded with event `seq`: they are pushed soon. */
	recorded(snapshots: readonly RecordedSnapshot[], seq: number): void {
		if (snapshots.length === 0) return;
		this.#staged = this.#staged.filter((one) => !snapshots.includes(one));
		const added = snapshots.map((snapshot) => ({ snapshot, bytes: snapshot.pack.length, seq }));
		this.#waiting = [...this.#waiting, ...added];
		this.#pushSoon();
	}

	/** Moves the branch of the run to the files of the last snapshot, as they are after event `seq`, with the next push. */
	moveBranch(seq: number): void {
		if (!this.#last) return;
		const { tree, parent: base } = this.#last;
		this.#branch = { tree, seq, base };
		this.#pushSoon();
	}

	#pushSoon(): void {
		this.#timer ??= setTimeout(async () => {
			const pushed = await this.#enqueuePush([]);
			if (!pushed.ok) this.#options.report(pushed.failure.message);
		}, gatherMs);
	}

	/** Pushes everything that was added, recorded or not. */
	flush(): Promise<Result<void, WorkspaceFailure>> {
		return this.#adding.then(() => this.#enqueuePush(this.#staged));
	}

	/** Pushes `more` and all that waits. */
	#enqueuePush(more: readonly RunSnapshot[]): Promise<Result<void, WorkspaceFailure>> {
		const pushed = this.#pushing.then(() => this.#push(more).catch(thrownFailure));
		this.#pushing = pushed;
		return pushed;
	}

	async #push(more: readonly RunSnapshot[]): Promise<Result<void, WorkspaceFailure>> {
		const { refs, report, crashAt } = this.#options;
		clearTimeout(this.#timer);
		this.#timer = undefined;
		const waiting = this.#waiting;
		const branch = this.#branch;
		const snapshots = [...waiting.map(({ snapshot }) => snapshot), ...more];
		if (snapshots.length === 0 && !branch) return done;
		if (snapshots.length > 0) crashAt("before files are pushed");
		if (branch) crashAt("before the branch moves");
		const pushed = await refs.push(snapshots, branch);
		if (!pushed.ok) return pushed;
		if (snapshots.length > 0) crashAt("files are pushed");
		if (branch) crashAt("branch is moved");
		if (pushed.value.conflict !== undefined) report(pushed.value.conflict.detail);
		if (branch) this.#onBranch(pushed.value.conflict);
		if (this.#branch === branch) this.#branch = undefined;
		this.#staged = this.#staged.filter((one) => !more.includes(one));
		this.#waiting = this.#waiting.filter((one) => !waiting.includes(one));
		const last = waiting.at(-1);
		// What could not be deleted is pushed once more by the next holder of the run.
		if (last) await this.#forget?.(last.seq).catch(() => {});
		return done;
	}
}
