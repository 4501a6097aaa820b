// Parses the data that an agent wants to save, in any of the shapes that models write. Saves nothing.
// D1 no input is lost silently: data that cannot be saved is refused with the reason.
import type { SnapshotData } from "./snapshot.ts";

export type DataRead =
	| { readonly kind: "read"; readonly data: SnapshotData }
	/** A sentence for the model. */
	| { readonly kind: "refused"; readonly reason: string };

type Entry = NonNullable<SnapshotData["findings"]>[number];

const maxEntries = 200;
/** Maximum characters of one text from an agent: a finding, a task, or the summary of a move. */
export const LONGEST_TEXT = 32_000;
/** Maximum characters of all texts in one call. */
const maxText = 200_000;
const longestKey = 80;

const findingKeys = new Set([
	"findings",
	"finding",
	"keyfindings",
	"discoveries",
	"discovery",
	"facts",
	"notes",
	"note",
]);
const taskKeys = new Set(["pendingtasks", "pendingtask", "pending", "tasks", "task", "todo", "todos", "nextsteps"]);
const resolveKeys = new Set([
	"resolve",
	"resolved",
	"remove",
	"removed",
	"done",
	"completed",
	"completedtasks",
	"complete",
]);
const fileKeys = new Set(["modifiedfiles", "files", "changedfiles"]);
const textKeys = ["text", "finding", "task", "value", "content", "description", "title", "summary", "note"];
const nameKeys = ["key", "name", "id", "topic"];

/**
 * Parses the argument of `workflow_update_snapshot`: a string (one finding), a list of findings, or an object. In an object, `findings`,
 * `pending_tasks` and `resolve` have their own meaning (also under related names); every other key is a finding with that key.
 */
export function readSnapshotData(given: unknown): DataRead {
	const value = unwrapJson(given);
	if (typeof value === "string" || Array.isArray(value)) return collect({ findings: value });
	if (typeof value === "object" && value !== null) return collect(value as Record<string, unknown>);
	return refused(
		'The data must be a string or an object, such as { "findings": ["…"], "pending_tasks": ["…"], "resolve": ["t3"] }.',
	);
}

function refused(reason: string): DataRead {
	return { kind: "refused", reason };
}

/** Parses an object that was passed as JSON text; some models do that. */
export function unwrapJson(given: unknown): unknown {
	if (typeof given !== "string") return given;
	try {
		const value: unknown = JSON.parse(given);
		return value instanceof Object ? value : given;
	} catch {
		return given;
	}
}

interface Collected {
	readonly findings: Entry[];
	readonly pendingTasks: Entry[];
	readonly resolve: string[];
}

function collect(object: Record<string, unknown>): DataRead {
	const all: Collected = { findings: [], pendingTasks: [], resolve: [] };
	for (const [key, value] of Object.entries(object)) if (value !== undefined && value !== null) add(all, key, value);
	const findings = all.findings.filter(hasText);
	const pendingTasks = all.pendingTasks.filter(hasText);
	const resolve = all.resolve.map((name) => name.trim()).filter(Boolean);
	if (findings.length + pendingTasks.length + resolve.length === 0)
		return refused("The data is empty: nothing was saved.");
	const tooMuch = explainTooMuch(all);
	if (tooMuch !== undefined) return refused(tooMuch);
	return {
		kind: "read",
		data: {
			...(findings.length > 0 ? { findings } : {}),
			...(pendingTasks.length > 0 ? { pendingTasks } : {}),
			...(resolve.length > 0 ? { resolve } : {}),
		},
	};
}

/** Adds the value of `key` to the matching list. */
function add({ findings, pendingTasks, resolve }: Collected, key: string, value: unknown): void {
	const plain = key.toLowerCase().replace(/[^a-z]/g, "");
	if (resolveKeys.has(plain))
		resolve.push(...listOf(value).map((item) => textOf(item, nameKeys) ?? textOf(item, textKeys) ?? ""));
	else if (taskKeys.has(plain)) pendingTasks.push(...listOf(value).map(entryOf));
	else if (findingKeys.has(plain)) findings.push(...listOf(value).map(entryOf));
	else if (fileKeys.has(plain))
		findings.push({ key: "files named by the worker", text: listOf(value).map(plainText).join(", ") });
	else findings.push({ key: key.trim(), text: plainText(value) });
}

/** Whether an entry has content: the text `null` has none. */
function hasText({ text }: Entry): boolean {
	return !/^\s*(?:null|undefined)?\s*$/.test(text);
}

/** Why this is more than one call can save, for the model; `undefined` if it is not. */
function explainTooMuch({ findings, pendingTasks, resolve }: Collected): string | undefined {
	const entries = [...findings, ...pendingTasks];
	const count = entries.length + resolve.length;
	if (count > maxEntries)
		return `That is ${count} entries, and at most ${maxEntries} can be saved in one call: split it.`;
	const long = entries.find(({ text, key = "" }) => text.length > LONGEST_TEXT || key.length > longestKey);
	if (long)
		return `An entry has ${long.text.length} characters, and at most ${LONGEST_TEXT} can be saved (${longestKey} for a key): write it to a file and save the file's name.`;
	const { length } = [...entries.flatMap(({ text, key = "" }) => [text, key]), ...resolve].join("");
	return length > maxText
		? `Those are ${length} characters, and at most ${maxText} can be saved in one call: split it, or write it to a file and save the file's name.`
		: undefined;
}

function listOf(value: unknown): readonly unknown[] {
	if (Array.isArray(value)) return value;
	// An object that is not a single entry contains keyed entries.
	if (typeof value === "object" && value !== null && textOf(value, textKeys) === undefined)
		return Object.entries(value).map(([key, text]) => ({ key, text: plainText(text) }));
	return [value];
}

function entryOf(item: unknown): Entry {
	const text = textOf(item, textKeys);
	if (text === undefined || typeof item !== "object") return { text: plainText(item).trim() };
	const key = textOf(item, nameKeys)?.trim();
	return { ...(key ? { key } : {}), text: text.trim() };
}

function textOf(item: unknown, keys: readonly string[]): string | undefined {
	if (typeof item === "string" || typeof item === "number") return String(item);
	if (typeof item !== "object" || item === null) return undefined;
	for (const key of keys) {
		const value = (item as Record<string, unknown>)[key];
		if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return String(value);
	}
	return undefined;
}

function plainText(value: unknown): string {
	return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
