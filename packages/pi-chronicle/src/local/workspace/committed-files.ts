// What git would commit for files of a snapshot, which has their bytes as they are on disk: line ends, `ident`, encodings and filters such as that of Git LFS
// are reverted, so that the branch of a run shows no change of a file that nobody changed.
// Filters are those of this user's configuration, never those of the repository, which an agent can write; a filter may keep contents elsewhere: its
// output is used only where it is the content of the base.

import { join } from "node:path";
import { inTemporaryFolder } from "../../disk/index.ts";
import { readBlobs } from "./blobs.ts";
import type { RawChange } from "./compare.ts";
import { isNothing, modes, nulled, runGit, type TreeEntry } from "./git.ts";
import { explainGit, type GitPlace } from "./git-place.ts";
import { fromRaw } from "./paths.ts";

/** Objects that were converted before, by path and object. */
export type ConvertedObjects = Map<string, string>;

/** Git on the objects of the run. */
type Objects = Parameters<typeof readBlobs>[0];

type Git = (args: readonly string[], input: Buffer) => Promise<Buffer>;

/** The attributes that convert contents, and those of one path. */
const attributes = ["filter", "text", "eol", "ident", "working-tree-encoding"] as const;
type Attributes = Readonly<Partial<Record<(typeof attributes)[number], string>>>;

/** The entries of changed files that git would commit with other contents than they have on disk. Throws git's error text. */
export async function committedFiles(
	place: GitPlace,
	store: Objects,
	changes: readonly RawChange[],
	converted: ConvertedObjects,
): Promise<readonly TreeEntry[]> {
	const files = changes.filter(({ after }) => after.mode === modes.file || after.mode === modes.program);
	const named = files.filter(({ path }) => !fromRaw(path).includes("\ufffd"));
	if (named.length === 0) return [];
	return inTemporaryFolder(async (folder) => {
		const git = await openPlain(place, folder, named[0]?.after.object.length === 64 ? "sha256" : "sha1");
		return git ? convert(store, git, named, converted) : [];
	});
}

/** Git on the working folder with an empty repository at `folder`, whose objects are those of `place`; `undefined`: there is no working folder. */
async function openPlain(place: GitPlace, folder: string, format: string): Promise<Git | undefined> {
	const { gitDir, cwd, signal } = place;
	const top = await runGit({ args: ["rev-parse", "--show-toplevel"], cwd, signal });
	if (top.kind !== "done") return undefined;
	const root = top.output.toString("utf8").replace(/\n$/, "");
	const git: Git = async (args, input) => {
		const at = [`--git-dir=${folder}`, `--work-tree=${root}`];
		const env = { GIT_OBJECT_DIRECTORY: join(gitDir, "objects") };
		const ran = await runGit({ args: [...at, ...args], cwd: root, env, settings: "users", input, signal });
		if (ran.kind !== "done") throw new Error(explainGit(ran));
		return ran.output;
	};
	await git(["init", "-q", "--template=", `--object-format=${format}`], Buffer.alloc(0));
	return git;
}

async function convert(
	store: Objects,
	git: Git,
	files: readonly RawChange[],
	converted: ConvertedObjects,
): Promise<readonly TreeEntry[]> {
	const found = await attributesOf(git, files);
	const candidates = files.filter(({ path }) => found.has(path));
	const objects = candidates.flatMap(({ before, after }) => [before.object, after.object]);
	const contents = await readBlobs(store, [...new Set(objects.filter((object) => !isNothing(object)))]);
	const entries: TreeEntry[] = [];
	for (const { path, before, after } of candidates) {
		const [old, content] = [contents.get(before.object), contents.get(after.object)];
		const { filter, ...builtIn } = found.get(path) ?? {};
		if (!content || (filter === undefined && !isConverted(builtIn, old, content))) continue;
		const key = `${after.object} ${path}`;
		const object = converted.get(key) ?? (await hashContent(git, path, content));
		converted.set(key, object);
		if (object !== after.object && (filter === undefined || object === before.object))
			entries.push({ path, mode: after.mode, object });
	}
	return entries;
}

/** Whether git converts `content` by itself. Line ends of a text that has CRLF in the base are kept with `text=auto`. */
function isConverted({ text, ...others }: Attributes, old: Buffer | undefined, content: Buffer): boolean {
	if (others.ident !== undefined || others["working-tree-encoding"] !== undefined) return true;
	return content.includes("\r\n") && !(text === "auto" && old?.includes("\r\n"));
}

async function hashContent(git: Git, path: string, content: Buffer): Promise<string> {
	const written = await git(["hash-object", "-w", "--stdin", `--path=${fromRaw(path)}`], content);
	return written.toString("latin1").trim();
}

/** The set attributes of the files that have some, by path. */
async function attributesOf(git: Git, files: readonly RawChange[]): Promise<ReadonlyMap<string, Attributes>> {
	const listed = await git(["check-attr", "-z", "--stdin", ...attributes], nulled(files.map(({ path }) => path)));
	const fields = listed.toString("latin1").split("\0");
	const found = new Map<string, Attributes>();
	for (let at = 0; at + 2 < fields.length; at += 3) {
		const [path = "", name = "", value = ""] = fields.slice(at, at + 3);
		if (value !== "unspecified" && value !== "unset") found.set(path, { ...found.get(path), [name]: value });
	}
	return found;
}
