// What is known, as text: whole as far as it fits, otherwise the least needed is shortened first.
// At most `knownBytes`; the order is that in which it was saved; what is shortened is announced, with the file that has all of it; what
// may be shortened is known when it is saved.
import { counted, isRecord, pathListText, pathOnLine } from "../definition/index.ts";
import { outputText } from "../output/index.ts";
import { entryForModel, type Finding } from "../snapshot/index.ts";
import type { Known, KnownSummary } from "./first-message-brief.ts";
import { beginning, outputEnd, shortenTexts } from "./shorten.ts";

const knownBytes = 24_000;

/** Maximum characters of the summary of the state before, and of older ones. */
const wholeSummary = 4000;
const olderSummary = 200;
/** A summary that is only so much longer is not shortened: where to find the rest would take as many characters. */
const spared = 100;
/** Bytes of the end of a command's output. */
const outputBytes = 4096;

/** Bytes for the list of changed files, even if findings are shortened. */
const leastFiles = 1000;

interface KnownPart {
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
	/** Indexes of the texts that are shortened already. */
	readonly cut: readonly number[];
	/** Of the entries that the texts are. */
	readonly ids?: readonly string[];
}

/**
 * Markdown. `file` has everything unabridged; without it, nothing is shortened. `edits`: whether the reader may edit files. `told`: what else the
 * reader is told; data in it is not repeated.
 */
export function knownText(
	known: Known,
	{ file, edits = true, told = "" }: { readonly file?: string; readonly edits?: boolean; readonly told?: string } = {},
): string {
	const parts = knownParts({ ...known, outputs: untold(known.outputs, told) }, file);
	const shown = file === undefined ? parts : shortenParts(parts);
	const sections = shown
		.filter(({ texts }) => texts.length > 0)
		.map(({ title, texts }) => `### ${title}\n${texts.join("\n")}`);
	const short = shown.flatMap(({ cut, noun }) => (cut.length === 0 ? [] : [counted(cut.length, ...noun)]));
	const where = file === undefined ? "" : ` Whole in ${file}.`;
	return [
		...sections,
		...(known.uncommitted ? [`Uncommitted before the run (the user's): ${pathListText(known.uncommitted)}`] : []),
		...(known.files.length === 0 && edits ? ["Files changed by this run so far: none."] : []),
		...(short.length === 0 ? [] : [`Shortened here: ${short.join(", ")}.${where}`]),
		...(known.lost === "" ? [] : [known.lost]),
	].join("\n\n");
}

/** Characters from which data is not repeated. */
const leastTold = 40;

/** Data without what `told` has of it by a reference: all of it, or a field. */
function untold(outputs: Known["outputs"], told: string): Known["outputs"] {
	const isTold = (value: unknown) => outputText(value).length >= leastTold && told.includes(outputText(value));
	return outputs.flatMap((output) => {
		if (isTold(output.data)) return [];
		if (!isRecord(output.data)) return [output];
		const rest = Object.entries(output.data).filter(([, value]) => !isTold(value));
		return rest.length === 0 ? [] : [{ ...output, data: Object.fromEntries(rest) }];
	});
}

/**
 * Ids of the findings and pending tasks that the first message of the next state may not have whole, if nothing but its summary and changed files is
 * added. `by`: the summary's place; it may be as long as it is handed over whole.
 */
export function shortenedNext(known: Known, by: Pick<KnownSummary, "state" | "visit">): readonly string[] {
	const older = known.summaries.map((summary) => ({ ...summary, of: "older" }) as const);
	const next = { ...by, text: "x".repeat(wholeSummary), of: "before" } as const;
	const file = { path: "x".repeat(leastFiles), change: "M", visit: by.visit } as const;
	const after = { ...known, summaries: [...older, next], files: [...known.files, file] };
	const parts = shortenParts(knownParts(after, ""));
	return parts.flatMap(({ ids, cut }) => (ids ? cut.flatMap((at) => ids[at] ?? []) : []));
}

function entryTexts(
	title: string,
	entries: readonly Finding[],
	noun: KnownPart["noun"],
): Pick<KnownPart, "title" | "texts" | "noun" | "cut" | "ids"> {
	return { title, texts: entries.map(findingLine), noun, cut: [], ids: entries.map(({ id }) => id) };
}

