// The repository and working tree that a git command changes: by its options, its environment and the disk.
// What the disk does not show is unknown: a `.git` that is a file leads to another repository, and so may one that the script put there.
import { isTooLong, pathRules } from "../paths.ts";
import { absolutePaths, type Directories } from "../places.ts";
import { type ParsedArgument, parseOptions } from "../programs/index.ts";
import type { FootprintRecord } from "../record.ts";
import { UNKNOWN_VALUE } from "../text.ts";
import type { ActiveCommand } from "./active-command.ts";
import { optionValues } from "./description.ts";
import { lookUp } from "./state.ts";

interface GitPaths {
	/** Absolute; `undefined` if unknown. */
	readonly repository: Directories;
	readonly worktree: Directories;
}

/** Where a git command changes metadata and files. */
export function gitPaths(command: ActiveCommand): GitPaths {
	const options = parseOptions({ ...command.program, optionsFirst: true }, command.args);
	if (isConfigured(command, options)) return { repository: undefined, worktree: undefined };
	const given = (option: string, variable: string) =>
		optionValues(options, option).at(-1) ?? gitVariable(command, variable);
	const from = optionValues(options, "-C").reduce<Directories>(
		(at, word) => (word === "" ? at : pathsFrom(command, word, at)),
		command.state.cwd,
	);
	const [directory, tree] = [given("--git-dir", "GIT_DIR"), given("--work-tree", "GIT_WORK_TREE")];
	const found = from?.map((start) => findRepository(command, start));
	const repository =
		directory === undefined ? allKnown(found?.map((one) => one.repository)) : pathsFrom(command, directory, from);
	const parts = ["GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_INDEX_FILE"].flatMap(
		(name) => gitVariable(command, name) ?? [],
	);
	const lists = allKnown([repository, ...parts.map((part) => pathsFrom(command, part, from))]);
	const root = directory === undefined ? found?.map((one) => one.root) : from;
	return { repository: lists?.flat(), worktree: tree === undefined ? root : pathsFrom(command, tree, from) };
}

/** The metadata that a program changes which works in these places, and not only there: that of the repositories that contain them. */
export function gitPathsAt(command: ActiveCommand, places: Directories): Directories {
	return allKnown(places?.map((place) => findRepository(command, place).repository));
}

/** Whether settings given for this command alone may name another working tree. */
function isConfigured({ state }: ActiveCommand, options: readonly ParsedArgument[]): boolean {
	const settings = optionValues(options, "-c --config-env");
	const isElsewhere = settings.some((setting) => /^(?:core\.worktree|include)/i.test(setting));
	return isElsewhere || [...state.variables.keys()].some((name) => name.startsWith("GIT_CONFIG"));
}

function allKnown<Item>(items: readonly (Item | undefined)[] | undefined): readonly Item[] | undefined {
	const known = items?.flatMap((item) => (item === undefined ? [] : [item]));
	return known?.length === items?.length ? known : undefined;
}

function pathsFrom({ walk }: ActiveCommand, word: string, from: Directories): Directories {
	const { normalize } = pathRules(walk.host);
	const paths = absolutePaths(word, from, walk.record);
	return paths?.some(isTooLong) ? undefined : paths?.map((path) => normalize(path));
}

/** The value of a variable that git inherits: the placeholder if it is unknown, `undefined` if it is unset. */
function gitVariable({ state, walk }: ActiveCommand, name: string): string | undefined {
	const isSet = state.variables.has(name);
	const exported = walk.host.env(name) === undefined ? state.exported.get(name) : "surely";
	if (isSet && exported === undefined) return undefined;
	const value = lookUp(state, name, walk.host);
	if (value === undefined) return undefined;
	const [text = "", ...others] = value.kind === "text" ? value.options : [UNKNOWN_VALUE];
	if (others.length > 0 || (isSet && exported === "perhaps")) return UNKNOWN_VALUE;
	return text === "" ? undefined : text;
}

/** The repository that git finds from a directory upwards, and the root of its working tree. */
function findRepository(
	{ walk }: ActiveCommand,
	start: string,
): { readonly repository: string | undefined; readonly root: string } {
	const { host, record } = walk;
	const { dirname, join } = pathRules(host);
	const first = record.real(start);
	if (isTooLong(first)) return { repository: undefined, root: first };
	for (let at = first; ; at = dirname(at)) {
		const entry = join(at, ".git");
		const kind = host.kind(entry);
		if (kind === undefined && isCopiedRepository(record, entry)) return { repository: entry, root: at };
		const isReplaced = record.removed(entry) || record.wasPut(entry, (by) => !/^git (?!.*\bworktree\b)/.test(by));
		if (isReplaced || kind === "file" || kind === "other" || !record.spend(2))
			return { repository: undefined, root: at };
		if (kind !== undefined) return { repository: entry, root: at };
		if (["HEAD", "objects", "refs"].every((name) => host.kind(join(at, name)) !== undefined))
			return { repository: at, root: at };
		// `git init` of the same script makes one here; elsewhere git fails.
		if (dirname(at) === at) return { repository: join(first, ".git"), root: first };
	}
}

/** Whether the script has made this `.git` by copying working trees whose own `.git` is a directory: then it leads nowhere else. */
function isCopiedRepository(record: FootprintRecord, entry: string): boolean {
	const sources = record.removed(entry) ? undefined : record.copiedFrom(entry);
	const kinds = sources?.map((source) => {
		const own = pathRules(record.host).join(source, ".git");
		return record.wasPut(own, () => true) ? "other" : record.host.kind(own);
	});
	return (
		kinds?.some((kind) => kind !== undefined) === true &&
		kinds.every((kind) => kind === undefined || kind === "directory")
	);
}
