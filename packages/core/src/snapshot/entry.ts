// One finding or pending task as an agent saved it, and its text for a model and for people. Pure.
// Every text shows the key, the text and all fields; a line of a value cannot pass for another field or entry: it is indented.
import { valueAt } from "../output/index.ts";

export interface Entry {
	readonly key?: string;
	/** Empty if the agent saved only fields. */
	readonly text: string;
	/** What the agent saved besides key and text, in its order. JSON data. */
	readonly fields?: EntryFields;
}

type EntryFields = Readonly<Record<string, unknown>>;

/** Names under which agents write the text of an entry, and its key. The first of each that is present counts. */
export const textNames: readonly string[] = [
	"text",
	"finding",
	"task",
	"value",
	"content",
	"description",
	"title",
	"summary",
	"note",
];
export const keyNames: readonly string[] = ["key", "name", "id", "topic"];

/** An entry that is known, with its origin as far as that is known; see `Finding`. */
interface KnownEntry extends Entry {
	readonly id: string;
	readonly state?: string;
	readonly child?: string;
	readonly first?: { readonly state: string; readonly child?: string };
	readonly earlier?: readonly string[];
}

/**
 * The entry for a model: `[f1] (from planning) key: text`, then one indented line per field, `name: value`. Strings are verbatim, other values are
 * JSON. A string of several lines, also within a list or group, is an indented block.
 * The first line has no bullet; all others are indented, so that the text can be an entry of a Markdown list.
 */
export function entryForModel(entry: KnownEntry): string {
	const { id, key, text } = entry;
	const origin = originText(entry);
	const head = [key === undefined ? "" : `${key}:`, text].filter(Boolean).join(" ");
	const lines = entryFields(entry).map(([name, value]) => fieldLine(name, value, "  "));
	return [`[${id}]${origin}${head === "" ? "" : ` ${indent(head, "  ")}`}`, ...lines].join("\n");
}

/** The entry for a list that people read, in the same form; the origin is there if it is a child, or if another state has changed the entry. */
export function entryForList({ state, ...entry }: KnownEntry): string {
	const isPlain = entry.child === undefined && entry.first === undefined;
	return entryForModel(isPlain || state === undefined ? entry : { ...entry, state });
}

/** Who saved the entry first, and who has changed it since: ` (from planning, changed by building)`. Empty if it is unknown. */
function originText({ state, child, first, earlier = [] }: KnownEntry): string {
	const last = shortName(child ?? state);
	if (last === "") return "";
	if (!first) return ` (from ${last})`;
	const changed = earlier.length > 0 ? `, changed by ${last}` : "";
	return ` (from ${shortName(first.child ?? first.state)}${changed})`;
}

const longestName = 20;

function shortName(name = ""): string {
	return name.length > longestName ? `${name.slice(0, longestName - 1)}…` : name;
}

/** The entry for people, on one line: `key: text (name: value, name: value)`. */
export function entryForPeople(entry: Entry): string {
	const { key, text } = entry;
	const fields = entryFields(entry).map(([name, value]) => `${fieldName(name)}: ${fieldText(value)}`);
	const words = [text, fields.length > 0 ? `(${fields.join(", ")})` : ""].filter(Boolean).join(" ");
	return (key === undefined ? words : `${key}: ${words}`).replace(/\s*\n\s*/g, " ");
}

/** The entry as data: its text if it has nothing else, otherwise an object. */
export function entryValue({ key, text, fields }: Entry): unknown {
	if (fields === undefined) return text;
	return { key, ...(text === "" ? {} : { text }), ...fields };
}

/** The text, then one line per field, without the key. */
export function entryText(entry: Entry): string {
	const lines = entryFields(entry).map(([name, value]) => `${fieldName(name)}: ${indent(fieldText(value), "  ")}`);
	return [entry.text, ...lines].filter(Boolean).join("\n");
}

/**
 * The part of an entry at `path`, or all of it as text if that is empty; `undefined` if there is none. The names under which agents write the
 * text and the key give these, whichever name was used.
 */
export function entryPart(entry: Entry, path: readonly string[]): unknown {
	if (path.length === 0) return entryText(entry);
	const { key, text, fields } = entry;
	const found = valueAt({ key, text, ...fields }, path);
	const [name = "", ...rest] = path;
	if (found !== undefined || rest.length > 0) return found;
	return textNames.includes(name) ? text : keyNames.includes(name) ? key : undefined;
}

/** Names and values, in order. */
function entryFields({ fields }: Entry): readonly (readonly [string, unknown])[] {
	return fields === undefined ? [] : Object.entries(fields);
}

/** A field, indented by `by`. */
function fieldLine(name: string, value: unknown, by: string): string {
	const inner = `${by}  `;
	const head = `${by}${fieldName(name)}:`;
	if (isBlock(value)) {
		const text = value.replace(/\n$/, "");
		return `${head}${text === text.trim() && !isJsonText(text) ? " " : `\n${inner}`}${indent(text, inner)}`;
	}
	if (typeof value !== "object" || value === null || !hasBlock(value)) return `${head} ${fieldText(value)}`;
	return [head, ...Object.entries(value).map(([key, one]) => fieldLine(key, one, inner))].join("\n");
}

/** Whether the value is a text of several lines. */
function isBlock(value: unknown): value is string {
	return typeof value === "string" && value.includes("\n") && value.trim() !== "";
}

function hasBlock(value: object): boolean {
	return Object.values(value).some((one) => isBlock(one) || (typeof one === "object" && one !== null && hasBlock(one)));
}

function fieldName(name: string): string {
	return /^[^\s:][^\n\r:]*$/.test(name) ? name : JSON.stringify(name);
}

/** A string that could be read as another value is quoted. */
function fieldText(value: unknown): string {
	if (typeof value !== "string") return JSON.stringify(value) ?? "";
	return value === value.trim() && value !== "" && !isJsonText(value) ? value : JSON.stringify(value);
}

function isJsonText(text: string): boolean {
	try {
		JSON.parse(text);
		return true;
	} catch {
		return false;
	}
}

function indent(text: string, by: string): string {
	return text.replaceAll(/\n(?!\n|$)/g, `\n${by}`);
}
