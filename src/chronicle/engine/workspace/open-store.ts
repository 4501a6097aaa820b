// Opens a store and repairs it.
// K1 the user's index, HEAD, refs, stash, hooks and configuration are never written, nor read in order to write; K2 contents are stored byte for
// byte: no filters, no line-end conversion, no keywords; K3 only the user can read the store's files; K4 a store that git cannot use is moved aside,
// never deleted, and a new one is created.
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { basename, delimiter, dirname, join, relative, sep } from "node:path";
import type { Result, WorkspaceFailure } from "../../core/index.ts";
import { copyIndex } from "./copy-index.ts";
import { done, gitFailure, ioFailure, isFull, noGit, stopped } from "./failures.ts";
import { type GitResult, runGit } from "./git.ts";
import { killOrphanedGit, removeLocks } from "./locks.ts";
import { fromRaw, toRaw } from "./paths.ts";
import { openPlaceholders, PLACEHOLDER_LIST } from "./placeholders.ts";
import { type ChildStore, inspectChild, inspectRepository, type RepositoryInfo } from "./repository.ts";
import { openSnapshotter, type Snapshotter } from "./snapshot.ts";
import { escapePattern, type FileSnapshot, privateAttributes, type Store, type StoreOptions } from "./store.ts";

/** Separates the name of a store that was moved aside from the time. */
const asideMark = ".broken-";

/** A store that is being opened, as needed by the functions here. */
interface Place {
	readonly options: StoreOptions;
	readonly repository: RepositoryInfo;
	readonly git: Store["git"];
}

/** Opens the store, and creates it on disk if it does not exist. */
export async function openStore(options: StoreOptions): Promise<Result<Store, WorkspaceFailure>> {
	await killOrphanedGit(options.folder);
	return openAt(options);
}

async function openAt(options: StoreOptions): Promise<Result<Store, WorkspaceFailure>> {
	const { folder, control, limits, alternates } = options;
	let repository: RepositoryInfo | undefined;
	try {
		repository = options.child
			? await inspectChild(options.child, options.cwd, control.signal)
			: await inspectRepository(options.cwd, control.signal);
		if (control.signal?.aborted) return stopped;
		if (!repository) return noGit(options.cwd);
		await mkdir(folder, { recursive: true, mode: 0o700 });
		await removeLocks(folder);
	} catch (error) {
		return ioFailure(error);
	}
	const { root, below, objects } = repository;
	const git = gitOf(options, repository);
	const place: Place = { options, repository, git };
	const prepared = await prepare(place);
	if (!prepared.ok) return prepared;
	const scope = options.scope === "folder" ? below : "";
	const own = options.leftOut.map((path) => toRaw(relative(root, path)));
	const placeholders = await openPlaceholders(git, options);
	const base = {
		root,
		repository,
		limits,
		control,
		git,
		below: () => (scope === "" ? [] : ["--", `:(top,literal)${fromRaw(scope)}`]),
		contains: (path: string) => scope === "" || path.startsWith(`${scope}/`),
		isOwn: (path: string) => own.some((one) => one === path || path.startsWith(`${one}/`)),
		nested: openNested(options, root),
		placeholderOf: placeholders.kindOf,
		placeholderFor: placeholders.kindFor,
		makePlaceholder: placeholders.make,
		reloadPlaceholders: placeholders.reload,
	};
	// A store with alternates only serves to inspect another one, and is removed afterward.
	const imports = objects !== undefined && alternates.length === 0 ? { folder, maxBytes: limits.ownBytes } : undefined;
	const snapshotter = openSnapshotter(base, repository, placeholders, imports);
	const store: Store = {
		...base,
		snapshot: () => snapshotOrRepair(place, snapshotter),
		add: snapshotter.add,
		indexChanged: snapshotter.indexChanged,
	};
	return { ok: true, value: store };
}

/** Opens each nested repository's store once. */
function openNested(options: StoreOptions, root: string): Store["nested"] {
	const opened = new Map<string, Store>();
	return async (path) => {
		const known = opened.get(path);
		if (known) return { ok: true, value: known };
		const name = createHash("sha256").update(path).digest("hex").slice(0, 16);
		const found = await openAt({
			...options,
			cwd: join(root, fromRaw(path)),
			scope: "repository",
			child: undefined,
			folder: join(options.folder, "inner", name),
			alternates: options.alternates.map((store) => join(store, "inner", name)),
		});
		if (found.ok) opened.set(path, found.value);
		return found;
	};
}

function gitOf({ folder, alternates, control }: StoreOptions, { root, objects }: RepositoryInfo): Store["git"] {
	const others = [...(objects ? [objects] : []), ...alternates.map((store) => join(store, "objects"))];
	return (args, { input, index, enough, accept, where = "everywhere", workTree = root, env } = {}) =>
		runGit({
			// Also on the command line: after a crash, the next supervisor recognizes this git by it.
			args: [`--git-dir=${folder}`, "-c", "core.sharedRepository=0600", ...args],
			cwd: workTree,
			env: {
				...env,
				GIT_DIR: folder,
				GIT_WORK_TREE: workTree,
				GIT_INDEX_FILE: index ?? join(folder, "index"),
				...(where === "own" ? {} : { GIT_ALTERNATE_OBJECT_DIRECTORIES: others.map(quotePath).join(delimiter) }),
			},
			signal: control.signal,
			...(input ? { input } : {}),
			...(accept ? { accept } : {}),
			...(enough === undefined ? {} : { enough }),
		});
}

