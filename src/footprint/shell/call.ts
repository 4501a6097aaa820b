// Carries out a program's description (`../programs/`) for one command line: roles become touches, options effects, wrappers further commands.
import type { ChangeKind, Effect } from "../effects.ts";
import type { AccessKind, Unknown } from "../footprint.ts";
import { isDirectory, MAX_PATH, pathRules } from "../paths.ts";
import { absolutePaths, accessWord, foundBelow, harmOf, isStream, unknownPlace } from "../places.ts";
import { recordPowerShell } from "../powershell/index.ts";
import type { Behavior, Call, Item, ProgramSpec, Role } from "../programs/index.ts";
import { dropsData, findProgram, parseOptions, publishesByTask } from "../programs/index.ts";
import { type AccessDetail, everyAccess } from "../record.ts";
import { displayText, isBlank, isKnown, spellCommand, UNKNOWN_VALUE } from "../text.ts";
import { contentOf, copyContent, isDownloaded, isInput, keepInput, writtenIn } from "./contents.ts";
import { findSubcommand, gather, mayName, optionRole, positionsOf, readsOnly, roleAt } from "./description.ts";
import { assign, childState, lookUp, type State, textValue } from "./state.ts";
import { recordWithin } from "./unlisted.ts";
import type { ShellWalk } from "./walk.ts";

