// Which engine a line after `/chronicle` names, before its command or after it. Where no engine is configured and the line names none, nothing in
// it is an option of one.
import type { Result } from "../../core/index.ts";
import { engineOptions, engineSetting, type Project, submitOptions } from "../../engine/index.ts";
import { type Command, type CommandGrammar, grammarOf, parseArguments } from "../commands/index.ts";
import type { ChronicleSession } from "./chronicle-session.ts";

type Values = Readonly<Record<string, string>>;

/** `--engine <url>` and `--project <name>` before the command, and the rest of the line as it was written. */
export function readLeading(line: string): { readonly values: Values; readonly rest: string } {
	const values: Record<string, string> = {};
	let rest = line;
	for (;;) {
		const [all, name = "", value = ""] = /^\s*--(engine|project)(?:=|\s+)(\S+)/.exec(rest) ?? [];
		if (all === undefined) return { values, rest };
		values[name] = value;
		rest = rest.slice(all.length);
	}
}

/** The options about an engine that the words of a command may hold. */
export function optionsOnEngine(
	{ name, runs }: Command,
	{ place }: Pick<Project, "place">,
	leading: Values,
	words: readonly string[],
): CommandGrammar["options"] {
	const isNamed = leading.engine !== undefined || words.some((word) => /^--engine(?:=|$)/.test(word));
	if (runs === "none" || (!isNamed && !engineSetting({}, place))) return {};
	return { ...engineOptions, ...(name === "run" ? submitOptions : {}) };
}

interface NamedCommand {
	readonly command: Command;
	readonly words: readonly string[];
	readonly surfaceOptions: CommandGrammar["options"];
	/** Options before the command. */
	readonly values: Values;
	/** Shows what keeps the command waiting. */
	readonly report: (text: string) => void;
}

/** The project on the engine of a command; `local` without one, and for words that the command will refuse. */
export async function openOnEngine(
	session: ChronicleSession,
	local: Project,
	{ command, words, surfaceOptions, values, report }: NamedCommand,
): Promise<Result<Project>> {
	const parsed = command.runs === "none" ? undefined : parseArguments(words, grammarOf(command, surfaceOptions));
	const isParsed = parsed !== undefined && !("error" in parsed);
	const setting = isParsed ? engineSetting({ ...values, ...parsed.values }, local.place) : undefined;
	return setting ? session.engines.open(local, setting, report) : { ok: true, value: local };
}
