// Problems of checked templates and of refused commands, and commands and runs that the user has to confirm, as plain lines. Pure.

import {
	asSentence,
	counted,
	type Diagnostic,
	formatDiagnostic,
	formatDiagnostics,
	formatPath,
	formatPlace,
} from "@pi-chronicle/core/definition";
import type { LaunchProblem } from "@pi-chronicle/core/ports";
import {
	type Check,
	type CleanupTexts,
	type KeptFolders,
	launchDiagnostics,
	type Removable,
	type Removed,
	type RunEntry,
} from "../../local/index.ts";
import { shortTime } from "../../pi/index.ts";
import { runStatusText } from "./why.ts";

/** File by file, then agents and teams. Paths below `cwd` are relative to it. */
export function templateCheckLines({ files, agents, unread }: Check, cwd: string): string[] {
	const shown = files.flatMap((checked) => [
		`${checked.loads ? "✓" : "✗"} ${formatPath(checked.file, cwd)}`,
		...formatDiagnostics([...checked.diagnostics, ...launchDiagnostics(checked)], cwd).map((line) => `  ${line}`),
	]);
	return [
		...(files.length === 0 && !unread ? ["There are no templates."] : shown),
		...(unread
			? [
					"✗ The project's templates are not read: pi does not trust the project (/trust in pi, --approve for one command).",
				]
			: []),
		...(agents.length === 0 ? [] : ["Agents and teams:"]),
		...formatDiagnostics(agents, cwd).map((line) => `  ${line}`),
	];
}

export interface ComplaintText {
	readonly message: string;
	readonly remedy?: string;
	readonly diagnostics?: readonly Diagnostic[];
	readonly problems?: readonly LaunchProblem[];
	readonly lines?: readonly string[];
}

/** A refused command: its message, then all problems. Paths below `cwd` are relative to it. */
export function complaintLines(complaint: ComplaintText, cwd: string): string[] {
	const { message, remedy, diagnostics = [], problems = [], lines = [] } = complaint;
	const linesOf = (wanted: Diagnostic["severity"]): string[] => [
		...diagnostics.filter(({ severity }) => severity === wanted).map((each) => formatDiagnostic(each, cwd)),
		...problems.filter(({ severity }) => severity === wanted).map((each) => problemLine(each, cwd)),
	];
	const errors = linesOf("error");
	const warnings = linesOf("warning");
	// What prevents it stands alone: warnings would hide it.
	const rest = `and ${counted(warnings.length, "warning")}, listed by: pi-chronicle check`;
	return [
		remedy === undefined ? message : `${asSentence(message)} ${remedy}`,
		...errors,
		...(errors.length === 0 ? warnings : warnings.length > 0 ? [rest] : []),
		...lines,
	];
}

function problemLine({ state, severity, message, remedy, place }: LaunchProblem, cwd: string): string {
	const where = place === undefined ? "" : `${formatPlace(place, cwd)} `;
	return `${where}${state}: ${severity === "warning" ? "warning: " : ""}${message} ${remedy}`;
}

/** Each command with its state; further lines of a command follow below it. */
export function cleanupLines(commands: CleanupTexts["commands"]): string[] {
	return commands.flatMap(({ state, command }) => {
		const [first = "", ...more] = command.split("\n").map(visible);
		return [`  ${state}: ${first}`, ...more.map((line) => `  ${" ".repeat(state.length)}│ ${line}`)];
	});
}

/** Asks whether the cleanup commands of template `name` may run. */
export function cleanupTitle(name: string): string {
	return `"${name}" has commands of its own, which run without a worker`;
}

/** The answers to that question. */
export const cleanupAnswers = {
	none: "Start without them",
	approved: "Allow them, exactly as shown",
	nothing: "Don't start",
} as const;

/** Escapes what a screen would hide or show as something else: control and format characters, marks, unusual spaces. */
function visible(text: string): string {
	return text.replace(
		/[\p{C}\p{Zl}\p{Zp}\u{115f}\u{1160}\u{3164}\u{ffa0}]|(?! )\p{Zs}/gu,
		(character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
	);
}

/** The runs to be removed: `1a2b3c4d  done · 3d ago · 12.3 MB · feature: Add a login`. `sizes`: bytes of runs by id. */
export function removalLines({ runs, staying }: Removable, now: number, sizes?: ReadonlyMap<string, number>): string[] {
	return [
		...runs.map((entry) => `${isChild(entry) ? "    " : "  "}${entryText(entry, now, sizes?.get(entry.id))}`),
		...stayingLines(staying),
	];
}

function isChild(entry: RunEntry): boolean {
	return entry.kind === "run" && entry.summary.parent !== undefined;
}

function entryText(entry: RunEntry, now: number, bytes = 0): string {
	const id = entry.id.slice(0, 8);
	const size = bytes === 0 ? "" : ` · ${megabytes(bytes)}`;
	if (entry.kind === "unreadable") return `${id}  cannot be read${size}`;
	const { status, updatedAt, template, task } = entry.summary;
	const [line = ""] = task.split("\n");
	return `${id}  ${runStatusText(status)} · ${shortTime(now - Date.parse(updatedAt))} ago${size} · ${template}: ${line.slice(0, 60)}`;
}

function stayingLines(staying: Removable["staying"]): string[] {
	return staying.map(({ id, why }) => `  ${id.slice(0, 8)}  kept: it ${why}`);
}

/** The removed runs. */
export function removedLines(removed: readonly Removed[]): string[] {
	if (removed.length === 0) return ["Nothing to remove."];
	return removed.map(({ id, bytes, failure }) =>
		failure
			? `${id.slice(0, 8)} could not be removed: ${failure.message} ${failure.remedy}`
			: `${id.slice(0, 8)} removed (${megabytes(bytes)}).`,
	);
}

/** Folders of children that are kept, and what they use. */
export function keptFolderLines(kept: KeptFolders | undefined): string[] {
	if (!kept) return [];
	const { path, folders, bytes } = kept;
	return [`Kept: ${counted(folders, "folder")} of children, ${megabytes(bytes)}, in ${path}`];
}

function megabytes(bytes: number): string {
	return `${(bytes / 1e6).toFixed(1)} MB`;
}
