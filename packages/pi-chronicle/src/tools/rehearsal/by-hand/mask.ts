// Makes texts of a rehearsal independent of the machine and the day: paths, ids of runs, commits, times. Pure.
// The placeholders of paths and runs can be replaced again, so that a recorded call works in another copy of the project.

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
	return maskMeasured(
		days
			.reduce((masked, day) => masked.replaceAll(day, "<today>"), withoutPlaces)
			.replace(/<today>[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?Z?/g, "<now>"),
	);
}

/** Replaces durations and ids of commits. */
export function maskMeasured(text: string): string {
	return text
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
