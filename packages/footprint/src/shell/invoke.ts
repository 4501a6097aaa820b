// Runs commands given as words: functions, builtins, programs of the table, files, and what is none of these.
import { pathRules, windowsDrivePath } from "../paths.ts";
import { absolutePaths, accessVerb } from "../places.ts";
import { findProgram, findPrograms, taskEffects } from "../programs/index.ts";
import { footprintLimits } from "../record.ts";
import { baseName, isKnown, spellCommand, UNKNOWN_VALUE } from "../text.ts";
import { builtins } from "./builtins.ts";
import { recordCall } from "./call.ts";
import { isDownloaded, isProgramFile } from "./contents.ts";
import { isOnPath } from "./environment.ts";
import { compileGlob, hasGlob } from "./globs.ts";
import { printed } from "./output.ts";
import type { State } from "./state.ts";
import { recordOperands, recordUnlisted, recordWithin } from "./unlisted.ts";
import { type CommandOutcome, either, type ShellWalk, settled } from "./walk.ts";

/** Runs a command given as words: a function, an alias, a builtin or a program. */
export function invoke(walk: ShellWalk, given: readonly string[], state: State, stdin: string): CommandOutcome {
	if (given.length > footprintLimits.words) walk.record.overflow("more words than can be judged");
	const words = given.slice(0, footprintLimits.words);
	const [name, ...args] = words;
	if (name === undefined) return settled(state, "");
	if (!walk.record.spend(4 + words.length / 12)) return settled(state, UNKNOWN_VALUE);
	if (!isKnown(name)) return runUnknown(walk, name, args, state, stdin);
	const bodies = state.functions.get(name);
	if (bodies && bodies.length > 0) {
		const [first, ...others] = bodies.map((body) =>
			body ? walk.callFunction(name, body, args, state, stdin) : invokeProgram(walk, words, state, stdin),
		);
		if (first) return either(walk, first, ...others);
	}
	return invokeProgram(walk, words, state, stdin);
}

/** Runs a builtin or a program; functions of that name are ignored. */
export function invokeProgram(walk: ShellWalk, words: readonly string[], state: State, stdin: string): CommandOutcome {
	const [word, ...args] = words;
	if (word === undefined) return settled(state, "");
	if (!isKnown(word)) return runUnknown(walk, word, args, state, stdin);
	const builtin = Object.hasOwn(builtins, word) ? builtins[word] : undefined;
	if (builtin) return builtin(walk, args, state, stdin);
	if (word === "") return settled(state, "");
	const { name, file } = locate(walk, word, state);
	const program = findProgram(name);
	if (file) recordFile(walk, word, args, state);
	const outcome = program ? recordCall(walk, program, name, args, state, stdin) : undefined;
	if (file) return settled(state, UNKNOWN_VALUE);
	if (!program) runUnlisted(walk, word, name, args, state, stdin);
	return settled(state, outcome ?? printed(walk, name, args, state, stdin));
}

/** Runs a program that is not in the table. */
function runUnlisted(
	walk: ShellWalk,
	word: string,
	name: string,
	args: readonly string[],
	state: State,
	stdin: string,
): void {
	recordUnlisted(walk, [name, ...args], state, stdin);
	// `/bin/r?`: the shell completes the name.
	if (!hasGlob(name) || !isProgramFile(word)) return;
	for (const [other, likely] of findPrograms(compileGlob(name))) recordCall(walk, likely, other, args, state, stdin);
}

const installedPrograms =
	/(^|\/)(node_modules\/\.bin|\.?venv\/bin|env\/bin|\.venv\/Scripts|vendor\/bin|\.local\/bin|\.cargo\/bin|go\/bin|\.bun\/bin)\/[^/]+$/;

/** The program that a command word names; `file` if it is a separate file and not an installed program of the system or the project. */
function locate(walk: ShellWalk, word: string, state: State): { name: string; file: boolean } {
	const windows = walk.host.platform === "win32";
	const base = (path: string) => {
		const name = path.slice(Math.max(path.lastIndexOf("/"), windows ? path.lastIndexOf("\\") : -1) + 1);
		return windows || /\.exe$/i.test(name) ? name.replace(/\.(exe|cmd|bat|com)$/i, "") : name;
	};
	if (!word.includes("/") && !(windows && word.includes("\\"))) return { name: base(word), file: false };
	const rules = pathRules(walk.host);
	const paths = absolutePaths(windowsDrivePath(word), state.cwd, walk.record) ?? [word];
	const known = paths.every((path) => {
		const normal = rules.normalize(path);
		return isProgramFile(normal) || installedPrograms.test(normal) || isOnPath(normal, walk);
	});
	// A link of another name to one of the system's programs.
	const [real] = known || state.elsewhere ? [] : paths.map((path) => walk.record.real(path));
	if (real !== undefined && isProgramFile(real) && findProgram(base(real))) return { name: base(real), file: false };
	return { name: base(word), file: !known && !state.elsewhere };
}

/** Runs a file of the project or elsewhere as a program: the command does not show its effects. */
function recordFile(walk: ShellWalk, word: string, args: readonly string[], state: State): void {
	const text = spellCommand([word, ...args]);
	const { record } = walk;
	const paths = accessVerb(record, "read", word, state.cwd, text);
	const project = projectLaunchers.test(word);
	for (const path of paths) {
		const content = walk.written(path);
		if (content !== undefined) walk.runText(content, { ...state, parameters: [args] }, "");
	}
	recordOperands(walk, args, state, text);
	recordWithin(walk, args, state);
	record.unknown({ what: project ? "project" : "file", text });
	const fetched = !state.elsewhere && isDownloaded(walk, paths);
	const base = baseName(word);
	record.run({
		program: base,
		args,
		text,
		effects: [...(fetched ? ["run-download" as const] : []), ...taskEffects(base, args)],
	});
}

/** Build and task launchers that projects carry with them. */
const projectLaunchers =
	/(^|\/)(gradlew|mvnw|sbt|bazelw?|configure|manage\.py|artisan|rake|bin\/(rails|rake|rspec|setup|test|console|phpunit))$/;

/** Records a command whose name is unknown. */
function runUnknown(
	walk: ShellWalk,
	name: string,
	args: readonly string[],
	state: State,
	stdin: string,
): CommandOutcome {
	const text = spellCommand([name, ...args]);
	walk.record.unknown({ what: "command", text });
	recordOperands(walk, args, state, text);
	walk.record.run({
		program: null,
		args,
		text,
		elsewhere: state.elsewhere,
	});
	// `$PREFIX/bin/rm`: the folder is unknown, the program most likely is not.
	const base = baseName(name);
	const program = name.includes("/") && isKnown(base) ? findProgram(base) : undefined;
	if (program) recordCall(walk, program, base, args, state, stdin);
	return settled(state, UNKNOWN_VALUE);
}
