// Keeping the files as they are: what is new or changed goes into the private index, and the index becomes a tree.
// P1 contents are read once: what has not changed since the last state costs a look; P2 a file that cannot be read is passed over and stops
// nothing; P3 what is too large has an entry that changes with its size and time; P4 a repository inside is one entry that changes with
// its HEAD and its files.
import { lstat, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Result, WorkspaceFailure } from "../supervisor/index.ts";
import { fromRaw, gitFailure, isFull, tooBig } from "./failures.ts";
import { modes, runGit } from "./git.ts";
import { openOwner } from "./own.ts";
import type { Surroundings } from "./repository.ts";
import type { Store, StoreOptions } from "./store.ts";

const largeMark = "pi-chronicle: too large to keep\n";
const innerMark = "pi-chronicle: repository\n";
const nothing = "0".repeat(40);

export interface Keeper {
	keep(): Promise<Result<string, WorkspaceFailure>>;
	indexChanged(): void;
	/** Whether `object` stands for a content that was too large to keep. */
	isLarge(object: string): boolean;
}

export interface Entry {
	/** Bytes as latin1. */
	readonly path: string;
	readonly mode: string;
	readonly object: string;
}

/** What the index holds that git by itself would not understand. */
interface Known {
	readonly repositories: Set<string>;
	/** By path: the object that stands for the content. */
	readonly large: Map<string, string>;
}

const done: Result<void, WorkspaceFailure> = { ok: true, value: undefined };

/** Opens the keeper of one store. */
export async function openKeeper(
	store: Store,
	{ folder, limits, borrow }: StoreOptions,
	around: Surroundings,
): Promise<Keeper> {
	// A store that was opened to look at another one goes away again.
	const owner =
		around.objects === undefined || borrow.length > 0 ? undefined : openOwner(store, folder, limits.ownBytes);
	const largeObjects = new Set(
		(await readFile(join(folder, "large"), "utf8").catch(() => "")).split("\n").filter(Boolean),
	);
	let known: Known | undefined;
	let last: string | undefined;
	let first = true;

	/** Runs git on a list of paths; nothing for an empty one. */
	const update = async (args: readonly string[], input: Buffer): Promise<Result<void, WorkspaceFailure>> => {
		if (input.length === 0) return done;
		const updated = await store.git(["update-index", "-z", ...args], { input });
		return updated.kind === "done" ? done : gitFailure(updated);
	};

	const keep = async (): Promise<Result<string, WorkspaceFailure>> => {
		if (!known) {
			const read = await readKnown(store);
			if (!read.ok) return read;
			known = read.value;
		}
		const { repositories, large } = known;
		const former = await formerRepositories(store, repositories);
		const forgotten = await update(
			["--index-info"],
			indexInfo(former.map((path) => ({ path, mode: "0", object: nothing }))),
		);
		if (!forgotten.ok) return forgotten;
		for (const path of former) repositories.delete(path);

		const listed = await store.git(["ls-files", "-z", "--others", "--modified", "--exclude-standard"]);
		if (listed.kind !== "done") return gitFailure(listed);
		const names = new Set(listed.output.toString("latin1").split("\0").filter(Boolean));
		// Once they are in the index, changes of these show like any other.
		if (first) for (const name of around.forced) names.add(name);
		for (const path of large.keys()) names.add(path);
		if (names.size > limits.files)
			return tooBig(
				`${count(names.size)} files in ${around.root} are new or changed; at most ${count(limits.files)} are kept.`,
			);

		const plain: string[] = [];
		const special: Entry[] = [];
		const shrunk: string[] = [];
		const grown = new Map<string, string>();
		let bytes = 0;
		for (const name of names) {
			const path = name.replace(/\/$/, "");
			const stats = await lstat(join(around.root, fromRaw(path))).catch(() => undefined);
			if (stats?.isDirectory()) {
				const entry = await keepRepository(store, path);
				if (entry) special.push(entry);
			} else if (stats?.isFile() && stats.size > limits.fileBytes) {
				const object = await writeObject(store, `${largeMark}size ${stats.size}\nmodified ${stats.mtimeMs}\n`);
				if (object === undefined || large.get(path) === object) continue;
				if (!largeObjects.has(object)) await remember(folder, largeObjects, object);
				grown.set(path, object);
				special.push({ path, mode: stats.mode & 0o100 ? modes.program : modes.file, object });
			} else {
				if (large.has(path)) shrunk.push(path);
				plain.push(path);
				bytes += stats?.size ?? 0;
			}
		}
		if (bytes > limits.totalBytes)
			return tooBig(
				`${count(Math.round(bytes / 1e6))} MB in ${around.root} are new or changed; at most ${count(Math.round(limits.totalBytes / 1e6))} MB are kept at once.`,
			);
		if (names.size === 0 && former.length === 0 && last !== undefined) return { ok: true, value: last };

		// Git is told not to look at large files: it would read them whole each time.
		const seen = await update(["--no-skip-worktree", "--stdin"], list(shrunk));
		if (!seen.ok) return seen;
		for (const path of shrunk) large.delete(path);
		const added = await addPlain(store, plain);
		if (!added.ok) return added;
		const set = await update(["--add", "--replace", "--index-info"], indexInfo(special));
		if (!set.ok) return set;
		const hidden = await update(["--skip-worktree", "--stdin"], list([...grown.keys()]));
		if (!hidden.ok) return hidden;
		for (const [path, object] of grown) large.set(path, object);
		for (const { path, mode } of special) if (mode === modes.repository) repositories.add(path);
		const written = await store.git(["write-tree"]);
		if (written.kind !== "done") return gitFailure(written);
		const tree = written.output.toString("latin1").trim();
		const owned = (await owner?.own(tree)) ?? done;
		if (!owned.ok) return owned;
		last = tree;
		first = false;
		return { ok: true, value: last };
	};

	return {
		async keep() {
			const tried = await keep();
			if (tried.ok || tried.failure.reason !== "io") return tried;
			// An index that a power cut has damaged is made again; all it costs is time.
			await rm(join(folder, "index"), { force: true });
			known = undefined;
			last = undefined;
			first = true;
			return keep();
		},
		indexChanged() {
			last = undefined;
			known = undefined;
		},
		isLarge: (object) => largeObjects.has(object),
	};
}

