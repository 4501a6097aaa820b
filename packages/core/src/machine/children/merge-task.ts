// The task of the worker that resolves the conflicts of a join. Pure.
// A child is named only if its files are a side of a conflict; what is left out is named, with where it is.
import { cutText } from "../../snapshot/index.ts";
import { type StatePlan, TESTS } from "../../template/index.ts";
import type { ChildGroup, ChildRun, JoinProgress } from "../run/child-group.ts";
import { ALL_CHILDREN, sideWith, YOUR_FILES } from "../run/child-run.ts";
import type { Run } from "../run/run.ts";

const mostConflicts = 50;
const mostSides = 8;
/** Bytes of a child's task, and of the summaries of all sides. */
const taskBytes = 1000;
const summaryBytes = 6000;

/** What happened, what the markers mean, and what each side meant to do. */
export function mergeTask(
	{ snapshot, visit, plan }: Run,
	{ children }: ChildGroup,
	{ conflicts, round }: JoinProgress,
): string {
	const labels = new Set(conflicts.flatMap(({ ours, theirs }) => [ours, theirs]));
	const sides = sidesOf(children, labels);
	const shown = sides.slice(0, mostSides);
	const summaryOf = ({ name, summary }: ChildRun): string =>
		snapshot.summaries.find((one) => one.visit === visit && one.child === name)?.text ?? summary;
	const room = Math.floor(summaryBytes / Math.max(1, shown.length));
	const hasMine = [...labels].some((label) => label.startsWith(YOUR_FILES));
	return [
		"Several agents worked from the same files at the same time, each in a copy of its own. The files in your folder are the merge of their work. In these files, git could not merge their changes:",
		conflictList(conflicts),
		round > 1 ? "An earlier attempt to resolve them left conflict markers." : "",
		"In each conflict, the lines after `<<<<<<<` are those of the first side, those after `|||||||` of the common start, and those after `=======`, up to `>>>>>>>`, of the second side. A conflict without markers is one of whole files: one side removed or replaced what the other changed.",
		"Resolve every conflict so that the intent of both sides is kept, remove all markers, and check that the result works. Save what later states must know, and resolve findings that your result makes untrue. Your state cannot end while a marker is left.",
		testsText([...plan.states.values()]),
		...shown.map((side) => childSideText(side, summaryOf(side), room)),
		othersText(sides.slice(mostSides)),
		hasMine
			? `\`${YOUR_FILES}\` are the files in the project's folder, which the user or another program changed meanwhile.`
			: "",
	]
		.filter((part) => part !== "")
		.join("\n\n");
}

/** The word of a state or command that tests; not a part of another word, such as "latest". */
const testWord = /(?<![a-z])(?:(?:py)?tests?|check)(?![a-z])/i;

/** The commands with which the template tests the project. */
function testsText(states: readonly StatePlan[]): string {
	const lines = states.flatMap(({ name, command }) =>
		command && testWord.test(`${name} ${command.line}`) ? [command.line] : [],
	);
	const own = [...new Set(lines)].map((line) =>
		line === TESTS
			? "the project's tests"
			: `\`${cutText(line.replaceAll(TESTS, "<the project's tests>"), 500).text}\``,
	);
	return own.length === 0 ? "" : `Before you end, run what the template tests the project with: ${own.join(", ")}.`;
}

/** The children whose files are in one of the sides `labels`, in the order of the join. */
function sidesOf(children: readonly ChildRun[], labels: ReadonlySet<string>): readonly ChildRun[] {
	const joined = children.filter(({ status, tree, merges }) => status === "done" && tree !== null && !merges);
	const isGraph = children.some(({ begun }) => begun);
	const before = joined.filter((child) => !isGraph || child.joined);
	const found = new Set<ChildRun>(labels.has(ALL_CHILDREN) ? before : []);
	let merged = YOUR_FILES;
	for (const [at, child] of joined.entries()) {
		if (labels.has(child.name)) found.add(child);
		merged = sideWith(merged, child.name);
		if (labels.has(merged)) for (const earlier of joined.slice(0, at + 1)) found.add(earlier);
	}
	return joined.filter((child) => found.has(child));
}

function conflictList(conflicts: JoinProgress["conflicts"]): string {
	const lines = conflicts
		.slice(0, mostConflicts)
		.map(({ path, kind, ours, theirs }) => `- ${path} (${kind}): ${ours} against ${theirs}`);
	const more = conflicts.length - mostConflicts;
	return [...lines, ...(more > 0 ? [`- and ${more} more: search for their markers`] : [])].join("\n");
}

/** `room`: bytes of its summary. */
function childSideText({ name, task }: ChildRun, summary: string, room: number): string {
	const parts = [`### ${name}`, `Its task: ${shortenWithNote(task, taskBytes, "cut")}`];
	return [...parts, ...(summary === "" ? [] : [`Its summary: ${shortenWithNote(summary, room, inKnown)}`])].join(
		"\n\n",
	);
}

const inKnown = 'the rest is in "What is known"';

function shortenWithNote(text: string, bytes: number, note: string): string {
	const { text: short, cut } = cutText(text, bytes);
	return cut ? `${short} (${note})` : short;
}

function othersText(others: readonly ChildRun[]): string {
	if (others.length === 0) return "";
	return `Also ${others.map(({ name }) => `"${name}"`).join(", ")}: their summaries are in "What is known".`;
}
