// The files of a run on this machine, kept by git plumbing in a private store: in any folder, with or without a repository.
// W1 it fulfills the port's contract; W2 nothing is created on disk before the first snapshot; W3 one operation runs at a time; W4 every operation is
// bounded in time and ends soon after it is aborted.
import { stat } from "node:fs/promises";
import { join, posix, relative, sep } from "node:path";
import type { Result, Workspace, WorkspaceFailure } from "../../core/index.ts";
import { childrenFolder, childWorkFolder, findChild, openChildFolder, removeChildFolders } from "./children.ts";
import { describeChanges, rawChanges, relativeTo } from "./compare.ts";
import { gitFailure, ioFailure, stopped, timedOut } from "./failures.ts";
import { joinFiles, snapshotTowards } from "./join.ts";
import { findMarkers } from "./markers.ts";
import { mergeSnapshots } from "./merge.ts";
import { openStore } from "./open-store.ts";
import { prepareRestore, restoreTree } from "./restore.ts";
import { leftList } from "./restore-plan.ts";
import type { Limits, OperationControl, Store, StoreOptions } from "./store.ts";

export interface GitWorkspaceOptions {
	/** Folder that the run works in, absolute. */
	readonly cwd: string;
	/** Private folder of the run. */
	readonly folder: string;
	/** Folders that are not part of the files, such as the folder of all runs; absolute. */
	readonly leftOut: readonly string[];
	/** Private folder of another workspace on the same files, whose snapshots are readable here, to inspect another process's run. */
	readonly alternate?: string;
	/** Private folder of the parent run: `cwd` is the folder that it has created, and its store has the snapshots of both. */
	readonly childOf?: string;
	readonly limits?: Partial<Limits>;
	/** `repository`: also the rest of `cwd`'s repository. Default: `cwd` alone. */
	readonly scope?: StoreOptions["scope"];
	/** Whether files with secret names (`.env`, keys) are stored. Default: they are omitted. */
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

/** Opens the files of a run. Reads and writes nothing before the first operation. */
export function openGitWorkspace(options: GitWorkspaceOptions): Workspace {
	const { cwd, folder, leftOut, alternate, childOf, scope = "folder", secrets = "left out" } = options;
	const children = childrenFolder(folder);
	const storeFolder = join(folder, "files");
	const limits = { ...usual, ...options.limits };
	const control: OperationControl = { signal: undefined, notes: [] };
	const run = openQueue(childOf, {
		cwd,
		folder: storeFolder,
		leftOut: [folder, ...leftOut],
		alternates: alternate === undefined ? [] : [join(alternate, "files")],
		limits,
		scope,
		secrets,
		control,
	});
	const leftIn = (store: Store, left: ReadonlyMap<string, string>) =>
		leftList(left, (path) => relativeTo(cwd, store.root, path));

	return {
		open: () => checkFolder(cwd),
		snapshot: ({ towards, signal } = {}) =>
			run(signal, limits.measureMs, async (store) => {
				const taken = towards === undefined ? await store.snapshot() : await snapshotTowards(store, towards);
				if (!taken.ok) return taken;
				const { tree, unkept } = taken.value;
				return { ok: true, value: { tree, unkept: leftIn(store, unkept), notes: control.notes.splice(0) } };
			}),
		changes: (from, to, limit, signal) =>
			run(signal, limits.measureMs, async (store) => {
				const raw = await rawChanges(store, from, to, "found");
				if (!raw.ok) return raw;
				return { ok: true, value: firstOf(describeChanges(store, cwd, raw.value), limit) };
			}),
		patch: (from, to, bytes, path) =>
			run(undefined, limits.measureMs, (store) => drawPatch(store, cwd, from, to, bytes, path)),
		preview: (tree, limit, signal) =>
			run(signal, limits.measureMs, async (store) => {
				const prepared = await prepareRestore(store, tree, "look");
				if (!prepared.ok) return prepared;
				const { plan, blocked } = prepared.value;
				const shown = firstOf(describeChanges(store, cwd, plan.writes), limit);
				return { ok: true, value: { ...shown, left: leftIn(store, plan.left), blocked } };
			}),
		restore: (tree, { expected, before, signal } = {}) =>
			run(signal, limits.restoreMs, (store) =>
				restoreTree(store, tree, { folder: storeFolder, cwd, expected, before }),
			),
		openChild: (child, tree, { links = [], signal } = {}) =>
			run(signal, limits.restoreMs, (store) =>
				openChildFolder(store, { child, tree, links, children, storeFolder, cwd }),
			),
		removeChildren: (except) =>
			run(undefined, limits.restoreMs, ({ control: { signal } }) => removeChildFolders(children, except, signal)),
		merge: (sides, { take, signal } = {}) =>
			run(signal, limits.measureMs, (store) => mergeSnapshots(store, sides, { folder: storeFolder, cwd, take })),
		join: ({ from, to, names }, signal) =>
			run(signal, limits.restoreMs, (store) => joinFiles(store, { from, to, names, folder: storeFolder, cwd })),
		keepChild: (child, signal) => keepChildFolder(options, child, signal),
		conflictMarkers: (tree, paths) => run(undefined, limits.measureMs, (store) => findMarkers(store, cwd, tree, paths)),
	};
}

async function keepChildFolder(
	options: GitWorkspaceOptions,
	child: string,
	signal: AbortSignal | undefined,
): ReturnType<Workspace["keepChild"]> {
	const { folder } = options;
	const cwd = await childWorkFolder(folder, child);
	if (cwd === undefined) return ioFailure(noChild(child));
	// Next to its files: a store is a separate folder "files".
	const store = join(childrenFolder(folder), child, "kept");
	const own = { ...options, cwd, folder: store, leftOut: [], childOf: folder };
	return openGitWorkspace(own).snapshot(signal ? { signal } : {});
}

async function checkFolder(cwd: string): Promise<Result<{ readonly cwd: string }, WorkspaceFailure>> {
	const stats = await stat(cwd).catch(() => undefined);
	if (stats?.isDirectory()) return { ok: true, value: { cwd } };
	return {
		ok: false,
		failure: {
			reason: "io",
			message: `The run's folder ${cwd} does not exist.`,
			remedy: "Restore it, or open the run in the folder's new location.",
		},
	};
}

function firstOf<T>(changes: T[], limit: number): { readonly changes: T[]; readonly more: number } {
	return { changes: changes.slice(0, limit), more: Math.max(0, changes.length - limit) };
}

async function drawPatch(
	store: Store,
	cwd: string,
	from: string,
	to: string,
	bytes: number,
	path: string | undefined,
): Promise<Result<string, WorkspaceFailure>> {
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
	// The cut may split a character.
	const text = drawn.output.subarray(0, bytes).toString("utf8");
	return { ok: true, value: text.replace(/\ufffd+$/, "") };
}

type Work<T> = (store: Store) => Promise<Result<T, WorkspaceFailure>>;

/** Opens the store of the run's files, or of a child's. */
async function openFilesStore(
	childOf: string | undefined,
	options: StoreOptions,
): Promise<Result<Store, WorkspaceFailure>> {
	if (childOf === undefined) return openStore(options);
	const found = await findChild(childOf, options.cwd).catch(() => undefined);
	if (!found) return checkFolder(options.cwd).then((there) => (there.ok ? ioFailure(noChild(options.cwd)) : there));
	const { record, root, index } = found;
	const { ignored, objectFormat } = record;
	return openStore({ ...options, child: { parentStore: join(childOf, "files"), root, index, ignored, objectFormat } });
}

function noChild(cwd: string): Error {
	return new Error(`${cwd} is not a child's folder`);
}

/** Runs operations on the store, one at a time, each with its own time limit. */
function openQueue(
	childOf: string | undefined,
	options: StoreOptions,
): <T>(signal: AbortSignal | undefined, ms: number, work: Work<T>) => Promise<Result<T, WorkspaceFailure>> {
	const { control } = options;
	let opened: Result<Store, WorkspaceFailure> | undefined;
	let queue: Promise<unknown> = Promise.resolve();
	const runNext = async <T>(
		signal: AbortSignal | undefined,
		ms: number,
		work: Work<T>,
	): Promise<Result<T, WorkspaceFailure>> => {
		if (signal?.aborted) return stopped;
		const timeout = AbortSignal.timeout(ms);
		control.signal = signal ? AbortSignal.any([signal, timeout]) : timeout;
		// Opening a store is retried: git may have been installed in the meantime.
		if (!opened?.ok) opened = await openFilesStore(childOf, options);
		const done = opened.ok ? await work(opened.value) : opened;
		if (done.ok) return done;
		if (signal?.aborted) return stopped;
		return timeout.aborted ? timedOut(ms) : done;
	};
	return (signal, ms, work) => {
		const done = queue.then(() => runNext(signal, ms, work));
		queue = done.catch(() => {});
		return done;
	};
}
