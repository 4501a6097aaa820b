// Whether a phase lets a tool call through. Pure: it judges a footprint that was taken by others.
// L1 `workflow_step` is never stopped; L2 what the limits do not clearly allow by capability is stopped; L3 a list decides by name first,
// and only then asks what the call would do, whichever tool it is of.
import { isListed } from "../../definition/index.ts";
import {
	type CommandRun,
	type FileAccess,
	type Footprint,
	isWriterName,
	type ToolCall,
	type Unknown,
} from "../../safety/index.ts";
import type { Capability, ToolLimits } from "../definitions/index.ts";

export const stepTool = "workflow_step";

/** Why a call is stopped. */
export type Stop =
	/** A whitelist does not hold the tool, a blacklist does, or the phase may use nothing at all. */
	| { readonly kind: "name" }
	/** The call would change the project. `by` is the command or tool, `what` the path or the kind of change. */
	| { readonly kind: "shell-writes"; readonly by: string; readonly what: string }
	/** It starts another agent, which the limits of the phase would not bind. `by` is the command or tool. */
	| { readonly kind: "starts-agent"; readonly by: string }
	/** It cannot be known what the call does, and the phase is strict. `tool`: what is unknown is a tool, not a command. */
	| { readonly kind: "shell-unknown"; readonly what: string; readonly tool: boolean }
	/** The phase lacks a capability that the call needs. */
	| { readonly kind: "capability"; readonly lacks: Exclude<Capability, "read">; readonly what: string };

const fileTools = new Set(["read", "write", "edit", "grep", "find", "ls"]);
const shells = new Set(["bash", "powershell"]);
/** pi's tools that do nothing but find and call others: what they call is judged by itself. */
const callers = new Set(["codemode", "tool_search"]);

/** Judges one call by the limits of a phase; `undefined` lets it through. `project` is the absolute real path of the project's folder. */
export function judgeCall(
	limits: ToolLimits,
	call: Pick<ToolCall, "tool" | "own">,
	footprint: () => Footprint,
	project: string,
): Stop | undefined {
	if (call.tool === stepTool) return undefined;
	switch (limits.kind) {
		case "free":
			return undefined;
		case "blacklist":
			if (isListed(limits.names, call.tool)) return { kind: "name" };
			return writesAreMeant(limits) ? undefined : judgeChanges(limits, call, footprint, project);
		case "whitelist":
			if (!isListed(limits.names, call.tool))
				return isCaller(call) && namesOfOthers(limits.names) ? undefined : { kind: "name" };
			return writesAreMeant(limits) ? undefined : judgeChanges(limits, call, footprint, project);
		case "capabilities":
			if (limits.may.length === 0) return { kind: "name" };
			return isCaller(call) ? undefined : judgeCapabilities(limits.may, footprint(), project);
	}
}

function isCaller({ tool, own }: Pick<ToolCall, "tool" | "own">): boolean {
	return own === true && callers.has(tool);
}

/** Whether a list names tools that are not pi's own: those of MCP servers are within reach of its callers alone, unless set otherwise. */
function namesOfOthers(names: readonly string[]): boolean {
	return names.some((name) => name !== stepTool && !fileTools.has(name) && !shells.has(name));
}

/** Whether a phase refuses a tool by its name, whatever the arguments. */
export function isNameRefused(limits: ToolLimits, tool: string): boolean {
	switch (limits.kind) {
		case "free":
			return false;
		case "blacklist":
			return isListed(limits.names, tool);
		case "whitelist":
			return !isListed(limits.names, tool);
		case "capabilities":
			return limits.may.length === 0;
	}
}

/** Whether a phase has anything against changing the project. */
export function changesAreMeant(limits: ToolLimits): boolean {
	switch (limits.kind) {
		case "free":
			return true;
		case "blacklist":
		case "whitelist":
			return limits.shell === "unrestricted" || writesAreMeant(limits);
		case "capabilities":
			return limits.may.includes("write");
	}
}

/** A list that leaves the tools for writing in place has nothing against writing, by the shell neither. */
export function writesAreMeant(limits: Extract<ToolLimits, { kind: "blacklist" | "whitelist" }>): boolean {
	const edit = isListed(limits.names, "edit");
	const write = isListed(limits.names, "write");
	return limits.kind === "whitelist" ? edit || write : !edit && !write;
}

/** Whether a list lets tools through at all that could be ways to a shell. */
export function mayRunCommands({ kind, names }: Extract<ToolLimits, { kind: "blacklist" | "whitelist" }>): boolean {
	return kind === "blacklist" || namesOfOthers(names) || names.some((name) => shells.has(name));
}

