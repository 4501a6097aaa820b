// Submodules, and other repositories inside the project: what the folder of a child gets of them.
// Their current files are copied, each with a repository of its own that is at the same commit and reads the objects of the project's; the copy is
// not part of the child's files, so that no join changes those of the project; what the child has changed in it is found at its end; the child's
// repository has the project's entries (gitlinks) of submodules, so that `git submodule` works there.

import { appendFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { eitherOf, isText, listOf, object, oneOf } from "@pi-chronicle/core/definition";
import type { FileLeft } from "@pi-chronicle/core/snapshot";
import { undefinedIfMissing } from "../../disk/index.ts";
import { readNote, writeNote } from "./child-notes.ts";
import { alternateLine, type ChildRepository } from "./child-repository.ts";
import { cloneFolder, measureFolder, requireRoom } from "./clone-folder.ts";
import { copyIndex } from "./copy-index.ts";
import { escapePattern } from "./exclusions.ts";
import { gitFailure } from "./failures.ts";
import { answersOf, type GitResult, modes, nulled, revParse, runGit } from "./git.ts";
import { foldersAbove, fromRaw } from "./paths.ts";
import type { Store } from "./store.ts";

const listFile = "repositories.json";
/** Maximum bytes of one repository that is copied. */
const maxCopied = 2_000_000_000;

/** A repository inside a child's folder. */
interface InnerRepository {
	/** Path below the root of the child's files. */
	readonly path: string;
	/** Commit of the project's entry; `null`: it is no submodule. */
	readonly commit: string | null;
	/** Its state before the first worker; `null`: it has no files. */
	readonly state: string | null;
}

const isRepository = object<InnerRepository>({
	path: isText,
	commit: eitherOf(isText, oneOf(null)),
	state: eitherOf(isText, oneOf(null)),
});

interface RepositoryPlace {
	/** The folder of the child's files, while it is made and afterward. */
	readonly files: string;
	readonly goal: string;
}

export interface TakenRepositories {
	readonly repositories: readonly InnerRepository[];
	/** Ignore patterns for them. */
	readonly patterns: readonly string[];
	readonly notes: readonly string[];
}

/** Copies the repositories inside the project, of which `paths` (below the root) are in the tree of the child's files. */
export async function takeRepositories(
	store: Store,
	paths: readonly string[],
	place: RepositoryPlace,
): Promise<TakenRepositories> {
	const links = await readGitlinks(store);
	const repositories: InnerRepository[] = [];
	const notes: string[] = [];
	// Grows while it is read: a repository may contain others.
	const open = [...new Set([...paths, ...links.keys()])].sort();
	for (const path of open) {
		const commit = links.get(path) ?? null;
		const what = commit === null ? "a repository of its own" : "a submodule";
		const copied = await copyRepository(store, path, place);
		if (copied.kind === "none") {
			await mkdir(join(place.files, path), { recursive: true });
			notes.push(
				`\`${path}\` is ${what} without files in the project: \`git submodule update --init ${path}\` fetches them, also in \`setup\`.`,
			);
		} else if (copied.kind === "large")
			notes.push(`\`${path}\` is ${what} over ${maxCopied / 1e9} GB and was not copied.`);
		else {
			notes.push(`\`${path}\` is ${what}, copied at its commit: a join does not take over what you change in it.`);
			open.push(...copied.inner);
		}
		repositories.push({ path, commit, state: await repositoryText(join(place.files, path)) });
	}
	return { repositories, notes, patterns: repositories.map(({ path }) => `/${escapePattern(path)}`) };
}

/** The submodules of the project's index, by path below the root. */
async function readGitlinks({ root, repository, control }: Store): Promise<ReadonlyMap<string, string>> {
	if (repository.objects === undefined) return new Map();
	const listed = await runGit({ args: ["ls-files", "-z", "--stage"], cwd: root, signal: control.signal });
	const entries = outputOfGit(listed, "latin1").split("\0");
	return new Map(
		entries.flatMap((entry) => {
			const [, commit = "", path = ""] = /^160000 ([0-9a-f]+) 0\t([\s\S]+)$/.exec(entry) ?? [];
			return path === "" ? [] : [[fromRaw(path), commit] as const];
		}),
	);
}

type Copied =
	| { readonly kind: "none" }
	| { readonly kind: "large" }
	| { readonly kind: "copied"; readonly inner: readonly string[] };

async function copyRepository(store: Store, path: string, { files, goal }: RepositoryPlace): Promise<Copied> {
	const [from, to] = [join(store.root, path), join(files, path)];
	const own = await runGit({ args: ["rev-parse", "--show-prefix"], cwd: from, signal: store.control.signal });
	// An empty folder belongs to the repository around it.
	if (own.kind !== "done" || own.output.toString("utf8").trim() !== "") return { kind: "none" };
	const bytes = await measureFolder(from, maxCopied);
	if (bytes > maxCopied) return { kind: "large" };
	await requireRoom(files, bytes);
	await mkdir(dirname(to), { recursive: true });
	const inner: string[] = [];
	const exclusionOf: Store["exclusionOf"] = (raw) => {
		const below = fromRaw(raw);
		if (!below.endsWith("/.git")) return store.exclusionOf(raw);
		if (dirname(below) !== path) inner.push(dirname(below));
		return "is git's";
	};
	await cloneFolder({ control: store.control, exclusionOf }, { from, to, path, root: store.root, files: goal });
	await makeRepository(store, from, to);
	return { kind: "copied", inner };
}

/** Makes the copy `to` of the repository `from` a repository at the same commit. */
async function makeRepository({ control }: Store, from: string, to: string): Promise<void> {
	const ask = (cwd: string, args: readonly string[]) => runGit({ args, cwd, signal: control.signal });
	const paths = ["objects", "shallow", "info/exclude"].map((path) => ["--git-path", path]);
	const asked = await ask(from, revParse(["--show-object-format"], ...paths));
	const [format = "sha1", ...found] = answersOf(outputOfGit(asked));
	const [objects = "", shallow = "", exclude = ""] = found.map((path) => resolve(from, path));
	const head = await ask(from, ["rev-parse", "-q", "--verify", "HEAD^{commit}"]);
	outputOfGit(await ask(to, ["init", "-q", "--template=", `--object-format=${format}`]));
	const git = join(to, ".git");
	await mkdir(join(git, "info"), { recursive: true });
	await writeFile(join(git, "objects", "info", "alternates"), alternateLine(objects));
	for (const [source, goal] of [
		[shallow, join(git, "shallow")],
		[exclude, join(git, "info", "exclude")],
	] as const) {
		const text = await readFile(source).catch(undefinedIfMissing);
		if (text) await writeFile(goal, text);
	}
	if (head.kind !== "done") return;
	outputOfGit(await ask(to, ["update-ref", "--no-deref", "HEAD", outputOfGit(head).trim()]));
	outputOfGit(await ask(to, ["read-tree", "HEAD"]));
	await ask(to, ["update-index", "-q", "--refresh"]);
}

function outputOfGit(result: GitResult, encoding: "utf8" | "latin1" = "utf8"): string {
	if (result.kind !== "done") throw gitFailure(result);
	return result.output.toString(encoding);
}

/** The commit, the files and the local branches of a repository as text; `null` if there is none at `folder`. */
async function repositoryText(folder: string): Promise<string | null> {
	const prefix = await runGit({ args: ["rev-parse", "--show-prefix"], cwd: folder });
	if (prefix.kind !== "done" || prefix.output.toString("utf8").trim() !== "") return null;
	const { head, tree, own } = await describeRepository(folder);
	return `${head} ${tree} ${own}`;
}

/** `tree`: the files, ignored ones apart; `own`: commits that only local branches have. */
async function describeRepository(folder: string) {
	const asked = await runGit({ args: revParse(["--git-path", "index"], ["HEAD"], ["HEAD^{tree}"]), cwd: folder });
	const [path = "", head = "none", base = "none"] = asked.kind === "done" ? answersOf(asked.output) : [".git/index"];
	const index = `${resolve(folder, path)}.chronicle`;
	await copyIndex(resolve(folder, path), index).catch(undefinedIfMissing);
	const env = { GIT_INDEX_FILE: index };
	outputOfGit(await runGit({ args: ["add", "-A"], cwd: folder, env }));
	const tree = outputOfGit(await runGit({ args: ["write-tree"], cwd: folder, env })).trim();
	const branches = await runGit({
		args: ["rev-list", "--branches", "--not", "--remotes", ...(base === "none" ? [] : ["HEAD"])],
		cwd: folder,
	});
	const own = branches.kind === "done" ? outputOfGit(branches).split("\n").filter(Boolean).join(",") : "";
	return { head, base, tree, own };
}

/** Adds the entries of submodules to the child's repository. */
export async function addGitlinks({ git }: ChildRepository, repositories: readonly InnerRepository[]): Promise<void> {
	const links = repositories.flatMap(({ path, commit }) =>
		commit === null ? [] : [`${modes.repository} ${commit}\t${path}`],
	);
	if (links.length === 0) return;
	const input = nulled(links.map((link) => Buffer.from(link).toString("latin1")));
	outputOfGit(await git(["update-index", "-z", "--add", "--index-info"], input));
}

/**
 * Gives the child's repository the addresses of the project's submodules: it has no remote to resolve relative ones by, and a sandbox keeps its
 * settings as they are, so that `git submodule update --init` could not add them.
 */
export async function addAddresses(
	{ root, control }: Store,
	files: string,
	repositories: readonly InnerRepository[],
): Promise<void> {
	if (repositories.every(({ commit }) => commit === null)) return;
	const ask = async (...args: readonly string[]): Promise<(readonly [key: string, value: string])[]> => {
		const asked = await runGit({ args: ["config", "-z", ...args], cwd: root, signal: control.signal });
		if (asked.kind !== "done") return [];
		const entries = asked.output.toString("utf8").split("\0").filter(Boolean);
		return entries.map((entry) => [entry.slice(0, entry.indexOf("\n")), entry.slice(entry.indexOf("\n") + 1)]);
	};
	const named = ["--get-regexp", String.raw`^submodule\..*\.url$`];
	const listed = await ask("--file", ".gitmodules", ...named);
	const [[, remote = root] = []] = await ask("--get-regexp", String.raw`^remote\.origin\.url$`);
	const resolved = listed.map(([key, value]) => [key, resolveAddress(value, remote)] as const);
	const addresses = new Map([...resolved, ...(await ask("--local", ...named))]);
	const sections = [...addresses].map(([key, value]) => {
		const name = key.slice("submodule.".length, -".url".length);
		return `[submodule ${quoteSetting(name)}]\n\turl = ${quoteSetting(value)}\n`;
	});
	await appendFile(join(files, ".git", "config"), sections.join(""));
}

const quoteSetting = (text: string): string => `"${text.replace(/["\\]/g, "\\$&").replaceAll("\n", "\\n")}"`;

/** An address as git resolves it: a relative one from that of the project's remote, or from its folder. */
export function resolveAddress(address: string, base: string): string {
	const [, steps = "", rest = ""] = /^((?:\.\.?\/)*)(.*)$/s.exec(address) ?? [];
	if (steps === "") return address;
	let [from, separator] = [base.replace(/\/$/, ""), "/"];
	for (const _ of steps.matchAll(/\.\.\//g)) {
		const [, above = from, before = separator] = /^(.*)([/:])[^/:]*$/s.exec(from) ?? [];
		[from, separator] = [above, before];
	}
	return `${from}${separator}${rest}`;
}

/** Remembers the repositories next to the files of a child. */
export async function noteRepositories(place: string, repositories: readonly InnerRepository[]): Promise<void> {
	if (repositories.length > 0) await writeNote(place, listFile, repositories);
}

async function notedRepositories(place: string): Promise<readonly InnerRepository[]> {
	return (await readNote(place, listFile, listOf(isRepository))) ?? [];
}

/** Call after the set-up of a child: what it has fetched is not the child's. */
export async function noteRepositoriesAgain(place: string, files: string): Promise<void> {
	const noted = await notedRepositories(place);
	const now = await Promise.all(
		noted.map(async (one) => ({ ...one, state: await repositoryText(join(files, one.path)) })),
	);
	await noteRepositories(place, now);
}

/** The repositories that the child has changed; one inside another is named by the outer one. */
export async function changedRepositories(place: string, files: string): Promise<readonly FileLeft[]> {
	const changed: FileLeft[] = [];
	for (const repository of await notedRepositories(place)) {
		const { path, commit } = repository;
		const isNamed = foldersAbove(path).some((above) => changed.some((one) => one.path === above));
		if (isNamed || !(await isChanged(join(files, path), repository))) continue;
		changed.push({ path, why: `${commit === null ? "a repository" : "a submodule"} that it has changed` });
	}
	return changed;
}

async function isChanged(folder: string, { state, commit }: InnerRepository): Promise<boolean> {
	try {
		const now = await repositoryText(folder);
		if (now === state || now === null) return false;
		// Fetched by the child, and as the project has it.
		const { head, base, tree, own } = await describeRepository(folder);
		return state !== null || head !== commit || tree !== base || own !== "";
	} catch {
		return true;
	}
}
