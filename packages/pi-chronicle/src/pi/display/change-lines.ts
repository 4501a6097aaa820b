// Changes of files as lines for the user: of a run, of a visit, of a restore.
import { counted, pathOnLine } from "@pi-chronicle/core/definition";
import { type FileChange, type FileLeft, type MeasuredChanges, measuredTotals } from "@pi-chronicle/core/snapshot";

/** Files that a list names, unless it says otherwise. */
export const maxFiles = 8;
/** The same in a question: an answer covers all of them. */
export const maxAsked = 40;

/** The changed files with their counts, at most `max` of them by name; without `max` all, folded by folder if all are known. `rest`: where the others are shown. */
export function changeLines(
	measured: MeasuredChanges,
	{ max, rest }: { readonly max: number | undefined; readonly rest?: string } = { max: maxFiles },
): string[] {
	const { files: count, added, removed } = measuredTotals(measured);
	if (count === 0) return ["No files changed."];
	const { changes = [] } = measured;
	// A sum of some of a folder's files would be taken for the sum of all.
	const folds = max === undefined && changes.length === count;
	const listed = folds ? changes : changes.slice(0, max ?? maxNamed);
	return [
		`${counted(count, "file")} changed, +${added} −${removed}:`,
		...(folds ? foldedLines(listed) : listed.map(changeLine)),
		...restLine(count - listed.length, rest),
	];
}

/** More files than this are folded by folder, into at most about as many lines. */
const maxNamed = 50;

/** The files by name; if there are many, those of one folder on one line. */
function foldedLines(changes: readonly FileChange[]): string[] {
	if (changes.length <= maxNamed) return changes.map(changeLine);
	const at = (depth: number) =>
		Map.groupBy(changes, ({ path }) => path.split("/").slice(0, -1).slice(0, depth).join("/"));
	let folded = at(1);
	for (let depth = 2; at(depth).size <= maxNamed && at(depth).size > folded.size; depth++) folded = at(depth);
	return [...folded].flatMap(([folder, own]) =>
		own.length === 1 || folder === "" ? own.map(changeLine) : [`  ${pathOnLine(folder)}/ ${sumText(own)}`],
	);
}

function sumText(changes: readonly FileChange[]): string {
	const { files, added, removed } = measuredTotals({ changes });
	return `${counted(files, "file")} +${added} −${removed}`;
}

/** Files that could not be compared or restored, the first ones by name. */
export function leftLines(title: string, left: readonly FileLeft[], more = 0): string[] {
	if (left.length === 0) return [];
	const listed = left.slice(0, maxFiles);
	return [
		`${title}:`,
		...listed.map(({ path, why }) => `  ${pathOnLine(path)} (${why})`),
		...restLine(left.length - listed.length + more),
	];
}

/** The line below a list that omits `hidden` of its items; none if it omits nothing. `where`: where they are shown. */
export function restLine(hidden: number, where?: string): string[] {
	return hidden > 0 ? [`  … and ${hidden} more${where === undefined ? "" : `: ${where}`}`] : [];
}

/** The effect of a restore on the current files. */
export function restoreLines({
	left,
	blocked,
	...measured
}: MeasuredChanges & {
	readonly changes: readonly FileChange[];
	readonly left: readonly FileLeft[];
	readonly blocked: readonly FileLeft[];
}): string[] {
	return [
		...(measured.changes.length > 0 ? ["Changes to the current files:"] : []),
		...changeLines(measured, { max: maxAsked }),
		...leftLines("Not restored", left),
		...leftLines("Nothing will be changed, because these files block it and cannot be saved", blocked),
	];
}

/** `  M src/a.ts +10 −2`. */
function changeLine({ change, path, from, added, removed }: FileChange): string {
	const counts = added === undefined ? "" : ` +${added} −${removed ?? 0}`;
	return `  ${change} ${from === undefined ? "" : `${pathOnLine(from)} → `}${pathOnLine(path)}${counts}`;
}
