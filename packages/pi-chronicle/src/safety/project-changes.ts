// The one meaning of "does not change the project", for phases, states, children and readonly: which known changes of a call count, by their
// places. Pure.
// A change whose place is unknown counts; metadata of git (commits, branches, index) is part of the project.
import {
	type ChangeKind,
	type CommandRun,
	type Effect,
	type FileAccess,
	type Footprint,
	isWriterName,
	type Unknown,
} from "@pi-chronicle/footprint";
import { isInProject, type ProjectPlaces } from "./places.ts";
import { isWithin, type ToolCall } from "./policy/index.ts";

/** A known change. */
type KnownChange =
	| { readonly kind: "access"; readonly access: FileAccess }
	| { readonly kind: "run"; readonly run: CommandRun; readonly change: ChangeKind };

/** A place of a change; changes of a folder as a whole are recursive. */
type AccessedPlace = Pick<FileAccess, "path" | "real" | "recursive">;

interface Counted {
	readonly accesses: (place: FileAccess) => boolean;
	/** Changes that commands make in folders; `undefined`: the place is unknown. */
	readonly runs: (change: ChangeKind, places: readonly AccessedPlace[] | undefined) => boolean;
}

/** The first known change of a call that counts. */
export function findChange({ accesses, runs }: Footprint, counts: Counted): KnownChange | undefined {
	const access = accesses.find((each) => each.kind !== "read" && each.kind !== "list" && counts.accesses(each));
	if (access) return { kind: "access", access };
	for (const run of runs)
		for (const change of run.changes) {
			const places = run.places?.[change]?.map((place) => ({ ...place, recursive: change === "worktree" }));
			if (counts.runs(change, places)) return { kind: "run", run, change };
		}
	return undefined;
}

/** What is left to judge of a call that a sandbox contains: neither unknown effects nor an install can change more than git ignores. */
export function containedFootprint(footprint: Footprint): Footprint {
	const runs = footprint.runs.map((run) => ({ ...run, changes: run.changes.filter((kind) => kind !== "packages") }));
	return { ...footprint, runs, unknowns: [] };
}

/** Why a call does not leave the project unchanged. */
export type ProjectStop =
	/** It would change the project. `by` is the command or tool, `what` the path or the kind of change; `unmoved`: only if a `cd` before it fails. */
	| { readonly kind: "shell-writes"; readonly by: string; readonly what: string; readonly unmoved?: true }
	/** It starts another agent, which these limits would not bind. `by` is the command or tool. */
	| { readonly kind: "starts-agent"; readonly by: string }
	/** Its effect is unknown, and unknown effects are refused. `tool`: the unknown is a tool, not a command. */
	| { readonly kind: "shell-unknown"; readonly what: string; readonly tool: boolean };

export interface ProjectLimits {
	readonly places: ProjectPlaces;
	/** Calls whose effect is unknown. */
	readonly unknown: "allowed" | "refused";
	/** Listed tools: one with the full name of a tool for writing files may write itself; the commands that it runs may not. */
	readonly tools: readonly string[];
}

/** pi's tools for files, which are limited by their names. */
const fileTools: ReadonlySet<string> = new Set(["read", "write", "edit", "grep", "find", "ls"]);

/** Whether a call of such a tool is not judged by its effects. */
export function isLimitedByName({ tool, own }: Pick<ToolCall, "tool" | "own">): boolean {
	return own === true || fileTools.has(tool);
}

/** What kinds of change are called in a message. */
export const changedThings = {
	worktree: "files of the project",
	repository: "the repository",
	packages: "installed packages",
	system: "the machine",
	remote: "something on another machine",
	containers: "containers",
	database: "a database",
} as const satisfies { readonly [kind in ChangeKind]: string };

const ofProject: ReadonlySet<ChangeKind> = new Set(["worktree", "repository", "packages"]);

/** Effects of program text that cannot be seen: it may change anything. */
const unseenText: ReadonlySet<Effect> = new Set(["run-unknown-text", "unseen-removal"]);

/** Judges what runs beyond the call's own commands: another agent, or text that cannot be seen. */
function judgeHidden({ runs }: Footprint): ProjectStop | undefined {
	const agent = runs.find(({ effects }) => effects.includes("nested-agent"));
	if (agent) return { kind: "starts-agent", by: agent.text };
	const unseen = runs.find(({ effects }) => effects.some((effect) => unseenText.has(effect)));
	return unseen && { kind: "shell-unknown", what: unseen.text, tool: false };
}

