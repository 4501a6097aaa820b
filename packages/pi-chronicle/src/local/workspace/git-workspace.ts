// The files of a run on this machine, kept by git plumbing in a private store: in any folder, with or without a repository.
// It fulfills the port's contract; nothing is created on disk before the first snapshot; one operation runs at a time; every operation is
// bounded in time and ends soon after it is aborted.

import { realpath, stat } from "node:fs/promises";
import { join, posix } from "node:path";
import { pathList } from "@pi-chronicle/core/definition";
import type {
	ChildLeftovers,
	KeptFiles,
	ListedChanges,
	Result,
	Workspace,
	WorkspaceFailure,
} from "@pi-chronicle/core/ports";
import { type FileChange, totalChanges } from "@pi-chronicle/core/snapshot";
import { readCheckedOut, readUncommitted } from "../../disk/index.ts";
import { readBlobs } from "./blobs.ts";
import { endChildFolder, type FindElsewhere, joinChildren, noteLeftovers } from "./child-ends.ts";
import { type EndingChild, noteIgnored } from "./child-rest.ts";
import {
	findChild,
	findChildPlace,
	listChildren,
	type OpenedChild,
	openChildFolder,
	removeChildFolders,
} from "./children.ts";
import { describeChanges, drawPatch, rawChanges, relativeTo } from "./compare.ts";
import { ioFailure, stopped, timedOut, toResult, WorkspaceError } from "./failures.ts";
import { addKept } from "./ignored.ts";
import { snapshotTowards } from "./join.ts";
import { entriesOf, mergeSnapshots } from "./merge.ts";
import { openStore } from "./open-store.ts";
import { fromRaw, toRaw } from "./paths.ts";
import { prepareRestore, restoreTree } from "./restore.ts";
import { leftList } from "./restore-plan.ts";
import type { Limits, OperationControl, Store, StoreOptions } from "./store.ts";
import { noteRepositoriesAgain } from "./submodules.ts";

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
	/** Private folder that the folders of the run's children belong to. Default: `folder`. */
	readonly childrenOf?: string;
	/** Where the folder of the run's children is made, absolute. Default: in `childrenOf`. */
	readonly children?: string;
	/** Notices that come with the first snapshot. */
	readonly notes?: readonly string[];
	readonly limits?: Partial<Limits>;
	/** `repository`: also the rest of `cwd`'s repository. Default: `cwd` alone. */
	readonly scope?: StoreOptions["scope"];
	/** Whether files with secret names (`.env`, keys) are stored. Default: they are omitted. */
	readonly secrets?: StoreOptions["secrets"];
	/** Finds what children have left on other machines. Default: all children are on this one. */
	readonly elsewhere?: FindElsewhere;
}

