// Applies the roles of a command's arguments (`../programs/program-spec.ts`): each option value and operand becomes accesses, runs or changes.
import { isDirectory, pathRules } from "../paths.ts";
import { absolutePaths, foundBelow, unknownPlace } from "../places.ts";
import type { Behavior, ParsedArgument, ProgramSpec, Role } from "../programs/index.ts";
import type { AccessDetail } from "../record.ts";
import { isKnown, UNKNOWN_VALUE } from "../text.ts";
import {
	type ActiveCommand,
	access,
	content,
	enterDirectory,
	innerState,
	recordUnknown,
	runCommand,
	runFile,
	runScript,
} from "./active-command.ts";
import { copyContent } from "./contents.ts";
import {
	hasOption,
	inputOptions,
	isLoader,
	isNamed,
	optionRole,
	outputOptions,
	positionsOf,
	readsOnly,
	roleAt,
} from "./description.ts";
import { recordCode } from "./run-code.ts";
import { recordOperands, recordOptionText } from "./unlisted.ts";
import type { ShellWalk } from "./walk.ts";

/** Applies one role to a word. */
export function applyRole(command: ActiveCommand, role: Role, word: string, detail?: AccessDetail): void {
	if (word === "-" && !/^(?:directory|names)$/.test(role) && !(role === "load" && command.stdin !== "")) return;
	switch (role) {
		case "text":
			return;
		case "delete":
			if (!foundBelow(word, command.walk.record)) access(command, role, word, detail);
			// Only empty folders.
			else if (command.name === "rmdir") command.changes.add("worktree");
			else {
				command.effects.add("delete-found");
				access(command, role, word, detail);
			}
			return;
		case "names":
			readNamed(command, word);
			return;
		case "read":
		case "list":
		case "link":
			access(command, role, word, detail);
			return;
		case "write":
		case "make":
			access(command, "write", word, detail);
			return;
		case "replace":
		case "into":
			// Every found file has the same content.
			if (foundBelow(word, command.walk.record)) command.effects.add("destroy-content");
			access(command, "write", word, { ...detail, replaces: true });
			return;
		case "move":
			access(command, "delete", word, { ...detail, recursive: true });
			return;
		case "directory":
			access(command, "list", word);
			enterDirectory(command, word);
			return;
		case "manifest":
			access(command, "read", word);
			enterDirectory(command, projectOf(command, word));
			return;
		case "load":
			if (/^\d[\d.]*$/.test(word)) return;
			if (word !== "-") access(command, "read", word, detail);
			recordLoaded(command, word);
			return;
		case "run":
			runFile(command, word);
			return;
		case "command":
			runCommand(command, [word]);
			return;
		case "script":
			runScript(command, word);
			return;
		case "code":
			recordCode(command.walk, word, innerState(command), command.text);
			return;
	}
}

/** Records code that an option loads: a file that is there or a module of this name, otherwise text that is not seen. */
function recordLoaded(command: ActiveCommand, word: string): void {
	const { host, record } = command.walk;
	const isThere = absolutePaths(word, command.directories, record)?.some((path) => host.kind(path) !== undefined);
	recordUnknown(command, isThere || /^[\w@][\w@./-]*$/.test(word) ? "file" : "script", command.text);
}

/** Reads a list of names, and what it names. */
function readNamed(command: ActiveCommand, list: string): void {
	if (list !== "-") access(command, "read", list);
	for (const name of content(command, list)
		?.split(/[\n\0]/)
		.slice(0, 200) ?? [])
		access(command, "read", name);
}

/** The directory of a manifest; some programs accept the directory itself. */
function projectOf({ walk, directories }: ActiveCommand, word: string): string {
	const paths = absolutePaths(word, directories, walk.record) ?? [];
	if (paths.some((path) => isDirectory(path, walk.host))) return word;
	const [, folder] = /^(.*)\/[^/]*$/s.exec(word) ?? [];
	return folder === "" ? "/" : (folder ?? ".");
}

export function detailOf(behavior: Behavior): AccessDetail {
	return { ...(behavior.recursive && { recursive: true }), ...(behavior.skips && { skips: behavior.skips }) };
}

/** Applies the roles of all options and operands, in order. */
export function applyItems(
	command: ActiveCommand,
	program: ProgramSpec,
	behavior: Behavior,
	items: readonly ParsedArgument[],
): void {
	const positions = positionsOf(behavior.operands);
	const detail = detailOf(behavior);
	const count = items.filter((item) => item.kind === "operand").length;
	const applied: { readonly role: Role | undefined; readonly word: string }[] = [];
	let destination = destinationOption(program, items);
	let index = 0;
	for (const [at, item] of items.entries()) {
		if (item.kind === "option") {
			applyUnnamed(command, program, behavior, item, items[at + 1]);
			applyOption(command, program, item);
			continue;
		}
		const role = roleAt(positions, index++, count);
		if (role === "command") {
			runCommand(command, operandsOf(items.slice(at)));
			break;
		}
		if (role === "into" && destination === undefined && count > 1) {
			destination = item.word;
			continue;
		}
		// If an option names the destination, the last operand is a source too.
		const own = role === "into" ? (positions.rest ?? "read") : role;
		applied.push({ role: own, word: item.word });
		if (own) applyRole(command, own, item.word, detail);
	}
	if (destination === undefined) return;
	const sources = applied.filter(({ role }) => role && sourceRoles.has(role)).map(({ word }) => word);
	arrive(command, destination, sources, detail);
}

