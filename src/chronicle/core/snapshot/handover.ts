// The part of a snapshot that the next worker receives, as text for a model.
// H1 at most `limit` bytes; H2 unresolved and newest entries first; H3 omitted entries are counted, with the location of the full record.
import { entryForModel } from "./entry.ts";
import { cutText, type Finding, type Snapshot, type StateOutput } from "./snapshot.ts";

export const HANDOVER_BYTES = 8192;

interface Section {
	readonly title: string;
	/** Most important first. */
	readonly lines: readonly string[];
	/** Bytes reserved for the section. */
	readonly share: number;
	/** Noun for the count of its lines: singular and plural. */
	readonly noun: readonly [string, string];
	/** Number of entries that the snapshot itself dropped. */
	readonly dropped: number;
}

/** Maximum bytes of one line: a single long entry must not crowd out the others. */
const lineBytes = 700;

/**
 * Markdown; empty if there is nothing to hand over. `place` is the location of the full record, such as the path of the event log.
 */
export function handoverText(snapshot: Snapshot, place: string, limit = HANDOVER_BYTES): string {
	const sections = sectionsOf(snapshot);
	if (sections.every(({ lines, dropped }) => lines.length === 0 && dropped === 0)) return "";
	// Room for titles and for the sentence about omitted entries.
	const fixed = 700 + Buffer.byteLength(place);
	const shown = divide(sections, Math.max(0, limit - fixed));
	const parts = shown
		.filter(({ lines }) => lines.length > 0)
		.map(({ title, lines }) => `### ${title}\n${lines.join("\n")}`);
	const left = shown
		.map(({ missing, noun }) => (missing === 0 ? "" : `${missing} ${missing === 1 ? noun[0] : noun[1]}`))
		.filter(Boolean);
	if (left.length > 0)
		parts.push(
			`Omitted here for length: ${left.join(", ")}. The full record is in ${place}; read it if something is missing.`,
		);
	else if (shown.some(({ lines }) => lines.some((line) => line.endsWith("…"))))
		parts.push(`Texts that end in … are truncated here. The full record is in ${place}.`);
	return cutText(parts.join("\n\n"), limit).text;
}

function sectionsOf({ summaries, pendingTasks, findings, files, outputs, dropped }: Snapshot): Section[] {
	return [
		{
			title: "What happened before (newest first)",
			lines: [...summaries].reverse().map(({ state, visit, text }) => line(`- Visit ${visit}, ${state}: ${text}`)),
			share: 1600,
			noun: ["summary", "summaries"],
			dropped: dropped.summaries,
		},
		...(outputs ? [outputSection(outputs)] : []),
		{
			title: "Pending tasks",
			lines: [...pendingTasks].reverse().map(describe),
			share: 1700,
			noun: ["pending task", "pending tasks"],
			dropped: dropped.pendingTasks,
		},
		{
			title: "Findings",
			lines: [...findings].reverse().map(describe),
			share: 2900,
			noun: ["finding", "findings"],
			dropped: dropped.findings,
		},
		{
			title: "Files changed so far (measured)",
			lines: [...files].reverse().map(({ change, path, from, added, removed }) => {
				const lines = added === undefined ? "" : ` (+${added} −${removed ?? 0})`;
				return line(`- ${change} ${from === undefined ? "" : `${from} → `}${path}${lines}`);
			}),
			share: 1200,
			noun: ["changed file", "changed files"],
			dropped: dropped.files,
		},
	];
}

/** Data is read by programs: longer than other lines before it is cut. */
const outputLineBytes = 2000;

function outputSection(outputs: readonly StateOutput[]): Section {
	const lines = [...outputs]
		.reverse()
		.map(
			({ state, visit, data }) => cutText(`- Visit ${visit}, ${state}: ${JSON.stringify(data)}`, outputLineBytes).text,
		);
	return {
		title: "Data handed over (JSON, newest first)",
		lines,
		share: 2000,
		noun: ["data set", "data sets"],
		dropped: 0,
	};
}

function describe(entry: Finding): string {
	return cutText(`- ${entryForModel(entry)}`, lineBytes).text;
}

function line(text: string): string {
	return cutText(text.replace(/\s*\n\s*/g, " "), lineBytes).text;
}

/** Gives every section its share first, then distributes the remaining bytes in order. */
function divide(sections: readonly Section[], bytes: number): (Section & { readonly missing: number })[] {
	const cost = (text: string): number => Buffer.byteLength(text) + 1;
	const scale = Math.min(1, bytes / sections.reduce((sum, { share }) => sum + share, 0));
	const taken = sections.map((section) => ({ section, first: take(section.lines, 0, section.share * scale, cost) }));
	let left = bytes - taken.reduce((sum, { first }) => sum + first.used, 0);
	return taken.map(({ section, first }) => {
		const more = take(section.lines, first.count, left, cost);
		left -= more.used;
		const count = first.count + more.count;
		return {
			...section,
			lines: section.lines.slice(0, count),
			missing: section.lines.length - count + section.dropped,
		};
	});
}

function take(
	lines: readonly string[],
	from: number,
	bytes: number,
	cost: (text: string) => number,
): { count: number; used: number } {
	let used = 0;
	let count = 0;
	for (const text of lines.slice(from)) {
		if (used + cost(text) > bytes) break;
		used += cost(text);
		count += 1;
	}
	return { count, used };
}
