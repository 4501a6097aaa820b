// A private git repository beside a folder: its own index and objects, the folder as its working tree. It keeps states of the files.
// K1 the person's index, HEAD, refs, stash, hooks and configuration are never read for writing nor written; K2 contents are kept byte for
// byte: no filters, no line ends, no keywords; K3 what is too large is noticed and not kept; K4 a repository inside is one entry; K5 every
// file of the store is the person's alone to read.
import { createHash } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { delimiter, join, relative, sep } from "node:path";
import type { Result, WorkspaceFailure } from "../supervisor/index.ts";
import { fromRaw, gitFailure, ioFailure, noGit } from "./failures.ts";
import { type GitResult, runGit } from "./git.ts";
import { openKeeper } from "./keep.ts";
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
}

export interface Store {
	readonly root: string;
	/** Runs git on the store. `where`: in which objects, also those that are borrowed (default) or only the store's own. */
	git(
		args: readonly string[],
		more?: { input?: Buffer; index?: string; enough?: number; where?: "everywhere" | "own" },
	): Promise<GitResult>;
	/** Keeps the files as they are; the name of their tree. */
	keep(): Promise<Result<string, WorkspaceFailure>>;
	/** The index is another now than the last state that was kept. */
	indexChanged(): void;
	/** The store of a repository inside, by its path below the root. */
	inner(path: string): Promise<Result<Store, WorkspaceFailure>>;
	/** Whether `object` stands for a content that was too large to keep. */
	isLarge(object: string): boolean;
}

const attributes = "* -text -filter -ident -working-tree-encoding -crlf -merge\n";

/** Opens the store; it is made on disk when it is new. */
export async function openStore(options: StoreOptions): Promise<Result<Store, WorkspaceFailure>> {
	const { folder } = options;
	let around: Surroundings | undefined;
	try {
		around = await surroundingsOf(options.cwd);
		if (!around) return noGit(options.cwd);
		await mkdir(folder, { recursive: true, mode: 0o700 });
		// Left by a supervisor that died in the middle; the run's lease says that nobody else is at it.
		await rm(join(folder, "index.lock"), { force: true });
	} catch (error) {
		return ioFailure(error);
	}
	const { root } = around;
	const lent = [...(around.objects ? [around.objects] : []), ...options.borrow.map((store) => join(store, "objects"))];
	const git: Store["git"] = (args, { input, index, enough, where = "everywhere" } = {}) =>
		runGit({
			args: ["-c", "core.sharedRepository=0600", ...args],
			cwd: root,
			env: {
				GIT_DIR: folder,
				GIT_WORK_TREE: root,
				GIT_INDEX_FILE: index ?? join(folder, "index"),
				...(where === "own" ? {} : { GIT_ALTERNATE_OBJECT_DIRECTORIES: lent.map(quotePath).join(delimiter) }),
			},
			...(input ? { input } : {}),
			...(enough === undefined ? {} : { enough }),
		});
	const made = await prepare(options, around, git);
	if (!made.ok) return made;
	const inner = new Map<string, Store>();
	const store: Store = {
		root,
		git,
		keep: () => keeper.keep(),
		indexChanged: () => keeper.indexChanged(),
		async inner(path) {
			const known = inner.get(path);
			if (known) return { ok: true, value: known };
			const name = createHash("sha256").update(path).digest("hex").slice(0, 16);
			const opened = await openStore({
				...options,
				cwd: join(root, fromRaw(path)),
				folder: join(folder, "inner", name),
				borrow: options.borrow.map((store) => join(store, "inner", name)),
			});
			if (opened.ok) inner.set(path, opened.value);
			return opened;
		},
		isLarge: (object) => keeper.isLarge(object),
	};
	const keeper = await openKeeper(store, options, around);
	return { ok: true, value: store };
}

async function prepare(
	{ folder, leftOut }: StoreOptions,
	around: Surroundings,
	git: Store["git"],
): Promise<Result<void, WorkspaceFailure>> {
	const fresh = await readFile(join(folder, "HEAD")).then(
		() => false,
		() => true,
	);
	if (fresh) {
		const made = await git(["init", "-q", "--template=", `--object-format=${around.objectFormat}`]);
		if (made.kind !== "done") return gitFailure(made);
	}
	try {
		await mkdir(join(folder, "info"), { recursive: true, mode: 0o700 });
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

/** A folder in git's list of them: one with the separator in its name is quoted. */
function quotePath(path: string): string {
	return path.includes(delimiter) || path.startsWith('"') ? JSON.stringify(path) : path;
}

function escapePattern(path: string): string {
	return path.replace(/[\\*?[\]!# ]/g, "\\$&");
}