/** The files of a run, with what is asked of the folder of a run that no parent on this machine has made. */
export interface GitWorkspace extends Workspace {
	/** Call before the first worker: the ignored files that exist now are not the run's. `own`: the run's folder. */
	noteStart(own: EndingChild): Promise<Result<void, WorkspaceFailure>>;
	/** Notes what the run leaves in its folder besides its last snapshot. */
	leftovers(
		own: EndingChild,
		kept: Pick<KeptFiles, "tree" | "unkept">,
	): Promise<Result<ChildLeftovers, WorkspaceFailure>>;
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
export function openGitWorkspace(options: GitWorkspaceOptions): GitWorkspace {
	const { cwd, folder, leftOut, alternate, childOf, scope = "folder", secrets = "left out" } = options;
	const storeFolder = join(folder, "files");
	const limits = { ...usual, ...options.limits };
	const control: OperationControl = { signal: undefined, notes: [...(options.notes ?? [])] };
	const recover = (store: Store) => addFilesOnDisk(store, options);
	const run = openQueue(childOf, recover, {
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
		leftList(left, (path) => relativeTo(store.cwd, store.root, path));

	return {
		open: () => toResult(() => checkFolder(cwd)),
		// What git says of a copy is nothing that the user has checked out or not committed.
		...(childOf === undefined ? { uncommitted: async () => pathList(await readUncommitted(cwd)) } : {}),
		...(childOf === undefined ? { checkedOut: () => readCheckedOut(cwd) } : {}),
		snapshot: ({ towards, keep = [], signal } = {}) =>
			run(signal, limits.measureMs, async (store) => {
				await addKept(store, keep);
				const { tree, unkept } = await (towards === undefined ? store.snapshot() : snapshotTowards(store, towards));
				return { tree, unkept: leftIn(store, unkept), notes: control.notes.splice(0) };
			}),
		changes: (from, to, limit, signal) =>
			run(signal, limits.measureMs, async (store) => {
				const raw = await rawChanges(store, from, to, "found");
				return firstChanges(describeChanges(store, store.cwd, raw), limit);
			}),
		patch: (from, to, bytes, path) =>
			run(undefined, limits.measureMs, (store) => drawPatch(store, from, to, bytes, path)),
		preview: (tree, limit, signal) =>
			run(signal, limits.measureMs, async (store) => {
				const { plan, blocked } = await prepareRestore(store, tree, "look");
				const shown = firstChanges(describeChanges(store, store.cwd, plan.writes), limit);
				return { ...shown, left: leftIn(store, plan.left), blocked };
			}),
		restore: (tree, { expected, before, signal } = {}) =>
			run(signal, limits.restoreMs, (store) =>
				restoreTree(store, tree, { folder: storeFolder, cwd: store.cwd, expected, before }),
			),
		merge: (sides, { take, signal } = {}) =>
			run(signal, limits.measureMs, (store) =>
				mergeSnapshots(store, sides, { folder: storeFolder, cwd: store.cwd, take }),
			),
		...childOperations(options, run, { limits, control }),
		noteStart: (own) => run(undefined, limits.measureMs, (store) => noteIgnored(store, own)),
		leftovers: (own, kept) => run(undefined, limits.measureMs, (store) => noteLeftovers(store, own, kept)),
		conflictMarkers: (tree, paths) => run(undefined, limits.measureMs, (store) => findMarkers(store, tree, paths)),
	};
}

type ChildOperations = Pick<
	Workspace,
	"openChild" | "noteSetUp" | "endChild" | "removeChildren" | "keepChild" | "join"
>;

/** The operations on the folders of children. */
function childOperations(
	options: GitWorkspaceOptions,
	run: ReturnType<typeof openQueue>,
	{ limits, control }: { readonly limits: Limits; readonly control: OperationControl },
): ChildOperations {
	const {
		childrenOf: folder = options.folder,
		children = join(folder, "children"),
		elsewhere = async () => [],
	} = options;
	const storeFolder = join(options.folder, "files");
	return {
		openChild: (child, tree, { links = [], hasSetup = false, signal } = {}) =>
			run(signal, limits.restoreMs, (store) =>
				openChildFolder(store, { child, tree, links, hasSetup, folder, children, storeFolder }),
			),
		noteSetUp: (child) =>
			run(undefined, limits.measureMs, async (store) => {
				const found = await findChildPlace(folder, child);
				if (!found) return;
				await noteIgnored(store, found);
				await noteRepositoriesAgain(found.place, found.root);
			}),
		async endChild(child, kept, signal) {
			const [there] = await elsewhere([child]);
			if (there) {
				const files = there.folders.flatMap((one) => one.files);
				return { ok: true, value: { files, ignored: there.ignored } };
			}
			const taken = kept ? { ok: true as const, value: kept } : await keepChildFolder(options, child, signal);
			if (!taken.ok) return taken;
			return run(signal, limits.measureMs, (store) => endChildFolder(store, folder, child, taken.value));
		},
		removeChildren: (except) =>
			run(undefined, limits.restoreMs, async (store) => {
				const here = await removeChildFolders(folder, except, {
					signal: control.signal,
					restOf: async (child) => {
						const kept = await keepChildFolder(options, child, control.signal);
						if (!kept.ok) return [{ path: ".", why: `its files could not be examined: ${kept.failure.message}` }];
						return (await endChildFolder(store, folder, child, kept.value)).files;
					},
				});
				const there = (await elsewhere()).filter(({ child }) => !except.includes(child));
				return [...here, ...there.flatMap(({ folders }) => folders)];
			}),
		join: (change, signal) => run(signal, limits.restoreMs, (store) => joinChildren(store, change, folder, elsewhere)),
		keepChild: (child, signal) => keepChildFolder(options, child, signal),
	};
}

async function keepChildFolder(
	options: GitWorkspaceOptions,
	child: string,
	signal: AbortSignal | undefined,
): ReturnType<Workspace["keepChild"]> {
	const { childrenOf: folder = options.folder } = options;
	const found = await findChildPlace(folder, child);
	if (found === undefined) return { ok: false, failure: noChild(child).failure };
	// Next to its files: a store is a separate folder "files".
	const store = join(found.place, "kept");
	const own = { ...options, cwd: found.cwd, folder: store, childrenOf: store, leftOut: [], childOf: folder };
	return openGitWorkspace(own).snapshot(signal ? { signal } : {});
}

async function checkFolder(cwd: string): Promise<{ readonly cwd: string }> {
	const stats = await stat(cwd).catch(() => undefined);
	if (stats?.isDirectory()) return { cwd: await realpath(cwd) };
	const remedy = "Restore it, or open the run in the folder's new location.";
	throw ioFailure(`The run's folder ${cwd} does not exist.`, remedy);
}

function firstChanges(changes: readonly FileChange[], limit: number): ListedChanges {
	const more = Math.max(0, changes.length - limit);
	return { changes: changes.slice(0, limit), more, total: totalChanges(changes) };
}

type StoreWork<T> = (store: Store) => Promise<T>;

/** Opens the store of the run's files, or of a child's. */
async function openFilesStore(childOf: string | undefined, options: StoreOptions): Promise<Store> {
	if (childOf === undefined) return openStore(options);
	const { record, root, index } = await requireChild(childOf, options.cwd);
	const { ignored, objectFormat } = record;
	return openStore({ ...options, child: { parentStore: join(childOf, "files"), root, index, ignored, objectFormat } });
}

async function requireChild(childOf: string, cwd: string): Promise<OpenedChild> {
	const found = await findChild(childOf, cwd).catch(() => undefined);
	if (found) return found;
	await checkFolder(cwd);
	throw noChild(cwd);
}

function noChild(cwd: string): WorkspaceError {
	return ioFailure(`${cwd} is not a child's folder.`);
}

/** Runs operations on the store, one at a time, each with its own time limit. */
function openQueue(
	childOf: string | undefined,
	recover: StoreWork<void>,
	options: StoreOptions,
): <T>(signal: AbortSignal | undefined, ms: number, work: StoreWork<T>) => Promise<Result<T, WorkspaceFailure>> {
	const { control } = options;
	let opened: Store | undefined;
	let queue: Promise<unknown> = Promise.resolve();
	const runNext = async <T>(signal: AbortSignal | undefined, ms: number, work: StoreWork<T>): Promise<T> => {
		if (signal?.aborted) throw stopped();
		const timeout = AbortSignal.timeout(ms);
		control.signal = signal ? AbortSignal.any([signal, timeout]) : timeout;
		try {
			// A link in the place of the folder would lead to files that are not the child's.
			if (opened && childOf !== undefined) await requireChild(childOf, options.cwd);
			// Opening a store is retried: git may have been installed in the meantime.
			opened ??= await openFilesStore(childOf, options);
			return await workOn(opened, work, recover);
		} catch (error) {
			if (signal?.aborted) throw stopped();
			throw timeout.aborted ? timedOut(ms) : error;
		}
	};
	return (signal, ms, work) => {
		const done = queue.then(() => toResult(() => runNext(signal, ms, work)));
		queue = done.catch(() => {});
		return done;
	};
}

/** Works on the store; if it lacks a snapshot, because its folder was deleted since, adds what is still on disk by `recover` and tries again. */
async function workOn<T>(store: Store, work: StoreWork<T>, recover: StoreWork<void>): Promise<T> {
	try {
		return await work(store);
	} catch (error) {
		if (!(error instanceof WorkspaceError) || error.failure.reason !== "unknown_tree") throw error;
		await recover(store);
		return work(store);
	}
}

/** Adds the files of the run and of its children, now and at their start, to the store. */
async function addFilesOnDisk(store: Store, options: GitWorkspaceOptions): Promise<void> {
	await store.snapshot();
	for (const { child, startIndex } of await listChildren(options.childrenOf ?? options.folder)) {
		await keepChildFolder(options, child, store.control.signal);
		await store.tryGit(["write-tree", "--missing-ok"], { index: startIndex });
	}
}

/** Those of `paths` (relative to the run's folder) whose contents in `tree` have conflict markers. */
async function findMarkers(store: Store, tree: string, paths: readonly string[]): Promise<readonly string[]> {
	const entries = await entriesOf(store, tree);
	const place = (path: string): string => posix.join(fromRaw(store.repository.below), path);
	const objects = paths.map((path) => entries.get(toRaw(place(path)))?.object);
	const contents = await readBlobs(store, [...new Set(objects.filter((object) => object !== undefined))]);
	// A removed file has no markers.
	return paths.filter((_, at) => /^<{7} /m.test(contents.get(objects[at] ?? "")?.toString("latin1") ?? ""));
}
