// Judges whether a phase allows a tool call, by the name of the tool and by the footprint of the call. Pure.
// `workflow_step` is never stopped; with capabilities, a call that is not clearly allowed is stopped; a list decides by name first,
// then by the effects of the call, regardless of the tool; changes in temporary folders outside the project are free.
import { isListed } from "@pi-chronicle/core/definition";
import {
	type BoxNeed,
	type ChangeKind,
	type CommandRun,
	changedThings,
	type FileAccess,
	type Footprint,
	isSink,
	isTemporary,
	judgeProjectChange,
	mayChange,
	type ProjectPlaces,
	type ProjectStop,
	pathInProject,
	type ToolCall,
	type Unknown,
	unchangedNeed,
} from "../../safety/index.ts";
import type { Capability, ToolLimits } from "../definitions/index.ts";

export const stepTool = "workflow_step";

/** Why a call is stopped. */
export type Stop =
	/** The tool is not in the whitelist, or is in the blacklist, or the phase allows no tools at all. */
	| { readonly kind: "name" }
	/** The phase does not change the project. */
	| ProjectStop
	/** The phase lacks a capability that the call needs. */
	| { readonly kind: "capability"; readonly lacks: Exclude<Capability, "read">; readonly what: string };

const fileTools = new Set(["read", "write", "edit", "grep", "find", "ls"]);
const shells = new Set(["bash", "powershell"]);
/** pi's tools that only find and call other tools; the calls they make are judged separately. */
const callers = new Set(["codemode", "tool_search"]);

/** Judges one call by the limits of a phase; `undefined` allows it. */
export function judgeCall(
	limits: ToolLimits,
	call: Pick<ToolCall, "tool" | "own">,
	footprint: () => Footprint,
	places: ProjectPlaces,
): Stop | undefined {
	if (call.tool === stepTool) return undefined;
	switch (limits.kind) {
		case "free":
			return undefined;
		case "blacklist":
		case "whitelist":
			return judgeList(limits, call, footprint, places);
		case "capabilities":
			if (limits.may.length === 0) return { kind: "name" };
			return isCaller(call) ? undefined : judgeCapabilities(limits.may, footprint(), places);
	}
}

function judgeList(
	limits: NameLimits,
	call: Pick<ToolCall, "tool" | "own">,
	footprint: () => Footprint,
	places: ProjectPlaces,
): Stop | undefined {
	const { kind, names, shell } = limits;
	// A gateway passes calls on, and its name says nothing of them.
	const isPassedOn = (name: string) => isListed(names, name);
	if (kind === "blacklist" && names.length > 0 && !fileTools.has(call.tool) && footprint().calls?.some(isPassedOn))
		return { kind: "name" };
	if (isNameRefused(limits, call.tool))
		return kind === "whitelist" && isCaller(call) && namesOfOthers(names) ? undefined : { kind: "name" };
	if (shell === "unrestricted" || writesAreMeant(limits)) return undefined;
	return judgeProjectChange(call, footprint, {
		places,
		unknown: shell === "strict" ? "refused" : "allowed",
		tools: kind === "whitelist" ? names : [],
	});
}

function isCaller({ tool, own }: Pick<ToolCall, "tool" | "own">): boolean {
	return own === true && callers.has(tool);
}

/** Whether a list names tools other than pi's own. MCP tools are reachable only through pi's callers, unless configured otherwise. */
function namesOfOthers(names: readonly string[]): boolean {
	return names.some((name) => name !== stepTool && !fileTools.has(name) && !shells.has(name));
}

/** Whether a phase refuses a tool by its name, regardless of the arguments. */
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

/** How a sandbox contains a call of a phase that does not change the project, if its command leaves that uncertain; `undefined`: it need not. */
export function containmentOf(limits: ToolLimits, footprint: Footprint): BoxNeed | undefined {
	const installs = footprint.runs.some(({ changes }) => changes.includes("packages"));
	const isUncertain = installs || footprint.unknowns.some(mayChange);
	return isUncertain && !changesAreMeant(limits) ? unchangedNeed(footprint) : undefined;
}

/** Whether the limits allow changes to the project. */
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

/** Whether a list allows pi's write tools, and therefore also writing through the shell. */
export function writesAreMeant(limits: NameLimits): boolean {
	const edit = isListed(limits.names, "edit");
	const write = isListed(limits.names, "write");
	return limits.kind === "whitelist" ? edit || write : !edit && !write;
}

/** Whether a list allows a tool that could run commands. */
export function mayRunCommands({ kind, names }: NameLimits): boolean {
	return kind === "blacklist" || namesOfOthers(names) || names.some((name) => shells.has(name));
}

type NameLimits = Extract<ToolLimits, { kind: "blacklist" | "whitelist" }>;

function firstOf<Item>(items: readonly Item[], judge: (item: Item) => Stop | undefined): Stop | undefined {
	for (const item of items) {
		const stop = judge(item);
		if (stop) return stop;
	}
	return undefined;
}

function judgeCapabilities(
	may: readonly Capability[],
	{ accesses, runs, unknowns }: Footprint,
	places: ProjectPlaces,
): Stop | undefined {
	const lacks = (need: Capability): need is Exclude<Capability, "read"> => need !== "read" && !may.includes(need);
	const judgeAccess = (access: FileAccess): Stop | undefined => {
		const need = isTemporary(access, places.temporary) ? "read" : needOf(access);
		return lacks(need) ? lack(need, `\`${access.by}\` would change ${pathInProject(access.path, places)}`) : undefined;
	};
	const judgeRun = (run: CommandRun): Stop | undefined => {
		// The limits of the phase would not bind a child agent, so starting one requires both `write` and `exec`.
		const lacking = run.effects.includes("nested-agent") ? (["write", "exec"] as const).find(lacks) : undefined;
		if (lacking) return lack(lacking, `\`${run.text}\` would start another agent`);
		for (const change of run.changes) {
			// Changes to anything other than files require `exec`.
			const need = change === "worktree" || change === "repository" || change === "packages" ? "write" : "exec";
			if (lacks(need) && !isMadeIn(places.temporary, run, change))
				return lack(need, `\`${run.text}\` would change ${changedThings[change]}`);
		}
		return undefined;
	};
	const judgeUnknown = (unknown: Unknown): Stop | undefined => {
		const need = !mayChange(unknown) ? "read" : unknown.what === "operand" ? "write" : "exec";
		return lacks(need) ? lack(need, unknownText(unknown)) : undefined;
	};
	return firstOf(accesses, judgeAccess) ?? firstOf(runs, judgeRun) ?? firstOf(unknowns, judgeUnknown);
}

/** Whether the change is known to stay in temporary folders, or outside this machine. */
function isMadeIn(temporary: ProjectPlaces["temporary"], { places }: CommandRun, change: ChangeKind): boolean {
	return places?.[change]?.every((place) => isTemporary({ ...place, recursive: true }, temporary)) ?? false;
}

function lack(lacks: Exclude<Capability, "read">, what: string): Stop {
	return { kind: "capability", lacks, what };
}

function unknownText({ what, text }: Unknown): string {
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
		case "file":
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
