// The workspace of a run that any host may continue: the private store of one machine, whose snapshots are published as git refs. A snapshot is
// published, or recorded with the next events, before its caller learns its name. A snapshot of another host is fetched when it is named.
import { join } from "node:path";
import type { ChildLeftovers, Result, Workspace, WorkspaceFailure } from "@pi-chronicle/core/ports";
import type { CheckedOut } from "@pi-chronicle/core/snapshot";
import { openCrashPoints } from "../supervisor/index.ts";
import {
	type EndingChild,
	type GitWorkspace,
	type GitWorkspaceOptions,
	gitText,
	openGitWorkspace,
	runGit,
} from "../workspace/index.ts";
import { gitFetch, thrownFailure } from "./git-remote.ts";
import { RunRefs, type RunRefsOptions } from "./run-refs.ts";
import {
	addNote,
	type RecordedSnapshot,
	type RunSnapshot,
	type RunStart,
	treeRef,
	unpackSnapshots,
} from "./run-snapshot.ts";
import { SnapshotPublisher } from "./snapshot-publisher.ts";
import { isObjectName, parseNote } from "./untrusted.ts";

export interface SharedWorkspaceOptions extends GitWorkspaceOptions, Pick<RunRefsOptions, "run" | "remote" | "trees"> {
	/** The snapshot that the run is at, if it is on the remote. */
	readonly published?: Pick<RunSnapshot, "tree" | "parent"> | undefined;
	/** Reads the snapshots of the run that are not on the remote yet. */
	readonly recorded?: () => Promise<readonly RecordedSnapshot[]>;
	/** What was checked out when the run's files were last recorded. */
	readonly checkedOut?: CheckedOut | undefined;
	/** Called with what could not be published and does not stop the run, and when the remote keeps an operation waiting. */
	readonly report?: ((text: string) => void) | undefined;
}

export interface SharedWorkspace extends Workspace {
	readonly refs: RunRefs;
	readonly publisher: SnapshotPublisher;
	/** Sees to it that trees which are no snapshots of the run's folder are on the remote. */
	publishTrees(trees: readonly string[]): Promise<Result<void, WorkspaceFailure>>;
	/** See `GitWorkspace.noteStart`. */
	readonly noteStart: GitWorkspace["noteStart"];
	/** Notes what the run leaves in its folder, `own`, besides a snapshot of now. */
	leftovers(own: EndingChild): Promise<Result<ChildLeftovers, WorkspaceFailure>>;
}

/** Opens the files of a run. Reads and writes nothing before the first operation. */
export function openSharedWorkspace(options: SharedWorkspaceOptions): SharedWorkspace {
	const { run, remote, cwd, folder, scope, trees: owner = run, report = () => {} } = options;
	// A child with a folder of its own shares the objects of its parent's store.
	const store = join(options.childOf ?? folder, "files");
	const files = { leftOut: [folder, ...options.leftOut], scope };
	const refs = new RunRefs({ run, trees: owner, remote, cwd, files, store, report });
	const publisher = new SnapshotPublisher({ refs, report, published: options.published, crashAt: openCrashPoints() });
	const inner = openGitWorkspace(options);
	/** The result of an operation once the files that it names are published, with the commit that they are on. */
	const published = async <T extends { readonly tree: string }>(
		work: Promise<Result<T, WorkspaceFailure>>,
	): Promise<Result<T, WorkspaceFailure>> => {
		// Meanwhile: it is a process of its own.
		const [done, head] = await Promise.all([work, refs.head()]);
		if (!done.ok) return done;
		const added = await publisher.add(done.value.tree, head);
		return added.ok ? done : added;
	};
	/** Repeats an operation that did not know a snapshot, after fetching it. */
	const withTrees = async <T>(
		trees: readonly string[],
		work: () => Promise<Result<T, WorkspaceFailure>>,
	): Promise<Result<T, WorkspaceFailure>> => {
		const named = trees.find((tree) => tree !== "" && !isObjectName(tree));
		if (named !== undefined) return notATree(named);
		const done = await work();
		if (done.ok || done.failure.reason !== "unknown_tree") return done;
		for (const tree of trees) await fetchSnapshot(options, store, tree);
		return work();
	};
	return {
		refs,
		publisher,
		async publishTrees(trees) {
			for (const tree of trees.filter((one) => !publisher.knows(one))) {
				// One that an earlier host has published is only there.
				const found = await withTrees([tree], () => inner.changes(tree, tree, 1));
				if (!found.ok) return found;
			}
			return publisher.pushTrees(trees);
		},
		open: inner.open,
		checkedOut: () => lastBranch(refs, cwd, options.checkedOut),
		snapshot(asked) {
			const towards = asked?.towards;
			return published(withTrees(towards === undefined ? [] : [towards], () => inner.snapshot(asked)));
		},
		changes: (from, to, limit, signal) => withTrees([from, to], () => inner.changes(from, to, limit, signal)),
		patch: (from, to, bytes, path) => withTrees([from, to], () => inner.patch(from, to, bytes, path)),
		preview: (tree, limit, signal) => withTrees([tree], () => inner.preview(tree, limit, signal)),
		restore: (tree, asked) => published(withTrees([tree], () => inner.restore(tree, asked))),
		openChild: (child, tree, asked) => withTrees([tree], () => inner.openChild(child, tree, asked)),
		noteSetUp: inner.noteSetUp,
		endChild: inner.endChild,
		removeChildren: inner.removeChildren,
		noteStart: (own) => withTrees([own.start], () => inner.noteStart(own)),
		async leftovers(own) {
			const taken = await inner.snapshot();
			return taken.ok ? withTrees([own.start], () => inner.leftovers(own, taken.value)) : taken;
		},
		// Not the files of the run's folder; what they are merged into is published as a result.
		keepChild: inner.keepChild,
		conflictMarkers: (tree, paths) => withTrees([tree], () => inner.conflictMarkers(tree, paths)),
		merge: ({ base, ours, theirs, names }, asked) =>
			withTrees([base, ours, theirs], () => inner.merge({ base, ours, theirs, names }, asked)),
		join: (change, signal) => published(withTrees([change.from, change.to], () => inner.join(change, signal))),
	};
}

