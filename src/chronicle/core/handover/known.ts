// What is known, as text: whole as far as it fits, otherwise the least needed is shortened first.
// K1 at most `knownBytes`; K2 the order is that in which it was saved; K3 what is shortened is announced, with the file that has all of it.
import { pathListText, pathOnLine } from "../../../definition/index.ts";
import { entryForModel, type Finding } from "../snapshot/index.ts";
import type { Known, KnownSummary } from "./first-message-brief.ts";
import { beginning, shortenTexts } from "./shorten.ts";

const knownBytes = 24_000;

/** Maximum characters of the summary of the state before, and of older ones. */
const wholeSummary = 4000;
const olderSummary = 200;

interface Part {
	readonly title: string;
	readonly texts: readonly string[];
	/** Noun for the count of what is shortened: singular and plural. */
	readonly noun: readonly [string, string];
	/** Bytes kept for it even if what is more important needs more. */
	readonly reserved: number;
	/** 1 is shortened last. */
	readonly priority: number;
	/** Which texts stay if not even the beginning of each fits; absent: the last ones. */
	readonly keeps?: "first";
	/** How many of the texts are shortened already. */
	readonly cut: number;
}

/** Markdown. `file` has everything unabridged; without it, nothing is shortened. `edits`: whether the reader may edit files. */
export function knownText(
	known: Known,
	{ file, edits = true }: { readonly file?: string; readonly edits?: boolean } = {},
): string {
	const parts = partsOf(known, file);
	const shown = file === undefined ? parts : shortenParts(parts);
	const sections = shown
		.filter(({ texts }) => texts.length > 0)
		.map(({ title, texts }) => `### ${title}\n${texts.join("\n")}`);
	const short = shown.flatMap(({ cut, noun }) => (cut === 0 ? [] : [`${cut} ${cut === 1 ? noun[0] : noun[1]}`]));
	const where = file === undefined ? "" : ` Whole in ${file}.`;
	return [
		...sections,
		...(known.uncommitted ? [`Uncommitted before the run (the user's): ${pathListText(known.uncommitted)}`] : []),
		...(known.files.length === 0 && edits ? ["Files changed by this run so far: none."] : []),
		...(short.length === 0 ? [] : [`Shortened here: ${short.join(", ")}.${where}`]),
		...(known.lost === "" ? [] : [known.lost]),
	].join("\n\n");
}

function partsOf(known: Known, file: string | undefined): readonly Part[] {
	const whole = file === undefined ? Number.POSITIVE_INFINITY : wholeSummary;
	const older = file === undefined ? Number.POSITIVE_INFINITY : olderSummary;
	const summaries = (of: KnownSummary["of"]): Known["summaries"] => known.summaries.filter((one) => one.of === of);
	const others = summaryTexts("Older summaries", summaries("older"), older);
	return [
		{
			...{ title: "Pending tasks, in order", texts: known.pendingTasks.map(entryLine) },
			...{ noun: ["task", "tasks"], reserved: 4000, priority: 1, keeps: "first", cut: 0 },
		},
		{
			...{ title: "Pending tasks of the run that started yours", texts: known.parentTasks.map(entryLine) },
			...{ noun: ["task", "tasks"], reserved: 1000, priority: 4, cut: 0 },
		},
		{
			...{ title: "Findings, oldest first", texts: known.findings.map(entryLine) },
			...{ noun: ["finding", "findings"], reserved: 4000, priority: 5, cut: 0 },
		},
		{
			...{ title: "Done or wrong by now", texts: known.resolved.map(entryLine) },
			...{ noun: ["resolved entry", "resolved entries"], reserved: 0, priority: 6, cut: 0 },
		},
		{
			title: "Data of earlier states (JSON)",
			texts: known.outputs.map(({ state, visit, data }) => `- visit ${visit}, ${state}: ${JSON.stringify(data)}`),
			...{ noun: ["data set", "data sets"], reserved: 2000, priority: 3, cut: 0 },
		},
		{
			...summaryTexts("Summary of the state before", summaries("before"), whole),
			...{ reserved: 4000, priority: 2 },
		},
		{
			...summaryTexts("Summary of this state by an earlier worker, or by you", summaries("now"), whole),
			...{ reserved: 2000, priority: 2 },
		},
		{
			...summaryTexts("Summaries of the children whose files are merged", summaries("merged"), whole),
			...{ reserved: 4000, priority: 2 },
		},
		{
			...others,
			title: others.cut === 0 ? others.title : `${others.title}, shortened; more of them in ${file}`,
			...{ reserved: 0, priority: 7 },
			// To shorten them is the rule: only what is left out is announced.
			cut: 0,
		},
		{
			...{ title: "Files changed by this run so far", texts: known.files.map(fileLine) },
			...{ noun: ["changed file", "changed files"], reserved: 1000, priority: 4, cut: 0 },
		},
	];
}

function summaryTexts(
	title: string,
	summaries: Known["summaries"],
	most: number,
): Pick<Part, "title" | "texts" | "noun" | "cut"> {
	const long = summaries.filter(({ text }) => text.length > most).length;
	const texts = summaries.map(({ state, visit, text }) => `- visit ${visit}, ${state}: ${beginning(text, most)}`);
	return { title, texts, noun: ["summary", "summaries"], cut: long };
}

/** Shortens the parts from the least important on. */
function shortenParts(parts: readonly Part[]): readonly Part[] {
	const order = parts.toSorted((one, other) => one.priority - other.priority);
	// Titles, and the sentence about what is shortened.
	let left = knownBytes - 1000;
	let reserved = order.reduce((bytes, part) => bytes + reserveOf(part), 0);
	const fitted = new Map<Part, Part>();
	for (const part of order) {
		reserved -= reserveOf(part);
		const { texts, cut, bytes } = shortenTexts(part.texts, left - reserved, part.keeps);
		left -= bytes;
		fitted.set(part, { ...part, texts, cut: Math.max(part.cut, cut) });
	}
	return parts.map((part) => fitted.get(part) ?? part);
}

function reserveOf({ texts, reserved }: Part): number {
	return Math.min(
		reserved,
		texts.reduce((bytes, text) => bytes + Buffer.byteLength(text) + 1, 0),
	);
}

function entryLine(entry: Finding): string {
	return `- ${entryForModel(entry)}`;
}

function fileLine({ change, path, from, added, removed }: Known["files"][number]): string {
	const lines = added === undefined ? "" : ` (+${added} −${removed ?? 0})`;
	return `- ${change} ${from === undefined ? "" : `${pathOnLine(from)} → `}${pathOnLine(path)}${lines}`;
}
