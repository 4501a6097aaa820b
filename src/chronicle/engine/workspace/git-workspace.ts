// The files of a run on this machine, kept by git plumbing in a private store: in any folder, with or without a repository.
// W1 the port's promises; W2 nothing is made before the first state is kept; W3 one thing at a time; W4 everything is bounded in time, and
// ends soon after it is aborted.
import { stat } from "node:fs/promises";
import { join, posix, relative, sep } from "node:path";
import type { Result, Workspace, WorkspaceFailure } from "../../core/index.ts";
import { describeChanges, rawChanges, seenFrom } from "./compare.ts";
import { gitFailure, inTheWay, stopped, timedOut } from "./failures.ts";
import { keepTowards, restoreFiles } from "./restore.ts";
import { leftList } from "./restore-plan.ts";
import { type Control, type Limits, openStore, type Store, type StoreOptions } from "./store.ts";

export interface GitWorkspaceOptions {
	/** Folder that the run works in, absolute. */
	readonly cwd: string;
	/** Private folder of the run. */
	readonly folder: string;
	/** Folders that are no part of the files, such as the one of all runs; absolute. */
	readonly leftOut: readonly string[];
	/** Private folder of another workspace on the same files, whose kept states can be named here: to look at a run that another process has. */
	readonly borrow?: string;
	readonly limits?: Partial<Limits>;
	/** `repository`: also what lies beside `cwd` in its repository. Default: `cwd` alone. */
	readonly scope?: StoreOptions["scope"];
	/** Whether files that are secret by their name (`.env`, keys) are kept. Default: they are left out. */
	readonly secrets?: StoreOptions["secrets"];
}

const usual: Limits = {
	fileBytes: 20_000_000,
	files: 200_000,
	totalBytes: 2_000_000_000,
	ownBytes: 500_000_000,
	measureMs: 5 * 60_000,
	restoreMs: 15 * 60_000,
};

export function openGitWorkspace(options: GitWorkspaceOptions): Workspace {
	const { cwd, folder, leftOut, borrow, scope = "folder", secrets = "left out" } = options;
	const place = join(folder, "files");
	const limits = { ...usual, ...options.limits };
	const control: Control = { signal: undefined, notes: [] };
	const store: StoreOptions = {
		cwd,
		folder: place,
		leftOut: [folder, ...leftOut],
		borrow: borrow === undefined ? [] : [join(borrow, "files")],
		limits,
		scope,
		secrets,
		control,
	};
	const withStore = openTurns(store);
	const seen = (store: Store) => (path: string) => seenFrom(store.root, cwd, path);

	return {
		async open() {
			const stats = await stat(cwd).catch(() => undefined);
			if (stats?.isDirectory()) return { ok: true, value: { cwd } };
			return {
				ok: false,
				failure: {
					reason: "io",
					message: `The run's folder ${cwd} is not there.`,
					remedy: "Put it back, or open the run where the folder is now.",
				},
			};
		},
		snapshot: ({ towards, signal } = {}) =>
			withStore(signal, limits.measureMs, async (store) => {
				if (towards === undefined) {
					const kept = await store.keep();
					if (!kept.ok) return kept;
					const { tree, unkept } = kept.value;
					return { ok: true, value: { tree, unkept: leftList(unkept, seen(store)), notes: control.notes.splice(0) } };
				}
				const ready = await keepTowards(store, towards);
				if (!ready.ok) return ready;
				if (ready.value.blocked.length > 0) return inTheWay(ready.value.blocked);
				const { tree, unkept } = ready.value.kept;
				return { ok: true, value: { tree, unkept: leftList(unkept, seen(store)), notes: control.notes.splice(0) } };
			}),
		changes: (from, to, limit, signal) =>
			withStore(signal, limits.measureMs, async (store) => {
				const raw = await rawChanges(store, from, to, "found");
				if (!raw.ok) return raw;
				const changes = describeChanges(store, cwd, raw.value);
				return { ok: true, value: { changes: changes.slice(0, limit), more: Math.max(0, changes.length - limit) } };
			}),
		patch: (from, to, bytes, path) =>
			withStore(undefined, limits.measureMs, async (store) => {
				const below = relative(store.root, cwd).split(sep).join("/");
				const only = path === undefined ? store.below() : ["--", `:(top,literal)${posix.join(below, path)}`];
				const drawn = await store.git(
					["diff-tree", "-r", "-p", "-M", "-l2000", "--no-color", "--no-ext-diff", "--no-textconv", from, to, ...only],
					{ enough: bytes },
				);
				if (drawn.kind !== "done") {
					const known = await rawChanges(store, from, to, "apart");
					return known.ok ? gitFailure(drawn) : known;
				}
				const text = drawn.output
					.subarray(0, bytes)
					.toString("utf8")
					.replace(/\ufffd+$/, "");
				return { ok: true, value: text };
			}),
		preview: (tree, limit, signal) =>
			withStore(signal, limits.measureMs, async (store) => {
				const ready = await keepTowards(store, tree, "look");
				if (!ready.ok) return ready;
				const { plan, blocked } = ready.value;
				const changes = describeChanges(store, cwd, plan.writes);
				return {
					ok: true,
					value: {
						changes: changes.slice(0, limit),
						more: Math.max(0, changes.length - limit),
						left: leftList(plan.left, seen(store)),
						blocked,
					},
				};
			}),
		restore: (tree, { expected, before, signal } = {}) =>
			withStore(signal, limits.restoreMs, (store) =>
				restoreFiles(store, tree, { folder: place, cwd, expected, before }),
			),
		// The folder itself is what the outside sees.
		publish: async () => ({ ok: true, value: undefined }),
	};
}

type Work<T> = (store: Store) => Promise<Result<T, WorkspaceFailure>>;

/** Gives turns at the store: one operation at a time, each with its own bounds. */
function openTurns(
	options: StoreOptions,
): <T>(signal: AbortSignal | undefined, ms: number, work: Work<T>) => Promise<Result<T, WorkspaceFailure>> {
	const { control } = options;
	let opened: Result<Store, WorkspaceFailure> | undefined;
	let queue: Promise<unknown> = Promise.resolve();
	const turn = async <T>(
		signal: AbortSignal | undefined,
		ms: number,
		work: Work<T>,
	): Promise<Result<T, WorkspaceFailure>> => {
		if (signal?.aborted) return stopped;
		const late = AbortSignal.timeout(ms);
		control.signal = signal ? AbortSignal.any([signal, late]) : late;
		// A store that could not be opened is tried again: git may be there by then.
		if (!opened?.ok) opened = await openStore(options);
		const done = opened.ok ? await work(opened.value) : opened;
		if (done.ok) return done;
		if (signal?.aborted) return stopped;
		return late.aborted ? timedOut(ms) : done;
	};
	return (signal, ms, work) => {
		const done = queue.then(() => turn(signal, ms, work));
		queue = done.catch(() => {});
		return done;
	};
}
