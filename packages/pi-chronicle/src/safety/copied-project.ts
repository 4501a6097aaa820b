// A copy of a project in which an agent works instead of the project, such as the folder of a child run.
// A path in the copy is judged as the path that the file will have in the project; until its files are joined, nothing that the agent does
// changes the project or another copy.
import type { WorkingCopy } from "@pi-chronicle/core/ports";
import type { FileAccess, Footprint } from "@pi-chronicle/footprint";
import { isWithin, type Policy, quoteRedacted, type ToolCall, type Verdict } from "./policy/index.ts";

/** The path that a file of the copy will have in the project; other paths are returned unchanged. */
export function projectPath(path: string, copy: WorkingCopy | undefined): string {
	return copy && isWithin(path, copy.root) ? copy.project + path.slice(copy.root.length) : path;
}

/** The path in the copy of a file of the project; other paths are returned unchanged. */
export function copyPath(path: string, copy: WorkingCopy | undefined): string {
	if (!copy || isWithin(path, copy.root) || !isWithin(path, copy.project)) return path;
	return copy.root + path.slice(copy.project.length);
}

/** Refuses calls that change the project itself. */
export function copiedProjectPolicy(copy: WorkingCopy): Policy {
	const closed = [copy.project, ...copy.closed].filter((folder) => folder !== copy.root);
	return {
		name: "copy",
		ignores: ({ own }) => closed.length === 0 || own === true,
		judge(call, footprint) {
			const measured = footprint();
			const changed = measured.accesses.filter((access) => changes(access) && isClosed(access.real, copy, closed));
			if (changed.length > 0) return changed.map((access) => accessVerdict(access, copy));
			const named = mayChange(measured) ? namedFolder(call, copy, closed) : undefined;
			return named === undefined ? undefined : textVerdict(named, copy);
		},
	};
}

function changes({ kind }: FileAccess): boolean {
	return kind !== "read" && kind !== "list";
}

function isClosed(path: string, { root }: WorkingCopy, closed: readonly string[]): boolean {
	return !isWithin(path, root) && closed.some((folder) => isWithin(path, folder));
}

/** Whether the call may change files that its accesses do not name. */
function mayChange({ unknowns, runs }: Footprint): boolean {
	const unknown = unknowns.some(({ may }) => may.some((kind) => kind !== "read" && kind !== "list"));
	return unknown || runs.some((run) => run.changes.length > 0);
}

/** The closed folder that the arguments of the call name. */
function namedFolder({ input }: ToolCall, { root }: WorkingCopy, closed: readonly string[]): string | undefined {
	// A copy may be inside a closed folder.
	const text = JSON.stringify(input).replaceAll(inJson(root), "");
	return closed.find((folder) => {
		const name = inJson(folder);
		return text
			.split(name)
			.slice(1)
			.some((rest) => !/^[\w.-]/.test(rest));
	});
}

/** A path as a part of JSON text. */
function inJson(path: string): string {
	return JSON.stringify(path).slice(1, -1);
}

function accessVerdict({ by, real }: FileAccess, copy: WorkingCopy): Verdict {
	const own = copyPath(real, copy);
	return {
		decision: "deny",
		policy: "copy",
		rule: "outside-the-copy",
		reason: `${quoteRedacted(by)} changes ${real}, but this run works in a copy of the project, whose changes are joined later.`,
		advice: own === real ? `Change only files below ${copy.root}.` : `Use ${own}.`,
	};
}

function textVerdict(named: string, copy: WorkingCopy): Verdict {
	return {
		decision: "deny",
		policy: "copy",
		rule: "outside-the-copy",
		reason: `This may change ${named}, but this run works in a copy of the project, whose changes are joined later.`,
		advice: `Use ${copy.root} instead of ${named}.`,
	};
}
