// The task of the worker that resolves the conflicts of a join. Pure.
import type { ChildGroup, ChildRun, JoinProgress } from "./child-group.ts";
import type { Run } from "./run.ts";

const mostConflicts = 50;
const mostSides = 8;
const taskLength = 1000;

/** What happened, what the markers mean, and what each side meant to do. */
export function mergeTask(
	{ snapshot, visit }: Run,
	{ children }: ChildGroup,
	{ conflicts, round }: JoinProgress,
): string {
	const labels = [...new Set(conflicts.flatMap(({ ours, theirs }) => [ours, theirs]))];
	const sides = children.filter(
		({ name, merges }) => merges === undefined && labels.some((label) => label.includes(name)),
	);
	const summaryOf = ({ name, summary }: ChildRun): string =>
		snapshot.summaries.find((one) => one.visit === visit && one.child === name)?.text ?? summary;
	const hasMine = labels.some((label) => label.startsWith("your files"));
	return [
		"Several agents worked from the same files at the same time, each in a copy of its own. The files in your folder are the merge of their work. In these files, git could not merge their changes:",
		conflictList(conflicts),
		round > 1 ? "An earlier attempt to resolve them left conflict markers." : "",
		"In each conflict, the lines after `<<<<<<<` are those of the first side, those after `|||||||` of the common start, and those after `=======`, up to `>>>>>>>`, of the second side. A conflict without markers is one of whole files: one side removed or replaced what the other changed.",
		"Resolve every conflict so that the intent of both sides is kept, remove all markers, and check that the result works. Save what later states must know, and resolve findings that your result makes untrue. Your state cannot end while a marker is left.",
		...sides.slice(0, mostSides).map((side) => sideText(side, summaryOf(side))),
		hasMine
			? "`your files` are the files in the project's folder, which the user or another program changed meanwhile."
			: "",
	]
		.filter((part) => part !== "")
		.join("\n\n");
}

function conflictList(conflicts: JoinProgress["conflicts"]): string {
	const lines = conflicts
		.slice(0, mostConflicts)
		.map(({ path, kind, ours, theirs }) => `- ${path} (${kind}): ${ours} against ${theirs}`);
	const more = conflicts.length - mostConflicts;
	return [...lines, ...(more > 0 ? [`- and ${more} more`] : [])].join("\n");
}

function sideText({ name, task }: ChildRun, summary: string): string {
	const short = task.length > taskLength ? `${task.slice(0, taskLength)}…` : task;
	return `### ${name}\n\nIts task: ${short}${summary === "" ? "" : `\n\nIts summary: ${summary}`}`;
}
