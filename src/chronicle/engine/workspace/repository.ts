// What the person's own repository, if there is one, says about a folder: where it begins, what it ignores, where its objects lie.
// Nothing here writes anything.
import { readFile, realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join, relative, resolve } from "node:path";
import { runGit } from "./git.ts";
import { toRaw } from "./paths.ts";

export interface Surroundings {
	/** Folder that paths are counted from: the repository's, or the run's own where there is none. Real path. */
	readonly root: string;
	/** The run's folder below `root`, bytes as latin1, `/` between segments; empty where they are the same. */
	readonly below: string;
	/** Patterns of ignored files that stand outside of the tree, in gitignore's notation. */
	readonly ignored: string;
	/** Object folder to borrow from; `undefined`: none. */
	readonly objects: string | undefined;
	readonly objectFormat: string;
	/** Names (bytes as latin1) that are tracked although a pattern ignores them. */
	readonly forced: readonly string[];
}

/** Folders that are not looked into where no repository says what matters. */
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

/** `undefined` where git is missing. */
export async function surroundingsOf(cwd: string, signal?: AbortSignal): Promise<Surroundings | undefined> {
	const here = await realpath(cwd);
	const asked = await runGit({
		signal,
		args: [
			"rev-parse",
			"--show-toplevel",
			"--git-path",
			"objects",
			"--git-path",
			"info/exclude",
			"--show-object-format",
		],
		cwd: here,
	});
	if (asked.kind === "missing") return undefined;
	const alone: Surroundings = {
		root: here,
		below: "",
		ignored: generated.join("\n"),
		objects: undefined,
		objectFormat: "sha1",
		forced: [],
	};
	if (asked.kind !== "done") return alone;
	const [top = here, objects = "", exclude = "", objectFormat = "sha1"] = asked.output.toString("utf8").split("\n");
	// A folder that its repository ignores has no files in it as far as that repository goes: it stands for itself.
	const hidden = await runGit({ args: ["check-ignore", "-q", "."], cwd: here });
	if (hidden.kind === "done" && top !== here) return alone;
	const forced = await runGit({
		args: ["ls-files", "-z", "--cached", "--ignored", "--exclude-standard"],
		cwd: top,
		settings: "persons",
	});
	const root = await realpath(top);
	return {
		root,
		below: toRaw(relative(root, here)),
		ignored: [await textOf(await excludesFile(top)), await textOf(resolve(here, exclude))].join("\n"),
		objects: objects === "" ? undefined : resolve(here, objects),
		objectFormat,
		forced: forced.kind === "done" ? forced.output.toString("latin1").split("\0").filter(Boolean) : [],
	};
}

/** The person's global file of ignored patterns. */
async function excludesFile(cwd: string): Promise<string> {
	const asked = await runGit({
		args: ["config", "--type=path", "--get", "core.excludesFile"],
		cwd,
		settings: "persons",
	});
	const set = asked.kind === "done" ? asked.output.toString("utf8").trim() : "";
	if (set !== "") return isAbsolute(set) ? set : resolve(cwd, set);
	return join(process.env.XDG_CONFIG_HOME || join(homedir(), ".config"), "git", "ignore");
}

async function textOf(path: string): Promise<string> {
	return readFile(path, "utf8").catch(() => "");
}