/** Judges one command by its program's description, and records the run. Answers what it prints, where that is said. */
export function recordCall(
	walk: ShellWalk,
	program: ProgramSpec,
	name: string,
	args: readonly string[],
	state: State,
	stdin: string,
): string | undefined {
	const { record } = walk;
	const { host } = record;
	const text = spellCommand([name, ...args]);
	const effects = new Set<Effect>();
	const changes = new Set<ChangeKind>();
	let directories = state.cwd;
	let items: readonly Item[] = [];
	/** What commands that this one runs print. */
	const inner: string[] = [];
	let prints: string | undefined;

	const has = (spelling: string) => {
		const spellings = spelling.split(" ");
		return items.some((item) => item.kind === "option" && names(spellings, item.name, program));
	};
	const access = (kind: AccessKind, word: string, detail?: AccessDetail) => {
		if (state.elsewhere) return;
		for (const path of accessWord(record, kind, word, directories, text, detail)) {
			const harm = kind === "write" || kind === "delete" ? harmOf(path, host.home) : undefined;
			if (harm) effects.add(harm);
			if (kind === "write" && program.fetches) record.fetched(path);
			if (kind === "write") keepInput(walk, path, name, args, stdin);
		}
	};
	const wasDownloaded = (word: string) =>
		!state.elsewhere && isDownloaded(walk, absolutePaths(word, directories, record) ?? []);
	const unknown = (what: Unknown["what"], about: string, may: readonly AccessKind[] = everyAccess) => {
		if (!state.elsewhere) record.unknown({ what, text: spellUnknown(about), may });
	};
	const stateHere = (where: "here" | "elsewhere" = "here"): State => {
		const elsewhere = where === "elsewhere" || state.elsewhere;
		return directories === state.cwd && elsewhere === state.elsewhere
			? state
			: { ...state, cwd: directories, elsewhere };
	};
	const run = (words: readonly string[], input = stdin, where?: "here" | "elsewhere") => {
		inner.push(walk.runWords(words, stateHere(where), input).output);
	};
	const script: Call["script"] = (
		source,
		{ parameters = [], self, where = "here", dialect = "any", from = "words", input = stdin } = {},
	) => {
		// A child shell starts with a copy of what is known.
		record.spend((state.functions.size + state.variables.size) / 8);
		const alone = childState(stateHere(where), host);
		const named = self === undefined ? alone : assign(alone, "0", textValue(self));
		const child = { ...named, parameters: [parameters], dialect };
		inner.push(walk.runText(source, child, from === "input" ? "" : input, effects).output);
	};
	const changeDirectory = (word: string) => {
		const paths = absolutePaths(word, directories, record);
		const possible = paths && paths.length > 0 && paths.every((path) => path.length <= MAX_PATH);
		directories = possible ? paths.map((path) => pathRules(host).normalize(path)) : undefined;
	};
	const applyRole = (role: Role, word: string, detail?: AccessDetail): void => {
		if (word === "-" && role !== "directory") return;
		switch (role) {
			case "text":
				return;
			case "remote":
				changes.add("remote");
				return;
			case "delete":
				if (foundBelow(word, record)) effects.add("recursive-delete");
				access(role, word, detail);
				return;
			case "read":
			case "list":
			case "link":
				access(role, word, detail);
				return;
			case "write":
			case "make":
				access("write", word, detail);
				return;
			case "replace":
			case "into":
				access("write", word, { ...detail, replaces: true });
				return;
			case "move":
				access("delete", word, { ...detail, recursive: true });
				return;
			case "directory":
				access("list", word);
				changeDirectory(word);
				return;
			case "run":
				call.runShellFile(word);
				return;
			case "command":
				run([word]);
				return;
			case "script":
				script(word);
				return;
			case "code":
				walk.recordCode(word, stateHere(), text);
				return;
		}
	};

	const follow = (description: ProgramSpec, words: readonly string[]): void => {
		const outer = items;
		const parsed = parseOptions(description.subcommands ? { ...description, optionsFirst: true } : description, words);
		items = outer.length > 0 ? [...outer.filter((item) => item.kind === "option"), ...parsed] : parsed;
		const operands = parsed.flatMap((item) => (item.kind === "operand" ? [item.word] : []));
		const own = gather(description, parsed);
		const does =
			description.withoutSubcommand && operands.length === 0 ? { ...own, ...description.withoutSubcommand } : own;
		// `rm -rf ""`, with a variable that is not set, removes nothing.
		const idle = does.operands === "delete" && operands.length > 0 && operands.every((word) => word === "");
		for (const effect of idle ? [] : (does.effects ?? [])) effects.add(effect);
		for (const change of does.changes ?? []) changes.add(change);
		playItems(description, does, parsed, operands.length);
		if (does.opaque) unknown(does.opaque, text);
		if (does.opaque === "program" || does.opaque === "script") recordWithin(walk, words, stateHere());
		else if (does.opaque === "project") recordWithin(walk, words, stateHere(), "named");
		else if (does.changes?.includes("remote")) recordWithin(walk, words, stateHere("elsewhere"), "named");
		if (does.defaultRole && operands.length === 0) applyRole(does.defaultRole, ".", detailOf(does));
		if (description.subcommands && operands.length > 0) {
			const [subcommand = "", ...rest] = operands;
			const found = findSubcommand(description.subcommands, subcommand);
			if (found) follow(found, rest);
			else if (!does.operands) unknown("program", text);
		}
		description.custom?.({ ...call, items: parsed, operands, args: words });
		items = outer;
	};

	const playItems = (description: ProgramSpec, does: Behavior, parsed: readonly Item[], count: number) => {
		const positions = positionsOf(does.operands);
		const detail = detailOf(does);
		const sources: string[] = [];
		for (const item of parsed)
			if (item.kind === "option" && item.value !== undefined && optionRole(description, item.name) === "into")
				positions.destination = item.value;
		let index = 0;
		for (const [at, item] of parsed.entries()) {
			if (item.kind === "option") {
				const role = item.value === undefined ? undefined : optionRole(description, item.name);
				if (readsOnly(does, description) && mayName(item, description)) {
					if (item.value !== undefined) applyRole("replace", item.value);
					unknown("program", text);
				}
				if (role && role !== "into")
					applyRole(role, item.value ?? "", role === "read" || role === "list" ? {} : undefined);
				continue;
			}
			const role = roleAt(positions, index++, count);
			if (role === "command") {
				run(parsed.slice(at).flatMap((later) => (later.kind === "operand" ? [later.word] : [])));
				break;
			}
			if (role === "into" && positions.destination === undefined && count > 1) {
				positions.destination = item.word;
				continue;
			}
			// Where an option names the destination, the last operand is one like the others.
			const own = role === "into" ? (positions.rest ?? "read") : role;
			if (!own) continue;
			if (own === "read" || own === "move" || own === "link") sources.push(item.word);
			applyRole(own, item.word, detail);
		}
		if (positions.destination !== undefined) arrive(positions.destination, sources, detail, manner());
	};

	/** What the destination of a copy is, where an option says so. */
	const manner = () => {
		if (has("-T --no-target-directory")) return "name";
		if (has("--parents")) return "tree";
		return has("-t --target-directory") ? "directory" : "either";
	};

	/** Where copies and moves arrive: below a directory under their own names, else at the name given. */
	const arrive = (
		destination: string,
		sources: readonly string[],
		detail: AccessDetail,
		as: ReturnType<typeof manner>,
	) => {
		const rules = pathRules(host);
		const arriving = { ...detail, replaces: true };
		const paths = absolutePaths(destination, directories, record);
		if (!paths) {
			if (!state.elsewhere) unknownPlace(record, destination, directories, ["write"]);
			return;
		}
		const directoryGiven = as === "directory" || as === "tree";
		const many = directoryGiven || sources.length > 1 || destination.endsWith("/");
		const surely = paths.every((path) => isDirectory(path, host) && !record.removed(path));
		const perhaps = paths.some(
			(path) => isDirectory(path, host) || record.filled(path) || record.filled(rules.dirname(path)),
		);
		if (as !== "name" && (many || perhaps)) {
			for (const source of sources) {
				copyContent(walk, source, `${destination}/${rules.basename(source)}`, directories, stdin);
				const base = as === "tree" ? source.replace(/^\/+/, "") : rules.basename(source);
				const search = foundBelow(source, record);
				if (search) access("write", `${destination}/${record.found(search.detail)}`, arriving);
				else if (!isKnown(source)) unknownPlace(record, `${destination}/${UNKNOWN_VALUE}`, directories, ["write"]);
				else if (base === "" || base === "." || base === "..")
					access("write", destination, { ...arriving, recursive: true });
				else access("write", `${destination}/${base}`, arriving);
			}
		}
		if (as === "name" || (!surely && !directoryGiven)) {
			access("write", destination, arriving);
			for (const source of sources.slice(0, 1)) copyContent(walk, source, destination, directories, stdin);
		}
	};

	const call: Call = {
		name,
		args,
		items,
		operands: [],
		home: host.home,
		stdin,
		has,
		values: (spelling) => {
			const spellings = spelling.split(" ");
			return items.flatMap((item) =>
				item.kind === "option" && spellings.includes(item.name) && item.value !== undefined ? [item.value] : [],
			);
		},
		applyRole,
		access,
		addLink(link, target) {
			if (state.elsewhere) return;
			const rules = pathRules(host);
			for (const path of absolutePaths(link, directories, record) ?? [])
				for (const to of isKnown(target) ? [target] : []) {
					record.link(rules.normalize(path), to);
					copyContent(walk, rules.resolve(rules.dirname(path), to), path, directories, stdin);
				}
		},
		effect: (...named) => {
			for (const effect of named) effects.add(effect);
		},
		change: (...named) => {
			for (const change of named) changes.add(change);
		},
		text,
		unknown,
		setOutput: (output) => {
			prints = output;
		},
		searchResult: (more) => record.found(more),
		run,
		script,
		runProgramFile(word) {
			const content = call.content(word);
			if (content === undefined || !isStream(word)) access("read", word);
			// What was fetched and written by the same text has been seen by nobody.
			if (content !== undefined && isBlank(content) && content !== "" && (isStream(word) || record.wasFetched()))
				effects.add("run-unknown-text");
			else if (content !== undefined && !isBlank(content)) walk.recordCode(content, stateHere(), text);
			if (wasDownloaded(word)) effects.add("run-download");
		},
		content: (word) => contentOf(walk, word, directories, stdin),
		foreignScript: (source, dialect) =>
			recordPowerShell(source, dialect, record, {
				directories,
				run: (words, at) => void walk.runWords(words, { ...stateHere(), cwd: at }, ""),
				depth: 1,
			}),
		runShellFile(word, more = {}) {
			const content = call.content(word);
			if (isKnown(word) && isStream(word))
				return script(content ?? UNKNOWN_VALUE, isInput(word) ? { ...more, from: "input" } : more);
			access("read", word);
			if (wasDownloaded(word)) effects.add("run-download");
			if (content !== undefined) script(content, more);
			unknown("script", text);
		},
		changeDirectory,
		delegate: follow,
		findUp(entry) {
			const rules = pathRules(host);
			const start = directories?.length === 1 ? directories[0] : undefined;
			for (let at = start; at !== undefined; at = rules.dirname(at)) {
				if (host.kind(rules.join(at, entry)) !== undefined) return at;
				if (rules.dirname(at) === at) return undefined;
			}
			return undefined;
		},
		variable(name) {
			const value = lookUp(state, name, host);
			return value === undefined
				? undefined
				: value.kind === "text" && value.options.length === 1
					? value.options[0]
					: UNKNOWN_VALUE;
		},
		isKnownProgram: (other) => findProgram(other) !== undefined,
		writtenContent: (word) => writtenIn(walk, word, directories),
		isDirectory: (word) => absolutePaths(word, directories, record)?.some((path) => isDirectory(path, host)) ?? false,
		exists: (word) => absolutePaths(word, directories, record)?.some((path) => host.kind(path) !== undefined) ?? false,
	};

	if (program.fetches) record.fetched();
	if (!asksForHelp(program, args)) follow(program, args);
	if (dropsData(name, args)) effects.add("sql-drop");
	if (publishesByTask(name, args)) {
		effects.add("publish");
		changes.add("remote");
	}
	// What another agent does, these rules do not bind: it may change whatever it likes.
	if (effects.has("nested-agent")) changes.add("worktree");
	if (effects.has("run-unknown-text") && record.wasFetched()) effects.add("run-download");
	const printed = prints ?? (inner.length === 1 ? inner[0] : inner.length > 1 ? UNKNOWN_VALUE : undefined);
	// A mere wrapper is no command of its own; one with subcommands has words that rules may be about.
	if (inner.length > 0 && effects.size === 0 && changes.size === 0 && !program.subcommands) return printed;
	record.run({
		program: name,
		args: args.map((arg) => (isKnown(arg) ? arg : null)),
		text,
		effects: [...effects],
		changes: [...changes],
		...(state.elsewhere && { elsewhere: true as const }),
	});
	return printed;
}

function spellUnknown(about: string): string {
	return displayText(about);
}

/** Whether an option as written is one of these, cut short where the program allows it. */
function names(spellings: readonly string[], written: string, program: ProgramSpec): boolean {
	if (spellings.includes(written)) return true;
	if (!program.abbreviates || !written.startsWith("--") || written.length < 3) return false;
	return spellings.some((spelling) => spelling.startsWith(written));
}

function asksForHelp(program: ProgramSpec, args: readonly string[]): boolean {
	const [first, second] = args;
	if (args.length === 1) return first === "--version" || first === "--help";
	return args.length === 2 && program.subcommands !== undefined && second === "--help";
}

function detailOf(does: Behavior): AccessDetail {
	return { ...(does.recursive && { recursive: true }), ...(does.skips && { skips: does.skips }) };
}