/** The roles of sources that are copied, moved or linked to a destination. */
const sourceRoles: ReadonlySet<Role> = new Set(["read", "move", "link"]);

export function operandsOf(items: readonly ParsedArgument[]): readonly string[] {
	return items.flatMap((item) => (item.kind === "operand" ? [item.word] : []));
}

/** The destination of a copy that an option names. */
function destinationOption(program: ProgramSpec, items: readonly ParsedArgument[]): string | undefined {
	let destination: string | undefined;
	for (const item of items)
		if (item.kind === "option" && item.value !== undefined && optionRole(program, item.name) === "into")
			destination = item.value;
	return destination;
}

type ParsedOption = Extract<ParsedArgument, { kind: "option" }>;

function applyOption(command: ActiveCommand, program: ProgramSpec, { name, value }: ParsedOption): void {
	const role = value === undefined ? undefined : optionRole(program, name);
	if (role && role !== "into")
		applyRole(command, role, value ?? "", role === "read" || role === "list" ? {} : undefined);
}

/** Applies an option that no description names by its name and the shape of its value, which may be the next word. */
function applyUnnamed(
	command: ActiveCommand,
	program: ProgramSpec,
	behavior: Behavior,
	{ name, value }: ParsedOption,
	next: ParsedArgument | undefined,
): void {
	if (isNamed(name, program)) return;
	const writes = readsOnly(behavior, program) && (isLoader(name) || outputOptions.test(name));
	if (writes && value !== undefined) applyRole(command, "replace", value);
	const given = value ?? (next?.kind === "operand" ? next.word : "");
	if (isLoader(name) && given !== "") recordLoaded(command, given);
	else if (writes || isLoader(name)) recordUnknown(command, "program", command.text);
	if (!name.startsWith("--") || given === "") return;
	recordOptionText(command.walk, name, given, innerState(command));
	if (inputOptions.test(name)) recordOperands(command.walk, [given], innerState(command), command.text);
}

/** What the destination of a copy is: a new name, a directory, a directory that keeps the sources' folders, or either of the first two. */
function destinationKind(command: ActiveCommand): "name" | "tree" | "directory" | "either" {
	if (hasOption(command, "-T --no-target-directory")) return "name";
	if (hasOption(command, "--parents")) return "tree";
	return hasOption(command, "-t --target-directory") ? "directory" : "either";
}

/** Records the targets of copies and moves: below a directory under their own names, otherwise the given name. */
function arrive(command: ActiveCommand, destination: string, sources: readonly string[], detail: AccessDetail): void {
	const { walk, directories, stdin } = command;
	const { record, host } = walk;
	const kind = destinationKind(command);
	const paths = absolutePaths(destination, directories, record);
	const arriving = { ...detail, replaces: true };
	if (foundBelow(destination, record)) {
		applyRole(command, "replace", destination, detail);
		return;
	}
	if (!paths) {
		recordUnknownPlace(command, destination);
		return;
	}
	const givenAsDirectory = kind === "directory" || kind === "tree";
	const isSurely = paths.every((path) => isDirectory(path, host) && !record.removed(path));
	const isPerhaps = paths.some((path) => mayBeDirectory(walk, path));
	const many = givenAsDirectory || sources.length > 1 || destination.endsWith("/");
	if (kind !== "name" && (many || isPerhaps))
		for (const source of sources) arriveBelow(command, destination, source, kind === "tree", arriving);
	if (kind === "name" || (!isSurely && !givenAsDirectory)) {
		access(command, "write", destination, arriving);
		for (const source of sources.slice(0, 1)) copyContent(walk, source, destination, directories, stdin);
	}
}

function recordUnknownPlace({ walk, state, directories }: ActiveCommand, destination: string): void {
	if (!state.elsewhere) unknownPlace(walk.record, destination, directories, ["write"]);
}

function mayBeDirectory({ host, record }: ShellWalk, path: string): boolean {
	return isDirectory(path, host) || record.filled(path) || record.filled(pathRules(host).dirname(path));
}

/** Records one copy below a directory; `tree`: including the folders of the source. */
function arriveBelow(
	command: ActiveCommand,
	directory: string,
	source: string,
	tree: boolean,
	detail: AccessDetail,
): void {
	const { walk, directories, stdin } = command;
	const own = pathRules(walk.host).basename(source);
	copyContent(walk, source, `${directory}/${own}`, directories, stdin);
	const base = tree ? source.replace(/^\/+/, "") : own;
	const search = foundBelow(source, walk.record);
	if (search) access(command, "write", `${directory}/${walk.record.found(search.detail)}`, detail);
	else if (!isKnown(source)) unknownPlace(walk.record, `${directory}/${UNKNOWN_VALUE}`, directories, ["write"]);
	else if (base === "" || base === "." || base === "..")
		access(command, "write", directory, { ...detail, recursive: true });
	else access(command, "write", `${directory}/${base}`, detail);
}
