// Compares a replay with its transcript: which requests read differently now, and which calls end differently. Pure.
import type { RequestPart } from "./request-text.ts";
import type { ModelEntry, PlayTranscript } from "./transcript.ts";

export interface Comparison {
	/** The requests that differ, as lines for a person; empty if none does. */
	readonly differences: readonly string[];
	/** Differences that change the run: calls that end otherwise, requests that are missing or new, another end. */
	readonly breaks: readonly string[];
}

/** Lines that a difference shows of each side. */
const shownLines = 4;
const shownWidth = 160;

export function compareTranscripts(then: PlayTranscript, now: PlayTranscript): Comparison {
	const before = requestsOf(then);
	const after = requestsOf(now);
	const differences: string[] = [];
	const breaks: string[] = [];
	if (then.outcome !== now.outcome) breaks.push(`The run ended as ${now.outcome}, before as ${then.outcome}.`);
	for (const [key, entry] of before) {
		const other = after.get(key);
		if (!other) {
			breaks.push(`${key}: this request was not made.`);
			continue;
		}
		differences.push(...partDifferences(key, entry.asked, other.asked));
		for (const [index, call] of entry.answer.calls.entries()) {
			const [was = "unknown", is = "unknown"] = [entry.outcomes[index], other.outcomes[index]];
			if (was !== is) breaks.push(`${key}: the call of ${call.tool} is ${is}, before ${was}.`);
		}
	}
	for (const key of after.keys()) if (!before.has(key)) breaks.push(`${key}: this request is new.`);
	return { differences, breaks };
}

function requestsOf({ entries }: PlayTranscript): ReadonlyMap<string, ModelEntry> {
	const asked = entries.filter((entry) => entry.kind === "model");
	return new Map(asked.map((entry) => [`${entry.conversation}, request ${entry.turn}`, entry]));
}

/** Parts are compared in order by title; the n-th of a title with the n-th. */
function partDifferences(key: string, then: readonly RequestPart[], now: readonly RequestPart[]): string[] {
	const before = keyed(then);
	const after = keyed(now);
	const lines = [...before].flatMap(([title, text]) => {
		const other = after.get(title);
		if (other === text) return [];
		return other === undefined ? [`  ${title}: gone`] : [`  ${title}:`, ...lineDifference(text, other)];
	});
	const fresh = [...after].filter(([title]) => !before.has(title)).map(([title]) => `  ${title}: new`);
	return lines.length + fresh.length === 0 ? [] : [key, ...lines, ...fresh];
}

function keyed(parts: readonly RequestPart[]): ReadonlyMap<string, string> {
	const counts = new Map<string, number>();
	return new Map(
		parts.map(({ title, text }) => {
			const count = (counts.get(title) ?? 0) + 1;
			counts.set(title, count);
			return [count === 1 ? title : `${title} (${count})`, text];
		}),
	);
}

/** The lines between the common beginning and the common end of two texts, shortened. */
function lineDifference(then: string, now: string): string[] {
	const before = then.split("\n");
	const after = now.split("\n");
	let start = 0;
	while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
	let end = 0;
	while (
		end < Math.min(before.length, after.length) - start &&
		before[before.length - 1 - end] === after[after.length - 1 - end]
	)
		end += 1;
	return [...side("-", before.slice(start, before.length - end)), ...side("+", after.slice(start, after.length - end))];
}

function side(mark: string, lines: readonly string[]): string[] {
	const more = lines.length - shownLines;
	return [
		...lines.slice(0, shownLines).map((line) => `    ${mark} ${shortLine(line)}`),
		...(more > 0 ? [`    ${mark} … ${more} more`] : []),
	];
}

function shortLine(line: string): string {
	return line.length > shownWidth ? `${line.slice(0, shownWidth)}…` : line;
}
