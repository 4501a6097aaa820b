// The files of a run on this machine, kept by git plumbing in a private store: in any folder, with or without a repository.
// W1 the port's promises; W2 nothing is made before the first state is kept; W3 one thing at a time.
import { stat } from "node:fs/promises";
import { join, posix, relative, sep } from "node:path";
import type { Result, Workspace, WorkspaceFailure } from "../supervisor/index.ts";
import { describeChanges, rawChanges } from "./compare.ts";
import { gitFailure } from "./failures.ts";
import { restoreFiles } from "./restore.ts";
import { type Limits, openStore, type Store } from "./store.ts";

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
}

const usual: Limits = { fileBytes: 20_000_000, files: 200_000, totalBytes: 2_000_000_000, ownBytes: 500_000_000 };

export function openGitWorkspace({ cwd, folder, leftOut, borrow, limits }: GitWorkspaceOptions): Workspace {
	const place = join(folder, "files");
	let opened: Promise<Result<Store, WorkspaceFailure>> | undefined;
	let queue: Promise<unknown> = Promise.resolve();
	const withStore = <T>(
		work: (store: Store) => Promise<Result<T, WorkspaceFailure>>,
	): Promise<Result<T, WorkspaceFailure>> => {
		const done = queue.then(async () => {
			opened ??= openStore({
				cwd,
				folder: place,
				leftOut: [folder, ...leftOut],
				borrow: borrow === undefined ? [] : [join(borrow, "files")],
				limits: { ...usual, ...limits },
			});
			const store = await opened;
			// A store that could not be opened is tried again: git may be there by then.
			if (!store.ok) opened = undefined;
			return store.ok ? work(store.value) : store;
		});
		queue = done.catch(() => {});
		return done;
	};

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
		snapshot: () => withStore((store) => store.keep()),
		changes: (from, to, limit) =>
			withStore(async (store) => {
				const raw = await rawChanges(store, from, to, "found");
				if (!raw.ok) return raw;
				const changes = describeChanges(store, cwd, raw.value);
				return { ok: true, value: { changes: changes.slice(0, limit), more: Math.max(0, changes.length - limit) } };
			}),
		patch: (from, to, bytes, path) =>
			withStore(async (store) => {
				const below = relative(store.root, cwd).split(sep).join("/");
				const only = path === undefined ? [] : ["--", `:(top,literal)${posix.join(below, path)}`];
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
		restore: (tree) => withStore((store) => restoreFiles(store, tree, place)),
		// The folder itself is what the outside sees.
		publish: async () => ({ ok: true, value: undefined }),
	};
}