function count(number: number): string {
	return number.toLocaleString("en-US");
}

function list(names: readonly string[]): Buffer {
	return Buffer.from(names.map((name) => `${name}\0`).join(""), "latin1");
}

/** Lines for `update-index --index-info`: entries to set; an object of zeros takes one out. */
export function indexInfo(entries: readonly Entry[]): Buffer {
	const lines = entries.map(({ mode, object, path }) => `${/^0+$/.test(object) ? "0" : mode} ${object}\t${path}\0`);
	return Buffer.from(lines.join(""), "latin1");
}

async function readKnown(store: Store): Promise<Result<Known, WorkspaceFailure>> {
	const listed = await store.git(["ls-files", "-z", "-t", "--stage"]);
	if (listed.kind !== "done") return gitFailure(listed);
	const known: Known = { repositories: new Set(), large: new Map() };
	for (const line of listed.output.toString("latin1").split("\0")) {
		const [tag = "", mode = "", object = ""] = line.split(" ", 3);
		const path = line.slice(line.indexOf("\t") + 1);
		if (mode === modes.repository) known.repositories.add(path);
		else if (tag === "S") known.large.set(path, object);
	}
	return { ok: true, value: known };
}

/** Repositories of the last state that are plain folders, or nothing, now: git looks into them only once they are forgotten. */
async function formerRepositories(store: Store, repositories: ReadonlySet<string>): Promise<string[]> {
	const gone: string[] = [];
	for (const path of repositories) {
		const there = await lstat(join(store.root, fromRaw(path), ".git")).catch(() => undefined);
		if (!there) gone.push(path);
	}
	return gone;
}

async function addPlain(store: Store, names: readonly string[]): Promise<Result<void, WorkspaceFailure>> {
	if (names.length === 0) return done;
	const added = await store.git(["update-index", "-z", "--add", "--remove", "--replace", "--stdin"], {
		input: list(names),
	});
	if (added.kind === "done") return done;
	if (added.kind === "missing" || isFull(added.message)) return gitFailure(added);
	// A file that cannot be read, or that has become something else meanwhile, stops git: the others are taken without it.
	if (names.length === 1) return done;
	const half = Math.ceil(names.length / 2);
	const first = await addPlain(store, names.slice(0, half));
	return first.ok ? addPlain(store, names.slice(half)) : first;
}

async function keepRepository(store: Store, path: string): Promise<Entry | undefined> {
	const inside = await store.inner(path);
	if (!inside.ok) return undefined;
	const tree = await inside.value.keep();
	if (!tree.ok) return undefined;
	const head = await runGit({ args: ["rev-parse", "HEAD"], cwd: join(store.root, fromRaw(path)) });
	const at = head.kind === "done" ? head.output.toString("latin1").trim() : "none";
	const object = await writeObject(store, `${innerMark}head ${at}\ntree ${tree.value}\n`);
	return object === undefined ? undefined : { path, mode: modes.repository, object };
}

/** The tree of files that the entry of a repository inside stands for. */
export async function innerTree(store: Store, object: string): Promise<string | undefined> {
	const read = await store.git(["cat-file", "blob", object]);
	const text = read.kind === "done" ? read.output.toString("latin1") : "";
	return text.startsWith(innerMark) ? /^tree ([0-9a-f]+)$/m.exec(text)?.[1] : undefined;
}

async function writeObject(store: Store, text: string): Promise<string | undefined> {
	const written = await store.git(["hash-object", "-w", "--stdin"], { input: Buffer.from(text) });
	return written.kind === "done" ? written.output.toString("latin1").trim() : undefined;
}

async function remember(folder: string, large: Set<string>, object: string): Promise<void> {
	large.add(object);
	await writeFile(join(folder, "large"), `${object}\n`, { flag: "a", mode: 0o600 }).catch(() => {});
}
