// A private git repository beside a folder: its own index and objects, the folder as its working tree. It keeps states of the files.
// K1 the person's index, HEAD, refs, stash, hooks and configuration are never read for writing nor written; K2 contents are kept byte for
// byte: no filters, no line ends, no keywords; K3 what is too large or secret is noticed and not kept; K4 a repository inside is one entry;
// K5 every file of the store is the person's alone to read; K6 a store that git cannot use is set aside, never deleted, and begun anew.
import { createHash } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { delimiter, join, relative, sep } from "node:path";
import type { Result, WorkspaceFailure } from "../../core/index.ts";
import { gitFailure, ioFailure, isFull, noGit, stopped } from "./failures.ts";
import { type GitResult, runGit } from "./git.ts";
import { type Keeper, type KeptState, openKeeper } from "./keep.ts";
import { endOrphan, noteGit, removeLocks } from "./locks.ts";
import type { MarkKind } from "./marks.ts";
import { fromRaw, toRaw } from "./paths.ts";
import { type Surroundings, surroundingsOf } from "./repository.ts";

export interface StoreOptions {
	/** Folder that the run works in. */
	readonly cwd: string;
	/** Private folder for the store itself. */
	readonly folder: string;
	/** Folders that are never part of the files, absolute. */
	readonly leftOut: readonly string[];
	/** Folders of other stores whose kept states can be named here too. */
	readonly borrow: readonly string[];
	readonly limits: Limits;
	/** Whether the run's files are its folder's, or all of the repository's. */
	readonly scope: "folder" | "repository";
	/** Whether files that are secret by their name are kept. */
	readonly secrets: "left out" | "kept";
	/** What the operation at hand obeys. */
	readonly control: Control;
}

/** Shared by a store and those of the repositories inside it. */
export interface Control {
	/** Of the operation at hand. */
	signal: AbortSignal | undefined;
	/** What the person should know of the stores, until it has been told. */
	readonly notes: string[];
}

export interface Limits {
	/** Bytes of one file above which its content is not kept. */
	readonly fileBytes: number;
	/** Files in a folder above which nothing is kept. */
	readonly files: number;
	/** Bytes that one state may add. */
	readonly totalBytes: number;
	/** Bytes, compressed, that one state may take over from the person's repository; what is more stays borrowed. */
	readonly ownBytes: number;
	/** Milliseconds that keeping or comparing may take. */
	readonly measureMs: number;
	/** Milliseconds that bringing files back may take. */
	readonly restoreMs: number;
}

export interface Store {
	readonly root: string;
	readonly limits: Limits;
	readonly control: Control;
	/** Runs git on the store. `where`: in which objects, also those that are borrowed (default) or only the store's own. */
	git(
		args: readonly string[],
		more?: { input?: Buffer; index?: string; enough?: number; where?: "everywhere" | "own"; workTree?: string },
	): Promise<GitResult>;
	/** Arguments that limit a command of git to the files of the run; none where they are all. */
	below(): readonly string[];
	/** Whether `path` (bytes as latin1, below the root) is among the files of the run. */
	contains(path: string): boolean;
	/** The folder that is never part of the files and in which `path` lies, or that lies in `path`. */
	isOwn(path: string): boolean;
	/** Keeps the files as they are. */
	keep(): Promise<Result<KeptState, WorkspaceFailure>>;
	/** Takes ignored files into the files. */
	add(paths: readonly string[]): Promise<Result<void, WorkspaceFailure>>;
	/** The index is another now than the last state that was kept. */
	indexChanged(): void;
	/** The store of a repository inside, by its path below the root. */
	inner(path: string): Promise<Result<Store, WorkspaceFailure>>;
	/** What `object` stands for where it is no content. */
	markOf(object: string): MarkKind | undefined;
	/** What a content is kept as. */
	markFor(path: string, size: number): MarkKind | undefined;
}

const attributes = "* -text -filter -ident -working-tree-encoding -crlf -merge\n";

/** Opens the store; it is made on disk when it is new. */
export async function openStore(options: StoreOptions): Promise<Result<Store, WorkspaceFailure>> {
	const { folder, control, limits } = options;
	let around: Surroundings | undefined;
	try {
		around = await surroundingsOf(options.cwd, control.signal);
		if (control.signal?.aborted) return stopped;
		if (!around) return noGit(options.cwd);
		await mkdir(folder, { recursive: true, mode: 0o700 });
		await endOrphan(folder);
		await removeLocks(folder);
	} catch (error) {
		return ioFailure(error);
	}
	const { root } = around;
	const git = gitOf(options, around);
	const made = await prepare(options, around, git);
	if (!made.ok) return made;
	const scope = options.scope === "folder" ? around.below : "";
	const own = options.leftOut.map((path) => toRaw(relative(root, path)));
	const inner = new Map<string, Store>();
	let keeper: Keeper | undefined;
	const opened = (): Keeper => {
		if (!keeper) throw new Error("The store is not open yet.");
		return keeper;
	};
	const store: Store = {
		root,
		limits,
		control,
		git,
		below: () => (scope === "" ? [] : ["--", `:(top,literal)${fromRaw(scope)}`]),
		contains: (path) => scope === "" || path.startsWith(`${scope}/`),
		isOwn: (path) => own.some((one) => one === path || path.startsWith(`${one}/`)),
		keep: () => keepMended(options, around, store, opened()),
		add: (paths) => opened().add(paths),
		indexChanged: () => opened().indexChanged(),
		async inner(path) {
			const known = inner.get(path);
			if (known) return { ok: true, value: known };
			const name = createHash("sha256").update(path).digest("hex").slice(0, 16);
			const found = await openStore({
				...options,
				cwd: join(root, fromRaw(path)),
				scope: "repository",
				folder: join(folder, "inner", name),
				borrow: options.borrow.map((store) => join(store, "inner", name)),
			});
			if (found.ok) inner.set(path, found.value);
			return found;
		},
		markOf: (object) => opened().marks.kindOf(object),
		markFor: (path, size) => opened().marks.kindFor(path, size),
	};
	keeper = await openKeeper(store, options, around);
	return { ok: true, value: store };
}

