// Where the changes of a command take place that its accesses do not show: the directory it works in, its operands, git's repository.
// Without a description, or with any word that may lead elsewhere, a change may take place anywhere; links are followed, also those
// that the script itself makes.
import type { ChangedPlace, ChangePlaces } from "../footprint.ts";
import { pathRules } from "../paths.ts";
import { absolutePaths, type Directories, foundBelow } from "../places.ts";
import { UNKNOWN_VALUE } from "../text.ts";
import type { ActiveCommand } from "./active-command.ts";
import { gitPaths, gitPathsAt } from "./git-paths.ts";
import type { State } from "./state.ts";

/** The places of a command's changes, by kind; a kind without an entry may take place anywhere. */
export function changePlaces(command: ActiveCommand): ChangePlaces | undefined {
	const { changes, changesIn, state } = command;
	if (changes.size === 0) return undefined;
	if (state.isolated) return { repository: [], worktree: [], packages: [] };
	if (state.elsewhere) return undefined;
	switch (changesIn) {
		case undefined:
		case "anywhere":
			return undefined;
		case "repository": {
			const { repository, worktree } = gitPaths(command);
			return placesAt(command, { repository, worktree });
		}
		case "directory":
		case "operands": {
			const paths = changesIn === "directory" ? workingPaths(command) : operandPaths(command);
			const repository = changes.has("repository") ? gitPathsAt(command, paths) : undefined;
			return placesAt(command, { repository, worktree: paths, packages: paths });
		}
	}
}

function placesAt(
	{ walk }: ActiveCommand,
	paths: { readonly [kind in keyof ChangePlaces]: Directories },
): ChangePlaces | undefined {
	const { resolve } = pathRules(walk.host);
	const placeOf = (path: string): ChangedPlace => ({ path: resolve(path), real: walk.record.real(path) });
	const known = Object.entries(paths).flatMap(([kind, at]) =>
		at ? [[kind, [...new Set(at)].map(placeOf)] as const] : [],
	);
	return known.length > 0 ? Object.fromEntries(known) : undefined;
}

/** The directory, and every other place that an argument or a variable of this command names. */
function workingPaths(command: ActiveCommand): Directories {
	const named = namedPaths(command);
	return command.directories && named && [...command.directories, ...named];
}

/** The operands that are paths, and every other place that is named; without any, the directory. */
function operandPaths(command: ActiveCommand): Directories {
	const named = namedPaths(command);
	const { operands, directories, walk } = command;
	const targets = operands.flatMap((word) => {
		const paths = directoriesOf(command, word);
		const isPath = /^\.{1,2}$|\/|[*?[]/.test(word) || paths?.some((path) => walk.host.kind(path) !== undefined);
		return !paths || isPath ? [paths] : [];
	});
	if (!named || targets.includes(undefined)) return undefined;
	const all = [...named, ...targets.flatMap((paths) => paths ?? [])];
	return all.length > 0 ? all : directories;
}

function directoriesOf({ directories, walk }: ActiveCommand, word: string): Directories {
	return absolutePaths(foundBelow(word, walk.record)?.directory ?? word, directories, walk.record);
}

/** Paths outside the directory that arguments, option values and variables name; `undefined` if one of these words is unknown. */
function namedPaths(command: ActiveCommand): Directories {
	const values = command.args.map(
		(word) => /^--?[\w-]+=(.*)$/s.exec(word)?.[1] ?? word.replace(/^-[A-Za-z](?=[/~.])/, ""),
	);
	const paths: string[] = [];
	for (const value of [...values, ...shellSettings(command.state)]) {
		const word = value.replace(/^(?:file|link|portal):(?:\/\/)?/, "");
		const found = directoriesOf(command, word);
		if (!found) return undefined;
		if (/^(?:[/~]|[a-z]:[\\/])|(?:^|\/)\.\.(?:\/|$)/i.test(word)) paths.push(...found);
	}
	return paths;
}

/** Variables by which package managers and build tools are told where to work. */
const settings =
	/^(?:npm_config|yarn|pnpm|bun|uv|pip|poetry|pdm|pipenv|virtual_env|conda|cargo|bundle|gem|composer|deno|dotnet|nuget|hg|svn|jj|tf)(?:_|$)|^(?:GO[A-Z]+|HOME|INIT_CWD)$/i;

/** The values of such variables that the script itself sets. */
function shellSettings({ variables }: State): readonly string[] {
	return [...variables].flatMap(([name, value]) => {
		if (!settings.test(name)) return [];
		// `npm_config_global=true`: the packages of the user.
		if (/_(?:global|location)$/i.test(name)) return [UNKNOWN_VALUE];
		return value.kind === "text" ? value.options : value.items;
	});
}
