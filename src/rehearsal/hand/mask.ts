// Makes texts of a rehearsal independent of the machine and the day: paths, ids of runs, commits, times. Pure.
// The placeholders of paths and runs can be replaced again, so that a recorded call works in another copy of the project.

import type { Player } from "./player.ts";
import type { HandRequest } from "./request.ts";

/** A path as `mktemp` makes it without a template; see mktemp(1). */
const made = /(?:\/[\w.-]+)*\/tmp\.[A-Za-z0-9]{10}\b/g;

/** The temporary folders that requests have shown, named after the conversation that showed them first. */
export class Temporaries {
	readonly #names = new Map<string, string>();
	readonly #counts = new Map<string, number>();

	/** Path and name of each. */
	get names(): Surroundings["names"] {
		return [...this.#names].map(([text, name]) => ({ text, name }));
	}

	/** A player that answers as `player` does; the folders of each request are noted before. */
	before(player: Player): Player {
		return {
			answer: (request, share, signal) => {
				this.note(request);
				return player.answer(request, share, signal);
			},
			decide: (question, signal) => player.decide(question, signal),
			withdrawn: (request) => player.withdrawn(request),
			finish: (lines) => player.finish(lines),
		};
	}

	/** Notes the folders that the new messages of a request show. */
	note({ conversation, messages }: Pick<HandRequest, "conversation" | "messages">): void {
		for (const [path] of messages.flatMap(({ text }) => [...text.matchAll(made)])) {
			if (this.#names.has(path)) continue;
			const count = (this.#counts.get(conversation) ?? 0) + 1;
			this.#counts.set(conversation, count);
			this.#names.set(path, `temporary folder ${count} of ${conversation}`);
		}
	}
}

/** What a rehearsal's texts contain that another one's do not. */
export interface Surroundings {
	/** Absolute path of the copy of the project. */
	readonly project: string;
	/** Absolute path of the folder around it, with the home folder. */
	readonly temp: string;
	/** Texts that a rehearsal makes up, such as ids of runs, and a name for each that is the same in every rehearsal. */
	readonly names: readonly { readonly text: string; readonly name: string }[];
	/** Absolute root folder of this package. */
	readonly package: string;
	/** The day of the rehearsal. */
	readonly now: Date;
}

/** Replaces paths and made-up texts by placeholders. */
export function maskPlaces(text: string, around: Surroundings): string {
	return placesOf(around).reduce((masked, [from, to]) => masked.replaceAll(from, to), text);
}

/** The reverse of {@link maskPlaces}, for the surroundings of another rehearsal. */
export function unmaskPlaces(text: string, around: Surroundings): string {
	return placesOf(around).reduce((plain, [from, to]) => plain.replaceAll(to, from), text);
}

function placesOf({ project, temp, names, package: root }: Surroundings): readonly (readonly [string, string])[] {
	return [
		[project, "<project>"],
		[temp, "<temp>"],
		[root, "<pi-chronicle>"],
		...names.map(({ text, name }) => [text, `<${name}>`] as const),
	];
}

/** Replaces everything that differs without meaning: places, dates of today, durations, ids of commits. */
export function maskText(text: string, around: Surroundings): string {
	const days = [-1, 0, 1].map((offset) =>
		new Date(around.now.getTime() + offset * 86_400_000).toISOString().slice(0, 10),
	);
	const withoutPlaces = maskPlaces(text.replace(/(?:\/[^\s/"'`<>]+)+\/node_modules\//g, "<node_modules>/"), around);
	return days
		.reduce((masked, day) => masked.replaceAll(day, "<today>"), withoutPlaces)
		.replace(/<today>[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?Z?/g, "<now>")
		.replace(/\b[0-9a-f]{40}\b/g, "<commit>")
		.replace(/\b(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7,12}\b/g, "<commit>")
		.replace(/\b(duration_ms:? )\d+(?:\.\d+)?/g, "$1<ms>")
		.replace(/\b\d+(?:\.\d+)?(?= ?ms\b)/g, "<n>")
		.replace(/\b\d+\.\d+(?= ?s\b)/g, "<n>");
}

/** The value with `map` applied to every text in it, names of fields excepted. */
export function mapTexts<T>(value: T, map: (text: string) => string): T {
	const mapped = (each: unknown): unknown => {
		if (typeof each === "string") return map(each);
		if (Array.isArray(each)) return each.map(mapped);
		if (typeof each !== "object" || each === null) return each;
		return Object.fromEntries(Object.entries(each).map(([key, inner]) => [key, mapped(inner)]));
	};
	return mapped(value) as T;
}
