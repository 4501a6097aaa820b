// Programs outside the table: their arguments are searched for paths, and for a command that they may run.
// A command among the arguments is judged as if it were run, because the program may run it.
import type { Effect } from "../effects.ts";
import { absolutePaths, accessVerb } from "../places.ts";
import { findProgram, judgeSqlText, printedLogin, taskEffects } from "../programs/index.ts";
import { baseName, isKnown, quotedIn, spellCommand } from "../text.ts";
import { recordCalls } from "./run-code.ts";
import type { State } from "./state.ts";
import type { ShellWalk } from "./walk.ts";

/** A program that is not in the table. */
export function recordUnlisted(walk: ShellWalk, words: readonly string[], state: State, stdin: string): void {
	const [name = "", ...args] = words;
	const text = spellCommand(words);
	const asks = args.length === 1 && ["--version", "--help", "-V", "-h", "version", "help"].includes(args[0] ?? "");
	if (!asks && !state.elsewhere) {
		recordOperands(walk, args, state, text);
		recordWithin(walk, args, state, dataPrograms.test(name) ? "named" : "anywhere");
		recordTexts(walk, [...(dataPrograms.test(name) ? [] : textsAmong(args)), stdin], state, text);
	}
	if (!asks) walk.record.unknown({ what: "program", text, ...(state.elsewhere && { may: [] }) });
	walk.record.run({
		program: name,
		args,
		text,
		effects: wordEffects(walk, words, state, text),
		elsewhere: state.elsewhere,
	});
}

/** The harms that show in a command's words. The file that holds a login counts as read where it is printed. */
export function wordEffects(walk: ShellWalk, words: readonly string[], state: State, by: string): readonly Effect[] {
	const [name = "", ...args] = words;
	const holder = printedLogin(name, args);
	if (holder && !state.elsewhere) walk.record.access("read", `${walk.host.home}/${holder}`, by);
	return [...taskEffects(name, args), ...(holder === undefined ? [] : ["show-login" as const])];
}

/** Names that mean a program wherever they appear among the arguments. */
const unmistakable =
	/^(?:\/(?:usr\/)?s?bin\/)?(?:rm|sudo|doas|git|sh|bash|zsh|dash|env|chmod|chown|dd|xargs|shred|mkfs(?:\.\w+)?|psql|mysql|kubectl|terraform|docker|podman)$/;
/** Options whose value is a command line. */
const commandOptions =
	/^(?:-c|-C|--?(?:[\w.-]*[-.])?(?:command|commands|cmd|exec|execute|run|script|scripts|shell|hook|call|chooser|pager|editor|browser|wrapper|launcher|runner|handler|opener|viewer|parameters|on-?[a-z]+|before|after|pre|post))$/i;
/** Options whose value is a message or a search text. */
const dataOptions =
	/^(?:-[mtbdqn]|--?(?:[\w-]*-)?(?:message|msg|title|body|desc(?:ription)?|text|subject|comments?|notes?|name|label|content|prompt|query|filter|pattern|grep|search|match|regexp?|contains|summary|reason|data|json|input|value|format|template|header|footer|reply|answer|question|goal|task))$/i;
/** Verbs of programs that take a message or a search text. */
const dataVerbs =
	/^(?:search|grep|query|ask|chat|prompt|say|echo|print|log|notes?|comments?|commit|message|msg|title|explain|describe|translate|send|notify|tag|annotate|remember|memo|todo|add|new|create|issue|pr|docs?|help|man|highlight|parse|quote|escape|lookup)$/i;
/** Programs that only take a message or a search text. */
const dataPrograms =
	/^(?:figlet|toilet|banner|cowsay|cowthink|lolcat|boxes|gum|glow|notify-send|terminal-notifier|say|espeak|festival|wall|write|mail|mailx|mutt|slackcat|tldr|info|cheat|howdoi|explainshell|navi|ntfy|pushover|wl-copy|xclip|xsel|pbcopy|clip|tweet|toot|jrnl|taskwarrior|tw|nb)$/;
const shellWords = new Set("cd export eval source set if for while case pushd trap exec command builtin".split(" "));

const MAX_ARGUMENTS = 200;
const MAX_COMMANDS = 20;

/**
 * Walks a command among the arguments of another: after `--`, as the value of an option, by an unmistakable name, or (`anywhere`) in one
 * quoted argument that begins like a command.
 */