/** Judges a call that must not change the project; `undefined` allows it. */
export function judgeProjectChange(
	call: Pick<ToolCall, "tool" | "own">,
	measure: () => Footprint,
	limits: ProjectLimits,
): ProjectStop | undefined {
	if (isLimitedByName(call)) return undefined;
	const footprint = measure();
	const { places, tools } = limits;
	const mayWrite = isWriterName(call.tool) && tools.some((name) => name.toLowerCase() === call.tool.toLowerCase());
	const hidden = judgeHidden(footprint);
	if (hidden) return hidden;
	const change = findChange(footprint, {
		accesses: (access) => !mayWrite && !isSink(access.path) && isInProject(access, places),
		runs: (kind, at) => ofProject.has(kind) && (at?.some((place) => isInProject(place, places)) ?? true),
	});
	if (change) {
		const isAccess = change.kind === "access";
		const by = isAccess ? change.access.by : change.run.text;
		const what = isAccess ? pathInProject(change.access.path, places) : changedThings[change.change];
		return { kind: "shell-writes", by, what, ...(isMeantForElsewhere(change, footprint, places) && { unmoved: true }) };
	}
	for (const unknown of footprint.unknowns) {
		const stop = mayWrite && unknown.what === "tool" ? undefined : judgeUnknown(unknown, limits);
		if (stop) return stop;
	}
	return undefined;
}

/** Whether the same command makes the same change outside the project, unless a `cd` before it has failed. */
function isMeantForElsewhere(change: KnownChange, { accesses }: Footprint, places: ProjectPlaces): boolean {
	const isNamed = (text: string, path: string) => text.includes(path);
	if (change.kind === "run") {
		const { text, places: at } = change.run;
		return at?.[change.change]?.some((place) => !isInProject(place, places) && !isNamed(text, place.path)) ?? false;
	}
	const { kind, by, path } = change.access;
	const ending = `/${pathInProject(path, places).replaceAll("\\", "/")}`;
	return accesses.some(
		(other) =>
			other.kind === kind &&
			other.by === by &&
			!isInProject(other, places) &&
			!isNamed(by, other.path) &&
			other.path.replaceAll("\\", "/").endsWith(ending),
	);
}

/** Unknown parts that are refused everywhere: programs and tasks have names, but what cannot be read may do anything that is refused. */
const unseen: ReadonlySet<Unknown["what"]> = new Set(["syntax", "script", "command", "operand"]);

function judgeUnknown(unknown: Unknown, { places, unknown: effects }: ProjectLimits): ProjectStop | undefined {
	if (!mayChange(unknown)) return undefined;
	const { what, text, under } = unknown;
	if (what === "operand" && under !== undefined && isInProject({ path: under, real: under }, places))
		return { kind: "shell-writes", by: text, what: pathInProject(under, places) };
	return effects === "refused" || (unseen.has(what) && under === undefined)
		? { kind: "shell-unknown", what: text, tool: what === "tool" }
		: undefined;
}

/** Whether the unknown part may change something. */
export function mayChange({ may }: Unknown): boolean {
	return may.some((access) => access !== "read" && access !== "list");
}

/** Whether a path is a device that discards or displays its input. */
export function isSink(path: string): boolean {
	return /^\/dev\/(null|stdout|stderr|tty|fd\/\d+)$/.test(path);
}

/** The path relative to the working folder if it is inside, otherwise the path itself. */
export function pathInProject(path: string, { project: [folder = ""] }: Pick<ProjectPlaces, "project">): string {
	return path !== folder && isWithin(path, folder) ? path.slice(folder.length).replace(/^[\\/]/, "") : path;
}

/** What a worker can do who wants to try something. */
const freeCopy = "A copy in a temporary folder may be changed: `d=$(mktemp -d) && cp -r . $d && cd $d && …`.";

/** Why, and what to do instead, in two sentences at most about `who` (`phase`, `state`). */
export function projectStopText(stop: ProjectStop, who: string): string {
	const leaves = `This ${who} does not change the project, and`;
	switch (stop.kind) {
		case "shell-writes":
			return stop.unmoved
				? `${leaves} \`${stop.by}\` would change ${stop.what} if the \`cd\` before it did not happen. Join the commands with \`&&\`, or give absolute paths.`
				: `${leaves} \`${stop.by}\` would change ${stop.what}. ${freeCopy}`;
		case "starts-agent":
			return `${leaves} \`${stop.by}\` would start another agent, which this limit would not bind.`;
		case "shell-unknown":
			return `${leaves} it is unknown whether ${stop.tool ? "the tool " : ""}\`${stop.what}\` would.`;
	}
}