function knownParts(known: Known, file: string | undefined): readonly KnownPart[] {
	const whole = file === undefined ? Number.POSITIVE_INFINITY : wholeSummary;
	const older = file === undefined ? Number.POSITIVE_INFINITY : olderSummary;
	const summaries = (of: KnownSummary["of"]): Known["summaries"] => known.summaries.filter((one) => one.of === of);
	const commands = summaries("before").filter(({ command }) => command).length;
	const others = summaryTexts("Older summaries", summaries("older"), older);
	return [
		{
			...entryTexts("Pending tasks, in order", known.pendingTasks, ["task", "tasks"]),
			...{ reserved: 4000, priority: 1, keeps: "first" },
		},
		{
			...entryTexts("Pending tasks of the run that started yours", known.parentTasks, ["task", "tasks"]),
			...{ reserved: 1000, priority: 4 },
		},
		{
			...entryTexts("Findings, oldest first", known.findings, ["finding", "findings"]),
			...{ reserved: 4000, priority: 5 },
		},
		{
			...{ title: "Done or wrong by now", texts: known.resolved.map(findingLine) },
			...{ noun: ["resolved entry", "resolved entries"], reserved: 0, priority: 7, cut: [] },
		},
		{
			title: "Data of earlier states",
			texts: known.outputs.map(({ state, visit, data }) => `- visit ${visit}, ${state}: ${JSON.stringify(data)}`),
			...{ noun: ["data set", "data sets"], reserved: 2000, priority: 3, cut: [] },
		},
		{
			...summaryTexts("Summary of the state before", summaries("before"), whole),
			...{ reserved: 4000 + Math.min(2, commands) * 4500, priority: 2 },
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
			title: others.cut.length === 0 ? others.title : `${others.title}, shortened; more of them in ${file}`,
			...{ reserved: 0, priority: 8 },
			// To shorten them is the rule: only what is left out is announced.
			cut: [],
		},
		{
			...{ title: "Files changed by this run so far", texts: known.files.map(fileLine) },
			...{ noun: ["changed file", "changed files"], reserved: leastFiles, priority: 6, cut: [] },
		},
	];
}

function summaryTexts(
	title: string,
	summaries: Known["summaries"],
	most: number,
): Pick<KnownPart, "title" | "texts" | "noun" | "cut"> {
	const texts = summaries.map((one) => `- visit ${one.visit}, ${one.state}: ${shortSummary(one, most)}`);
	const long = summaries.flatMap((one, at) => (shortSummary(one, most) === one.text ? [] : [at]));
	return { title, texts, noun: ["summary", "summaries"], cut: long };
}

/** Of a command, how it ended and the end of its output; of anything else, the beginning. */
function shortSummary({ text, command }: KnownSummary, most: number): string {
	if (command && most >= wholeSummary) return outputEnd(text, outputBytes);
	return text.length <= most + spared ? text : beginning(text, most);
}

/** Shortens the parts from the least important on. */
function shortenParts(parts: readonly KnownPart[]): readonly KnownPart[] {
	const order = parts.toSorted((one, other) => one.priority - other.priority);
	// Titles, and the sentence about what is shortened.
	let left = knownBytes - 1000;
	let reserved = order.reduce((bytes, part) => bytes + reserveOf(part), 0);
	const fitted = new Map<KnownPart, KnownPart>();
	for (const part of order) {
		reserved -= reserveOf(part);
		const { texts, cut, bytes } = shortenTexts(part.texts, left - reserved, part.keeps);
		left -= bytes;
		fitted.set(part, { ...part, texts, cut: [...new Set([...part.cut, ...cut])] });
	}
	return parts.map((part) => fitted.get(part) ?? part);
}

function reserveOf({ texts, reserved }: KnownPart): number {
	return Math.min(
		reserved,
		texts.reduce((bytes, text) => bytes + Buffer.byteLength(text) + 1, 0),
	);
}

function findingLine(entry: Finding): string {
	return `- ${entryForModel(entry)}`;
}

function fileLine({ change, path, from, added, removed }: Known["files"][number]): string {
	const lines = added === undefined ? "" : ` (+${added} −${removed ?? 0})`;
	return `- ${change} ${from === undefined ? "" : `${pathOnLine(from)} → `}${pathOnLine(path)}${lines}`;
}