function gitOf({ folder, borrow, control }: StoreOptions, { root, objects }: Surroundings): Store["git"] {
	const lent = [...(objects ? [objects] : []), ...borrow.map((store) => join(store, "objects"))];
	return (args, { input, index, enough, where = "everywhere", workTree = root } = {}) =>
		runGit({
			// Named on the command line too: whoever comes after a crash knows the git that is ours by it.
			args: [`--git-dir=${folder}`, "-c", "core.sharedRepository=0600", ...args],
			cwd: workTree,
			env: {
				GIT_DIR: folder,
				GIT_WORK_TREE: workTree,
				GIT_INDEX_FILE: index ?? join(folder, "index"),
				...(where === "own" ? {} : { GIT_ALTERNATE_OBJECT_DIRECTORIES: lent.map(quotePath).join(delimiter) }),
			},
			signal: control.signal,
			started: (pid) => noteGit(folder, pid),
			...(input ? { input } : {}),
			...(enough === undefined ? {} : { enough }),
		});
}

/** Keeps the files; where git fails, its locks, then the index, then the store are made anew. */
async function keepMended(
	options: StoreOptions,
	around: Surroundings,
	store: Store,
	keeper: Keeper,
): Promise<Result<KeptState, WorkspaceFailure>> {
	const { folder } = options;
	await removeLocks(folder);
	let kept = await keeper.keep();
	// A child that was killed has left its lock, and nothing else is wrong.
	for (const mend of [
		async () => {},
		// An index that a power cut has damaged is made again; all it costs is time.
		() => rm(join(folder, "index"), { force: true }),
		() => setAside(options, around, store.git),
	]) {
		if (kept.ok || kept.failure.reason !== "io") return kept;
		await removeLocks(folder);
		await mend();
		keeper.indexChanged();
		kept = await keeper.keep();
	}
	return kept;
}

async function prepare(
	options: StoreOptions,
	around: Surroundings,
	git: Store["git"],
): Promise<Result<void, WorkspaceFailure>> {
	const { folder, leftOut } = options;
	const fresh = await readFile(join(folder, "HEAD")).then(
		() => false,
		() => true,
	);
	if (fresh) {
		const made = await initialise(around, git);
		if (!made.ok && made.failure.reason !== "io") return made;
	}
	try {
		await mkdir(join(folder, "info"), { recursive: true, mode: 0o700 });
		const usable = await setAside(options, around, git);
		if (!usable.ok) return usable;
		const own = leftOut.flatMap((path) => {
			const way = relative(around.root, path);
			return way === "" || way.startsWith("..") ? [] : [`/${escapePattern(way.split(sep).join("/"))}/`];
		});
		// Whoever adds all files of the project, adds none of these.
		await writeFile(join(folder, ".gitignore"), "*\n", { mode: 0o600 });
		await writeFile(join(folder, "info", "attributes"), attributes, { mode: 0o600 });
		await writeFile(join(folder, "info", "exclude"), [around.ignored, ...own, ""].join("\n"), { mode: 0o600 });
		return { ok: true, value: undefined };
	} catch (error) {
		return ioFailure(error);
	}
}

async function initialise({ objectFormat }: Surroundings, git: Store["git"]): Promise<Result<void, WorkspaceFailure>> {
	const made = await git(["init", "-q", "--template=", `--object-format=${objectFormat}`]);
	return made.kind === "done" ? { ok: true, value: undefined } : gitFailure(made);
}

/** Makes sure that git can write to the store; one that it cannot use is set aside, with its objects still within reach. */
async function setAside(
	options: StoreOptions,
	around: Surroundings,
	git: Store["git"],
): Promise<Result<void, WorkspaceFailure>> {
	const { folder, control } = options;
	const probe = async (): Promise<GitResult> => git(["write-tree"], { index: join(folder, "index.probe") });
	const tried = await probe();
	if (tried.kind === "done") return { ok: true, value: undefined };
	if (tried.kind !== "failed" || isFull(tried.message)) return gitFailure(tried);
	await removeLocks(folder);
	const again = await probe();
	if (again.kind !== "failed") return again.kind === "done" ? { ok: true, value: undefined } : gitFailure(again);
	try {
		const aside = `${folder}.broken-${Date.now()}`;
		await rename(folder, aside);
		await mkdir(join(folder, "info"), { recursive: true, mode: 0o700 });
		const made = await initialise(around, git);
		if (!made.ok) return made;
		await writeFile(join(folder, "objects", "info", "alternates"), `${join(aside, "objects")}\n`, { mode: 0o600 });
		await readFile(join(aside, "large")).then(
			(marks) => writeFile(join(folder, "large"), marks, { mode: 0o600 }),
			() => {},
		);
		control.notes.push(
			`Git could not use the store of kept files (${(again.message.split("\n")[0] ?? "").slice(0, 120)}). It was set aside as ${aside} and begun anew; earlier states come back as far as they can still be read.`,
		);
		const last = await probe();
		return last.kind === "done" ? { ok: true, value: undefined } : gitFailure(last);
	} catch (error) {
		return ioFailure(error);
	}
}

/** A folder in git's list of them: one with the separator in its name is quoted. */
function quotePath(path: string): string {
	return path.includes(delimiter) || path.startsWith('"') ? JSON.stringify(path) : path;
}

function escapePattern(path: string): string {
	return path.replace(/[\\*?[\]!# ]/g, "\\$&");
}
