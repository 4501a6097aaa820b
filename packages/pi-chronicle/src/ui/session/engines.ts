// The engines that a session's commands use: which one a line names, and the connections. One is connected to when a command names it, and stays so
// until the session ends: a session that names none loads nothing of them.

import type { Result } from "@pi-chronicle/core/ports";
import {
	type EngineSetting,
	engineOptions,
	engineSetting,
	type Project,
	submitOptions,
	withoutSecrets,
} from "../../local/index.ts";
import type { Scope } from "../../pi/index.ts";
import { type Command, grammarOf, parseArguments } from "../commands/index.ts";
import { type Engine, loadEngine } from "../load-engine.ts";
import type { OptionKinds } from "../option-usage.ts";

type Opened = Awaited<ReturnType<Engine["openDatabase"]>>;
type Database = Extract<Opened, { ok: true }>["value"];

export class SessionEngines {
	readonly #scope: Scope;
	/** By address, without its secrets: a command that the session prints names it so. */
	readonly #databases = new Map<string, Database>();
	#last: Project | undefined;

	constructor(scope: Scope) {
		this.#scope = scope;
	}

	/** The project that a command used last on an engine. */
	get last(): Project | undefined {
		return this.#last;
	}

	/** The project on an engine. Everything that is not about runs stays that of `local`. `report` shows what keeps a command waiting. */
	async open(local: Project, setting: EngineSetting, report: (text: string) => void): Promise<Result<Project>> {
		const engine = await loadEngine();
		if (!engine.ok) return engine;
		const { openDatabase, projectIn } = engine.value;
		const key = withoutSecrets(setting.url);
		let database = this.#databases.get(key);
		if (!database) {
			const opened = await openDatabase(setting.url);
			if (!opened.ok) return opened;
			database = opened.value;
			this.#databases.set(key, database);
			this.#scope.own(() => opened.value.close());
		}
		const found = await projectIn(database, local, { ...setting, report });
		if (found.ok) this.#last = found.value;
		return found;
	}
}

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
): OptionKinds {
	const isNamed = leading.engine !== undefined || words.some((word) => /^--engine(?:=|$)/.test(word));
	if (runs === "none" || (!isNamed && !engineSetting({}, place))) return {};
	return { ...engineOptions, ...(name === "run" ? submitOptions : {}) };
}

interface NamedCommand {
	readonly command: Command;
	readonly words: readonly string[];
	readonly surfaceOptions: OptionKinds;
	/** Options before the command. */
	readonly values: Values;
	/** Shows what keeps the command waiting. */
	readonly report: (text: string) => void;
}

/** The project on the engine of a command; `local` without one, and for words that the command will refuse. */
export async function openOnEngine(
	engines: SessionEngines,
	local: Project,
	{ command, words, surfaceOptions, values, report }: NamedCommand,
): Promise<Result<Project>> {
	const parsed = command.runs === "none" ? undefined : parseArguments(words, grammarOf(command, surfaceOptions));
	const isParsed = parsed !== undefined && !("error" in parsed);
	const setting = isParsed ? engineSetting({ ...values, ...parsed.values }, local.place) : undefined;
	return setting ? engines.open(local, setting, report) : { ok: true, value: local };
}
