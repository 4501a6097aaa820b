// The workspace of a run that any host may continue: the private store of one machine, whose snapshots are published as git refs.
// W1 a snapshot is published before its caller learns its name; W2 a snapshot of another host is fetched when it is named.
import { join } from "node:path";
import type { Result, Workspace, WorkspaceFailure } from "../../core/index.ts";
import { type GitWorkspaceOptions, openGitWorkspace } from "../workspace/index.ts";
import { gitRemote, gitText } from "./remote.ts";
import { RunRefs, treeRef } from "./run-refs.ts";

export interface SharedWorkspaceOptions extends GitWorkspaceOptions {
	readonly run: string;
	readonly remote: string;
	/** The run whose refs hold the snapshots, where that is another one. */
	readonly trees?: string;
	/** Where the files are in the project's repository; default: `cwd`. */
	readonly repository?: string;
	/** Called with what could not be published and does not stop the run. */
	readonly report?: (text: string) => void;
}

export interface SharedWorkspace extends Workspace {
	readonly refs: RunRefs;
	/** The last snapshot that was published. */
	head(): string | undefined;
	/** Why the last snapshot could not be published; `undefined` if it was. Nothing that depends on it may be recorded. */
	unpublished(): WorkspaceFailure | undefined;
}

/** Opens the files of a run. Reads and writes nothing before the first operation. */
export function openSharedWorkspace(options: SharedWorkspaceOptions): SharedWorkspace {
	const { run, remote, folder, trees: owner = run, repository: cwd = options.cwd, report = () => {} } = options;
	// A child with a folder of its own shares the objects of its parent's store.
	const store = join(options.childOf ?? folder, "files");
	const refs = new RunRefs({ run, trees: owner, remote, cwd, store });
	const inner = openGitWorkspace(options);
	let head: string | undefined;
	let unpublished: WorkspaceFailure | undefined;
	/** Fetches a snapshot that this host does not have. A name that exists nowhere is left to the operation, which reports it. */
	const fetch = async (tree: string): Promise<void> => {
		const place = { gitDir: store, cwd };
		if ((await gitText(place, ["cat-file", "-t", tree]).catch(() => "")) === "tree") return;
		await gitRemote(place, ["fetch", "-q", "--no-write-fetch-head", "--no-tags", remote, treeRef(owner, tree)]);
	};
	let queue: Promise<unknown> = Promise.resolve();
	/** One after another: two pushes of one ref refuse each other. */
	const publish = (tree: string): Promise<Result<void, WorkspaceFailure>> => {
		const done = queue.then(() => publishNext(tree));
		queue = done.catch(() => {});
		return done;
	};
	const publishNext = async (tree: string): Promise<Result<void, WorkspaceFailure>> => {
		const pushed = await refs.pushTree(tree);
		if (pushed.ok) head = tree;
		unpublished = pushed.ok ? undefined : pushed.failure;
		return pushed;
	};
	/** The result of an operation once the files that it names are published. */
	const published = async <T extends { readonly tree: string }>(
		done: Result<T, WorkspaceFailure>,
	): Promise<Result<T, WorkspaceFailure>> => {
		if (!done.ok) return done;
		const pushed = await publish(done.value.tree);
		return pushed.ok ? done : pushed;
	};
	/** Repeats an operation that did not know a snapshot, after fetching it. */
	const withTrees = async <T>(
		trees: readonly string[],
		work: () => Promise<Result<T, WorkspaceFailure>>,
	): Promise<Result<T, WorkspaceFailure>> => {
		const done = await work();
		if (done.ok || done.failure.reason !== "unknown_tree") return done;
		for (const tree of trees) await fetch(tree);
		return work();
	};
	return {
		refs,
		head: () => head,
		unpublished: () => unpublished,
		open: inner.open,
		async snapshot(asked) {
			const towards = asked?.towards;
			return published(await withTrees(towards === undefined ? [] : [towards], () => inner.snapshot(asked)));
		},
		changes: (from, to, limit, signal) => withTrees([from, to], () => inner.changes(from, to, limit, signal)),
		patch: (from, to, bytes, path) => withTrees([from, to], () => inner.patch(from, to, bytes, path)),
		preview: (tree, limit, signal) => withTrees([tree], () => inner.preview(tree, limit, signal)),
		restore: async (tree, asked) => published(await withTrees([tree], () => inner.restore(tree, asked))),
		openChild: (child, tree, asked) => withTrees([tree], () => inner.openChild(child, tree, asked)),
		removeChildren: inner.removeChildren,
		keepChild: async (child, signal) => published(await inner.keepChild(child, signal)),
		conflictMarkers: (tree, paths) => withTrees([tree], () => inner.conflictMarkers(tree, paths)),
		merge: ({ base, ours, theirs, names }, asked) =>
			withTrees([base, ours, theirs], () => inner.merge({ base, ours, theirs, names }, asked)),
		join: async (change, signal) =>
			published(await withTrees([change.from, change.to], () => inner.join(change, signal))),
		async publish(tree, seq) {
			try {
				const conflict = await refs.moveBranch(tree, seq);
				if (conflict !== undefined) report(conflict);
			} catch (error) {
				report(`The branch of the run was not moved: ${(error as Error).message}`);
			}
			return { ok: true, value: undefined };
		},
	};
}

/** The files of a run of an engine for one who only looks: nothing is measured in `cwd`, the last published snapshot is the present. */
export function openLookingWorkspace(options: SharedWorkspaceOptions, head: string | null): Workspace {
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
		preview: async () => refused,
		restore: async () => refused,
		openChild: async () => refused,
		removeChildren: async () => refused,
		keepChild: async () => refused,
		join: async () => refused,
		publish: async () => refused,
	};
}