/** Whether a list that is not meant to write lets the call change something. */
function judgeChanges(
	limits: Extract<ToolLimits, { kind: "blacklist" | "whitelist" }>,
	{ tool, own }: Pick<ToolCall, "tool" | "own">,
	footprint: () => Footprint,
	project: string,
): Stop | undefined {
	if (limits.shell === "unrestricted" || fileTools.has(tool) || own) return undefined;
	const print = footprint();
	const named = limits.kind === "whitelist" && isNamedWriter(limits.names, tool);
	for (const touch of print.accesses)
		if (!named && needOf(touch) === "write" && reaches(touch, project))
			return { kind: "shell-writes", by: touch.by, what: within(touch.path, project) };
	for (const run of print.runs) {
		if (startsAgent(run)) return { kind: "starts-agent", by: run.text };
		for (const change of run.changes)
			if (change === "worktree" || change === "packages")
				return { kind: "shell-writes", by: run.text, what: changeWords[change] };
	}
	for (const unknown of print.unknowns) {
		if (!mayWrite(unknown) || (named && unknown.what === "tool")) continue;
		if (unknown.what === "operand" && unknown.under !== undefined && isInside(unknown.under, project))
			return { kind: "shell-writes", by: unknown.text, what: within(unknown.under, project) };
		// What is too much to judge may be anything, also what would have been refused.
		if (limits.shell === "strict" || unknown.what === "syntax")
			return { kind: "shell-unknown", what: unknown.text, tool: unknown.what === "tool" };
	}
	return undefined;
}

/** A tool that a whitelist names in full, and whose name says that it writes files: its own writing is meant. */
function isNamedWriter(names: readonly string[], tool: string): boolean {
	return isWriterName(tool) && names.some((name) => name.toLowerCase() === tool.toLowerCase());
}

function startsAgent({ effects }: CommandRun): boolean {
	return effects.includes("nested-agent");
}

const changeWords = { worktree: "files of the project", packages: "installed packages" } as const;

function judgeCapabilities(
	may: readonly Capability[],
	{ accesses, runs, unknowns }: Footprint,
	project: string,
): Stop | undefined {
	const allowed = (need: Capability) => need === "read" || may.includes(need);
	for (const touch of accesses) {
		const need = needOf(touch);
		if (need !== "read" && !allowed(need))
			return lack(need, `\`${touch.by}\` would change ${within(touch.path, project)}`);
	}
	for (const run of runs) {
		// The limits of the phase would not bind a child, so it takes the right to write and to run anything.
		const [lacking] = startsAgent(run) ? (["write", "exec"] as const).filter((need) => !allowed(need)) : [];
		if (lacking) return lack(lacking, `\`${run.text}\` would start another agent`);
		for (const change of run.changes) {
			// What is changed beside files is neither reading nor writing them: that takes the right to run anything.
			const need = change === "worktree" || change === "repository" || change === "packages" ? "write" : "exec";
			if (!allowed(need)) return lack(need, `\`${run.text}\` would change ${beside[change]}`);
		}
	}
	for (const unknown of unknowns) {
		const need = !mayWrite(unknown) ? "read" : unknown.what === "operand" ? "write" : "exec";
		if (need !== "read" && !allowed(need)) return lack(need, unknownWords(unknown));
	}
	return undefined;
}

const beside = {
	worktree: "files of the project",
	repository: "the repository",
	packages: "installed packages",
	system: "the machine",
	remote: "something on another machine",
	containers: "containers",
	database: "a database",
} as const;

function lack(lacks: Exclude<Capability, "read">, what: string): Stop {
	return { kind: "capability", lacks, what };
}

function unknownWords({ what, text }: Unknown): string {
	switch (what) {
		case "operand":
			return `it is unknown which file \`${text}\` changes`;
		case "tool":
			return `it is unknown what the tool \`${text}\` does`;
		case "syntax":
			return `\`${text}\` cannot be read as a command`;
		case "command":
		case "program":
		case "script":
		case "project":
			return `it is unknown what \`${text}\` does`;
	}
}

function needOf({ kind, path }: FileAccess): "read" | "write" {
	switch (kind) {
		case "read":
		case "list":
			return "read";
		case "write":
		case "delete":
		case "link":
			return isSink(path) ? "read" : "write";
	}
}

/** Devices that swallow or show what is written to them: nothing is changed. */
function isSink(path: string): boolean {
	return /^\/dev\/(null|stdout|stderr|tty|fd\/\d+)$/.test(path);
}

function mayWrite({ may }: Unknown): boolean {
	return may.some((access) => access !== "read" && access !== "list");
}

/** Whether a change at this place is one of the project: inside it, or of everything below a folder that holds it. */
function reaches({ path, real, recursive }: FileAccess, project: string): boolean {
	return [path, real].some((place) => isInside(place, project) || (recursive && isInside(project, place)));
}

function isInside(path: string, folder: string): boolean {
	if (path === folder) return true;
	const prefix = /[\\/]$/.test(folder) ? folder : folder + (folder.includes("\\") ? "\\" : "/");
	return path.startsWith(prefix);
}

/** A path as the project would write it. */
function within(path: string, project: string): string {
	return path !== project && isInside(path, project) ? path.slice(project.length).replace(/^[\\/]/, "") : path;
}