/** Fetches a snapshot that this host does not have. A name that exists nowhere is left to the operation, which reports it. */
async function fetchSnapshot(
	{ run, trees: owner = run, remote, cwd, recorded, report }: SharedWorkspaceOptions,
	store: string,
	tree: string,
): Promise<void> {
	if (!isObjectName(tree)) return;
	const place = { gitDir: store, cwd, report };
	if ((await gitText(place, ["cat-file", "-t", tree]).catch(() => "")) === "tree") return;
	const ref = treeRef(owner, tree);
	if ((await gitFetch(place, remote, [`+${ref}:${ref}`])).kind === "done") {
		const message = await gitText(place, ["log", "-1", "--format=%B", ref]);
		return addNote(place, store, parseNote(message));
	}
	if (!recorded) return;
	const unpacked = recorded().then((snapshots) => unpackSnapshots(place, { remote, owner }, snapshots));
	await unpacked.catch(() => {});
}

/** What is checked out on a host, whose folder is at a commit at first: one that continues the `last` recorded one is progress of the same branch. */
async function lastBranch(refs: RunRefs, cwd: string, last: CheckedOut | undefined): Promise<CheckedOut | undefined> {
	const now = await refs.checkedOut();
	if (!now || now.branch !== null || !last || !isObjectName(last.commit)) return now;
	const args = ["merge-base", "--is-ancestor", last.commit, now.commit];
	const isProgress = now.commit === last.commit || (await runGit({ args, cwd })).kind === "done";
	return isProgress ? { ...now, branch: last.branch } : now;
}

/** What an event names as a snapshot would be an option of git. */
function notATree(named: string): { readonly ok: false; readonly failure: WorkspaceFailure } {
	const message = `${JSON.stringify(named.slice(0, 80))} does not name a snapshot.`;
	return { ok: false, failure: { reason: "unknown_tree", message, remedy: "Restore the database from a backup." } };
}

/** Publishes the files of now for a run on hosts, which leave `leftOut` out. */
export async function publishStart(
	{ snapshot, refs, publisher }: Pick<SharedWorkspace, "snapshot" | "refs" | "publisher">,
	leftOut: readonly string[],
): Promise<Result<Pick<RunStart, "head" | "parent">, WorkspaceFailure>> {
	const taken = await snapshot();
	if (!taken.ok) return taken;
	const { tree } = taken.value;
	const parent = publisher.parentOf(tree);
	if (parent === undefined) return { ok: true, value: { head: tree, parent: null } };
	try {
		const head = await refs.forHosts(tree, parent, leftOut);
		const pushed = await publisher.pushTrees([head]);
		return pushed.ok ? { ok: true, value: { head, parent } } : pushed;
	} catch (error) {
		return thrownFailure(error);
	}
}

/** The files of a run of an engine for one who only looks: nothing is measured in `cwd`, the last published snapshot is the present. */
export function openLookingWorkspace(options: SharedWorkspaceOptions, head: string | null): SharedWorkspace {
	const shared = openSharedWorkspace(options);
	const refused: Result<never, WorkspaceFailure> = {
		ok: false,
		failure: {
			reason: "io",
			message:
				head === null
					? "No host has published files of this run yet."
					: "The run's files are on the hosts of the engine.",
			remedy: "Inspect them with diff, or in the branch of the run.",
		},
	};
	return {
		...shared,
		snapshot: async () => (head === null ? refused : { ok: true, value: { tree: head, unkept: [], notes: [] } }),
		// A host leaves what it cannot restore, and names it then.
		async preview(tree, limit, signal) {
			const compared = head === null ? refused : await shared.changes(head, tree, limit, signal);
			return compared.ok ? { ok: true, value: { ...compared.value, left: [], blocked: [] } } : compared;
		},
		restore: async () => refused,
		openChild: async () => refused,
		noteSetUp: async () => refused,
		endChild: async () => refused,
		removeChildren: async () => refused,
		keepChild: async () => refused,
		join: async () => refused,
	};
}