export function recordWithin(
	walk: ShellWalk,
	args: readonly string[],
	state: State,
	where: "anywhere" | "named" = "anywhere",
): void {
	const data = where === "named" || args.slice(0, 3).some((arg) => dataVerbs.test(arg));
	let found = 0;
	for (const [index, arg] of args.slice(0, MAX_ARGUMENTS).entries()) {
		const before = args[index - 1] ?? "";
		for (const text of textsIn(arg, before, data).filter(looksLikeCommand)) {
			walk.runText(text, state, "");
			if (++found >= MAX_COMMANDS) return;
		}
		const words = dataOptions.test(before) && !args[index + 1]?.startsWith("-") ? [] : commandFrom(args, index);
		if (words.length === 0) continue;
		walk.runWords(words, state, "");
		if (++found >= MAX_COMMANDS) return;
	}
}

/** The command that begins at an argument: after `--`, or with an unmistakable name. */
function commandFrom(args: readonly string[], index: number): readonly string[] {
	const arg = args[index] ?? "";
	const isFind = arg === "find" && args.some((word) => /^-(?:delete|exec|execdir|ok)$/.test(word));
	const words = arg === "--" ? args.slice(index + 1) : isFind || unmistakable.test(arg) ? args.slice(index) : [];
	const [name] = words;
	return name !== undefined && findProgram(baseName(name)) ? words : [];
}

/** The parts of a word that may be a command line. */
function textsIn(arg: string, before: string, data: boolean): readonly string[] {
	const [, name, attached = ""] = /^(--?[\w.-]+)[=:](.*)$/s.exec(arg) ?? [];
	const option = name ?? (before.startsWith("-") ? before : undefined);
	const value = name === undefined ? arg : attached;
	if (!/\s/.test(value.trim())) return [];
	if (option !== undefined && commandOptions.test(option)) return [value, ...quotedIn(value)];
	if (data || (option !== undefined && dataOptions.test(option))) return [];
	return [value];
}

/** Walks the value of an option that no description names, if its name and the value are those of a command line. */
export function recordOptionText(walk: ShellWalk, option: string, value: string, state: State): void {
	for (const text of textsIn(value, option, true).filter(looksLikeCommand)) walk.runText(text, state, "");
}

/** Whether a text begins with a program that is known, assignments and wrappers aside. */
function looksLikeCommand(text: string): boolean {
	const word = /^[\s({]*(?:\w+=\S*\s+)*([\w./-]+)(?=\s)/.exec(text)?.[1];
	return word !== undefined && (shellWords.has(word) || findProgram(baseName(word)) !== undefined);
}

/** Walks texts that a program outside the table or of the project most likely runs: SQL statements, and calls of other languages. */
export function recordTexts(walk: ShellWalk, texts: readonly string[], state: State, by: string): void {
	for (const text of texts.slice(0, MAX_COMMANDS).filter(isKnown)) {
		const { effects } = /^\s*(?:drop|truncate|delete|alter)\s/i.test(text) ? judgeSqlText(text) : { effects: [] };
		if (effects.length > 0) walk.record.run({ program: baseName(by.split(" ")[0] ?? ""), text: by, effects });
		if (/[\w.]\s*[([{`"';]|[\w)]\.\w+/.test(text)) recordCalls(walk, text, state, by);
	}
}

/** The words that may be such texts: not the values of options for messages. */
export function textsAmong(args: readonly string[]): readonly string[] {
	const isText = (arg: string, at: number) => /[\s(.]/.test(arg) && !dataOptions.test(args[at - 1] ?? "");
	return args.filter(isText).map((arg) => arg.replace(/^--[\w-]+=/, ""));
}

/** Records the arguments that look like paths as read: the least that an unknown command does with them. */
export function recordOperands(walk: ShellWalk, args: readonly string[], state: State, by: string): void {
	if (state.elsewhere) return;
	for (const arg of args) {
		const value = arg.startsWith("-") ? (/^--?[\w-]+=(.+)$/s.exec(arg)?.[1] ?? "") : arg;
		// `@file`, `name=@file`, `FILE:file,option`
		const parts = value.length < 4096 && !value.includes("://") ? value.split(/[@=:,]/) : [];
		for (const place of new Set([value, ...parts]))
			if (isKnown(place) && place.length <= 4096 && looksLikePath(walk, place, state))
				accessVerb(walk.record, "read", place, state.cwd, by);
	}
}

function looksLikePath(walk: ShellWalk, text: string, state: State): boolean {
	if (text === "" || /[\n*]/.test(text) || /^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return false;
	if (
		/^(~|\.{0,2}\/|\.\w)/.test(text) ||
		/^[\w@.-]+(\/[\w@. -]+)+\/?$/.test(text) ||
		/^[\w@-][\w@. -]*\.\w+$/.test(text)
	)
		return true;
	return absolutePaths(text, state.cwd, walk.record)?.some((path) => walk.host.kind(path) !== undefined) ?? false;
}