/** Takes a snapshot. If git fails, removes the locks, then recreates the index, then the store, and retries after each step. */
async function snapshotOrRepair(
	place: Place,
	snapshotter: Snapshotter,
): Promise<Result<FileSnapshot, WorkspaceFailure>> {
	const { folder } = place.options;
	await removeLocks(folder);
	let taken = await snapshotter.snapshot();
	const repairs = [
		// A killed git has left its lock; nothing else is wrong.
		async () => {},
		// An index damaged by a power failure is recreated, which only costs time.
		() => rm(join(folder, "index"), { force: true }),
		() => ensureUsable(place),
	];
	for (const repair of repairs) {
		if (taken.ok || taken.failure.reason !== "io") return taken;
		// It may have been started just as its supervisor was killed.
		await killOrphanedGit(folder);
		await removeLocks(folder);
		await repair();
		snapshotter.indexChanged();
		taken = await snapshotter.snapshot();
	}
	return taken;
}

async function prepare(place: Place): Promise<Result<void, WorkspaceFailure>> {
	const { folder, leftOut } = place.options;
	const exists = await readFile(join(folder, "HEAD")).then(
		() => true,
		() => false,
	);
	if (!exists) {
		const made = await initialize(place);
		if (!made.ok && made.failure.reason !== "io") return made;
	}
	try {
		const usable = await ensureUsable(place);
		if (!usable.ok) return usable;
		await mkdir(join(folder, "info"), { recursive: true, mode: 0o700 });
		const own = leftOut.flatMap((path) => {
			const way = relative(place.repository.root, path);
			return way === "" || way.startsWith("..") ? [] : [`/${escapePattern(way.split(sep).join("/"))}/`];
		});
		// `git add` of the whole project adds none of the store's files.
		await writeFile(join(folder, ".gitignore"), "*\n", { mode: 0o600 });
		await writeFile(join(folder, "info", "attributes"), privateAttributes, { mode: 0o600 });
		const excluded = [place.repository.ignored, ...own, ""].join("\n");
		await writeFile(join(folder, "info", "exclude"), excluded, { mode: 0o600 });
		return done;
	} catch (error) {
		return ioFailure(error);
	}
}

/** Creates the store. Imports from stores that were moved aside come first, because a store with a HEAD is complete. */
async function initialize({ options, repository, git }: Place): Promise<Result<void, WorkspaceFailure>> {
	try {
		if (options.child) await shareObjects(options.folder, options.child);
		else await takeOver(options.folder);
	} catch (error) {
		return ioFailure(error);
	}
	const made = await git(["init", "-q", "--template=", `--object-format=${repository.objectFormat}`]);
	return made.kind === "done" ? done : gitFailure(made);
}

/** Makes sure that git can write to the store. An unusable one is moved aside; its objects stay readable from the new one. */
async function ensureUsable(place: Place): Promise<Result<void, WorkspaceFailure>> {
	const { folder } = place.options;
	const probe = async (): Promise<GitResult> => place.git(["write-tree"], { index: join(folder, "index.probe") });
	const tried = await probe();
	if (tried.kind === "done") return done;
	if (tried.kind !== "failed" || isFull(tried.message)) return gitFailure(tried);
	await removeLocks(folder);
	const again = await probe();
	if (again.kind !== "failed") return again.kind === "done" ? done : gitFailure(again);
	try {
		const replaced = await replaceStore(place, again.message);
		if (!replaced.ok) return replaced;
		const last = await probe();
		return last.kind === "done" ? done : gitFailure(last);
	} catch (error) {
		return ioFailure(error);
	}
}

async function replaceStore(place: Place, message: string): Promise<Result<void, WorkspaceFailure>> {
	const { folder, control } = place.options;
	const aside = `${folder}${asideMark}${Date.now()}`;
	await rename(folder, aside);
	const made = await initialize(place);
	if (!made.ok) return made;
	const cause = (message.split("\n")[0] ?? "").slice(0, 120);
	control.notes.push(
		`Git could not use the store of file snapshots (${cause}). It was moved aside to ${aside}, and a new one was created; earlier snapshots can be restored as far as they are still readable.`,
	);
	return done;
}

/** Makes the store of a child in `folder` use the objects of its parent's. */
async function shareObjects(folder: string, { parentStore, index }: ChildStore): Promise<void> {
	await mkdir(folder, { recursive: true, mode: 0o700 });
	const objects = join(folder, "objects");
	await rm(objects, { recursive: true, force: true });
	await symlink(join(parentStore, "objects"), objects, "junction");
	// The files are unchanged since their creation, so the first snapshot need not read them all.
	await copyIndex(index, join(folder, "index")).catch(() => {});
}

/** Adds the objects and placeholders of stores that were moved aside to a new store in `folder`. */
async function takeOver(folder: string): Promise<void> {
	const prefix = `${basename(folder)}${asideMark}`;
	const names = (await readdir(dirname(folder))).filter((name) => name.startsWith(prefix)).sort();
	if (names.length === 0) return;
	const stores = names.map((name) => join(dirname(folder), name));
	await mkdir(join(folder, "objects", "info"), { recursive: true, mode: 0o700 });
	const objects = stores.map((store) => `${join(store, "objects")}\n`).join("");
	await writeFile(join(folder, "objects", "info", "alternates"), objects, { mode: 0o600 });
	const lists = await Promise.all(
		stores.map((store) => readFile(join(store, PLACEHOLDER_LIST), "utf8").catch(() => "")),
	);
	await writeFile(join(folder, PLACEHOLDER_LIST), lists.join(""), { mode: 0o600 });
}

/** A folder in git's list of object directories: one with the separator in its name is quoted. */
function quotePath(path: string): string {
	return path.includes(delimiter) || path.startsWith('"') ? JSON.stringify(path) : path;
}
