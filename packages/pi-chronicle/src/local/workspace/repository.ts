// Facts about a folder from the user's repository, if there is one: its root, ignored paths, the location of its objects. Writes nothing.
import { readFile, realpath, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join, relative, resolve } from "node:path";
import { answersOf, revParse, runGit } from "./git.ts";
import { toRaw } from "./paths.ts";

export interface RepositoryInfo {
	/** Folder that paths are relative to: the repository's root, or the run's folder without a repository. Real path. */
	readonly root: string;
	/** The run's folder below `root`, bytes as latin1, `/` between segments; empty if it is the root. */
	readonly below: string;
	/** Ignore patterns from outside the tree, in gitignore's notation. */
	readonly ignored: string;
	/** The repository's object folder; `undefined`: none. */
	readonly objects: string | undefined;
	readonly objectFormat: string;
	/** Names (bytes as latin1) of files that are tracked although a pattern ignores them. */
	readonly forced: readonly string[];
}

/** Set if the files are the folder of a child run. */
export interface ChildStore {
	/** The store of the parent, which has the objects. */
	readonly parentStore: string;
	/** Folder of all the child's files. */
	readonly root: string;
	/** Index of the initial files. */
	readonly index: string;
	readonly ignored: string;
	readonly objectFormat: string;
}

/** Ignored without a repository. */
const generated = [
	"node_modules/",
	"bower_components/",
	".venv/",
	"venv/",
	"__pycache__/",
	".tox/",
	".mypy_cache/",
	".pytest_cache/",
	".ruff_cache/",
	".gradle/",
	".terraform/",
	".next/",
	".nuxt/",
	".cache/",
	".DS_Store",
];

/** Inspects the repository around `cwd`; `undefined` if git is missing. */
export async function inspectRepository(cwd: string, signal?: AbortSignal): Promise<RepositoryInfo | undefined> {
	const here = await realpath(cwd);
	const asked = await runGit({
		signal,
		args: revParse(
			["--show-toplevel"],
			["--git-path", "objects"],
			["--git-path", "info/exclude"],
			["--show-object-format"],
		),
		cwd: here,
	});
	if (asked.kind === "missing") return undefined;
	const alone: RepositoryInfo = {
		root: here,
		below: "",
		ignored: generated.join("\n"),
		objects: undefined,
		objectFormat: "sha1",
		forced: [],
	};
	if (asked.kind !== "done") return alone;
	const [top = here, objects = "", exclude = "", objectFormat = "sha1"] = answersOf(asked.output);
	// For a repository that ignores the folder, the folder has no files: treat it as outside of any repository.
	const hidden = top === here ? undefined : await runGit({ args: ["check-ignore", "-q", "."], cwd: here });
	if (hidden?.kind === "done") return alone;
	const forced = await runGit({
		args: ["ls-files", "-z", "--cached", "--ignored", "--exclude-standard"],
		cwd: top,
		settings: "users",
	});
	const root = await realpath(top);
	return {
		root,
		below: toRaw(relative(root, here)),
		ignored: [await readOrEmpty(await excludesFile(top)), await readOrEmpty(resolve(here, exclude))].join("\n"),
		objects: objects === "" ? undefined : resolve(here, objects),
		objectFormat,
		forced: forced.kind === "done" ? forced.output.toString("latin1").split("\0").filter(Boolean) : [],
	};
}

/** Whether the repository of a child is as it was made: its index is still that of the initial files. */
export async function isAsMade({ root, index }: ChildStore): Promise<boolean> {
	const [made, now] = await Promise.all(
		[index, join(root, ".git", "index")].map((file) => stat(file).catch(() => undefined)),
	);
	// The time of a copied file is in milliseconds.
	return made !== undefined && made.size === now?.size && Math.abs(made.mtimeMs - now.mtimeMs) <= 1;
}

/** Inspects the folder `cwd` of a child, whose own repository the child may have changed or removed unless it `isNew`; `undefined` if git is missing. */
export async function inspectChild(
	{ root, ignored, objectFormat }: ChildStore,
	{ cwd, isNew, signal }: { readonly cwd: string; readonly isNew: boolean; readonly signal: AbortSignal | undefined },
): Promise<RepositoryInfo | undefined> {
	const real = await realpath(root);
	const known = { root: real, below: toRaw(relative(real, await realpath(cwd))), ignored, objectFormat };
	if (isNew) return { ...known, objects: join(real, ".git", "objects"), forced: [] };
	const found = await inspectRepository(real, signal);
	if (!found) return undefined;
	const own = found.root === real && found.objectFormat === objectFormat;
	return { ...known, objects: own ? found.objects : undefined, forced: own ? found.forced : [] };
}

/** The user's global ignore file. */
async function excludesFile(cwd: string): Promise<string> {
	const asked = await runGit({
		args: ["config", "--type=path", "--get", "core.excludesFile"],
		cwd,
		settings: "users",
	});
	const set = asked.kind === "done" ? asked.output.toString("utf8").trim() : "";
	if (set !== "") return isAbsolute(set) ? set : resolve(cwd, set);
	return join(process.env.XDG_CONFIG_HOME || join(homedir(), ".config"), "git", "ignore");
}

async function readOrEmpty(path: string): Promise<string> {
	return readFile(path, "utf8").catch(() => "");
}
