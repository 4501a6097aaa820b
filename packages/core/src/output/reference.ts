// References to the data that states hand over: `{output.<state>.<path>}` in text and `output.<state>.<path>` in `for_each`. Pure.
// The path names keys of objects and, from 0, entries of lists. State names may contain dots: the longest name that matches counts.

/** A state and the path in its data; an empty path is all of it. */
export interface OutputReference {
	readonly state: string;
	readonly path: readonly string[];
}

const prefix = "output.";
const inText = /\{output\.([^{}\r\n]+)\}/g;

/** The part after `output.` in each reference of a text, in order. */
export function referencesIn(text: string): readonly string[] {
	return [...text.matchAll(inText)].map(([, written = ""]) => written);
}

/** The part after `output.` in the value of `for_each`; `undefined` if it names another list. */
export function referenceOf(source: string): string | undefined {
	return source.startsWith(prefix) ? source.slice(prefix.length) : undefined;
}

/** Splits `<state>.<path>`; `undefined` if it begins with the name of none of `states`. */
export function splitReference(written: string, states: Iterable<string>): OutputReference | undefined {
	let state: string | undefined;
	for (const name of states)
		if ((written === name || written.startsWith(`${name}.`)) && name.length > (state?.length ?? -1)) state = name;
	if (state === undefined) return undefined;
	const rest = written.slice(state.length + 1);
	return { state, path: rest === "" ? [] : rest.split(".") };
}

/** The value at a path; `undefined` if there is none. */
export function valueAt(data: unknown, path: readonly string[]): unknown {
	let value = data;
	for (const step of path) {
		if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) return undefined;
		// The length of a list is its own property, but no entry.
		if (Array.isArray(value) && !/^\d+$/.test(step)) return undefined;
		value = (value as Readonly<Record<string, unknown>>)[step];
	}
	return value;
}

/** The text with each reference replaced by what `read` gives for it; one without a value stays. */
export function fillReferences(text: string, read: (written: string) => string | undefined): string {
	return text.replace(inText, (whole, written: string) => read(written) ?? whole);
}

/** A value as part of a text: strings verbatim, anything else as JSON. */
export function outputText(value: unknown): string {
	return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
