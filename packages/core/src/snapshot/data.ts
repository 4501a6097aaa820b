// Parses the data that an agent wants to save, in any of the shapes that models write, and adds the output of a state to a snapshot.
// No input is lost silently: data that cannot be saved is refused with the reason.
import { isRecord } from "../definition/index.ts";
import { type Entry, keyNames, textNames } from "./entry.ts";
import { LONGEST_TEXT, type Snapshot, type SnapshotData, type StateOutput } from "./snapshot.ts";

/** Maximum bytes of JSON that one state may hand over. */
export const OUTPUT_BYTES = 64 * 1024;
/** Maximum bytes of JSON of all states; the oldest are dropped first. */
const allBytes = 4 * OUTPUT_BYTES;

/** Bytes of data as JSON. */
export function outputBytes(data: unknown): number {
	return Buffer.byteLength(JSON.stringify(data) ?? "");
}

/** Sets the output of a state, replacing an earlier one. */
export function addOutput(snapshot: Snapshot, output: StateOutput): Snapshot {
	const outputs = [...outputsOf(snapshot).filter(({ state }) => state !== output.state), output];
	let left = allBytes;
	const first = outputs.findLastIndex(({ data }) => {
		left -= outputBytes(data);
		return left < 0;
	});
	return { ...snapshot, outputs: outputs.slice(first + 1) };
}

/** Oldest first. */
export function outputsOf({ outputs = [] }: Snapshot): readonly StateOutput[] {
	return outputs;
}

export type DataRead =
	/** `empty`: number of entries without content, which are left out. */
	| { readonly kind: "read"; readonly data: SnapshotData; readonly empty: number }
	/** A sentence for the model. */
	| { readonly kind: "refused"; readonly reason: string };

const maxEntries = 200;
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
const listNames: ReadonlySet<string> = new Set([...findingKeys, ...taskKeys, ...resolveKeys, ...fileKeys]);

/**
 * Parses the arguments of `workflow_update_snapshot`: a string (one finding), a list of findings, or an object. In an object, `findings`,
 * `pending_tasks` and `resolve` have their own meaning (also under related names); every other key is a finding with that key. An only field
 * `data` may hold all of it.
 */
export function readSnapshotData(given: unknown): DataRead {
	const value = unwrapData(unwrapJson(given));
	if (typeof value === "string" || Array.isArray(value)) return collect({ findings: value });
	if (isRecord(value)) return collect(value);
	return refusedData(
		'The data must be a string or an object, such as { "findings": ["…"], "pending_tasks": ["…"], "resolve": ["t3"] }.',
	);
}

function refusedData(reason: string): DataRead {
	return { kind: "refused", reason };
}

/** The content of the only field `data`, in which earlier versions declared everything. */
function unwrapData(value: unknown): unknown {
	if (!isRecord(value)) return value;
	const [only, ...others] = Object.entries(value).filter(([, inner]) => inner !== undefined && inner !== null);
	return only?.[0] === "data" && others.length === 0 ? unwrapJson(only[1]) : value;
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

interface CollectedData {
	readonly findings: Entry[];
	readonly pendingTasks: Entry[];
	readonly resolve: string[];
}

function collect(object: JsonObject): DataRead {
	const all: CollectedData = { findings: [], pendingTasks: [], resolve: [] };
	for (const [key, value] of Object.entries(object)) if (value !== undefined) addGiven(all, key, value);
	const findings = withDistinctKeys(all.findings.filter(hasContent));
	const pendingTasks = withDistinctKeys(all.pendingTasks.filter(hasContent));
	const resolve = all.resolve.map((name) => name.trim()).filter(Boolean);
	const empty = all.findings.length + all.pendingTasks.length - findings.length - pendingTasks.length;
	if (findings.length + pendingTasks.length + resolve.length === 0)
		return refusedData("The data is empty: nothing was saved.");
	const tooMuch = explainTooMuch(all);
	if (tooMuch !== undefined) return refusedData(tooMuch);
	return {
		kind: "read",
		data: {
			...(findings.length > 0 ? { findings } : {}),
			...(pendingTasks.length > 0 ? { pendingTasks } : {}),
			...(resolve.length > 0 ? { resolve } : {}),
		},
		empty,
	};
}

/** Adds the value of `key` to the matching list. */
function addGiven(all: CollectedData, key: string, value: unknown): void {
	const plain = lettersOf(key);
	if (value === null && listNames.has(plain)) return;
	if (plain === "data" && isRecord(value) && Object.keys(value).some((name) => listNames.has(lettersOf(name)))) {
		for (const [name, inner] of Object.entries(value)) addGiven(all, name, inner);
		return;
	}
	const { findings, pendingTasks, resolve } = all;
	if (resolveKeys.has(plain)) resolve.push(...namesToResolve(value));
	else if (taskKeys.has(plain)) pendingTasks.push(...readEntriesOf(value));
	else if (findingKeys.has(plain)) findings.push(...readEntriesOf(value));
	else if (fileKeys.has(plain)) findings.push({ key: "files named by the worker", text: filesText(value) });
	else findings.push(entryWithKey(key, value));
}

function lettersOf(name: string): string {
	return name.toLowerCase().replace(/[^a-z]/g, "");
}

function filesText(value: unknown): string {
	return (Array.isArray(value) ? value : [value]).map(plainText).join(", ");
}

/** Whether an entry has content: the text `null` has none. */
function hasContent({ text, fields }: Entry): boolean {
	return fields !== undefined || !/^\s*(?:null|undefined)?\s*$/.test(text);
}

/** The entries, of which later ones with the same key have it as a field: they would replace the first. */
function withDistinctKeys(entries: readonly Entry[]): Entry[] {
	const seen = new Set<string>();
	return entries.map((entry) => {
		const { key, text, fields = {} } = entry;
		if (key === undefined) return entry;
		const plain = key.toLowerCase();
		if (!seen.has(plain)) {
			seen.add(plain);
			return entry;
		}
		return { text, fields: { key, ...fields } };
	});
}

/** Why this is more than one call can save, for the model; `undefined` if it is not. */
function explainTooMuch({ findings, pendingTasks, resolve }: CollectedData): string | undefined {
	const entries = [...findings, ...pendingTasks];
	const count = entries.length + resolve.length;
	if (count > maxEntries)
		return `That is ${count} entries, and at most ${maxEntries} can be saved in one call: split it.`;
	const long = entries.find((entry) => entryLength(entry) > LONGEST_TEXT || (entry.key ?? "").length > longestKey);
	if (long)
		return `An entry has ${entryLength(long)} characters, and at most ${LONGEST_TEXT} can be saved (${longestKey} for a key): shorten it, or split it.`;
	const length = [
		...entries.map((entry) => entryLength(entry) + (entry.key ?? "").length),
		...resolve.map((name) => name.length),
	].reduce((sum, more) => sum + more, 0);
	return length > maxText
		? `Those are ${length} characters, and at most ${maxText} can be saved in one call: split it.`
		: undefined;
}

/** Characters of the text and of the fields as JSON. */
function entryLength({ text, fields }: Entry): number {
	return text.length + (fields === undefined ? 0 : JSON.stringify(fields).length);
}

function readEntriesOf(value: unknown): readonly Entry[] {
	if (Array.isArray(value)) return value.map(readItem);
	// An object that is not a single entry contains keyed entries.
	if (isRecord(value) && nameOfText(value) === undefined)
		return Object.entries(value).map(([key, inner]) => entryWithKey(key, inner));
	return [readItem(value)];
}

function readItem(item: unknown): Entry {
	if (!isRecord(item)) return { text: plainText(item).trim() };
	const name = nameOfKey(item);
	const key = name === undefined ? undefined : String(item[name]).trim();
	const entry = entryOfObject(item, name);
	if (key === undefined) return entry;
	return entry.text === "" && entry.fields === undefined ? { text: key } : { key, ...entry };
}

/** An entry whose key is written before it. */
function entryWithKey(key: string, value: unknown): Entry {
	return { key: key.trim(), ...(isRecord(value) ? entryOfObject(value) : { text: plainText(value) }) };
}

/** The text of an object, and all other fields except the key, named `keyName`. */
function entryOfObject(item: JsonObject, keyName?: string): Entry {
	const textName = nameOfText(item);
	const fields = Object.entries(item).filter(
		([name, value]) => name !== keyName && name !== textName && value !== undefined && !isBlankKey(name, value),
	);
	return {
		text: textName === undefined ? "" : String(item[textName]).trim(),
		...(fields.length > 0 ? { fields: Object.fromEntries(fields) } : {}),
	};
}

function isBlankKey(name: string, value: unknown): boolean {
	return name === "key" && typeof value === "string" && value.trim() === "";
}

function nameOfText(item: JsonObject): string | undefined {
	return textNames.find((name) => Object.hasOwn(item, name) && isPlain(item[name]));
}

/** A long name or title is a field and no key, except under the declared name. */
function nameOfKey(item: JsonObject): string | undefined {
	return keyNames.find((name) => {
		const value = Object.hasOwn(item, name) ? item[name] : undefined;
		const length = typeof value === "string" || typeof value === "number" ? String(value).trim().length : 0;
		return length > 0 && (name === "key" || length <= longestKey);
	});
}

/** The names in a value of `resolve`. */
function namesToResolve(value: unknown): readonly string[] {
	if (Array.isArray(value)) return value.map(nameToResolve);
	const isKeyed = isRecord(value) && nameOfKey(value) === undefined && nameOfText(value) === undefined;
	if (!isKeyed) return [nameToResolve(value)];
	return Object.entries(value).flatMap(([key, inner]) =>
		listNames.has(lettersOf(key)) ? namesToResolve(inner) : [key],
	);
}

function nameToResolve(item: unknown): string {
	if (item === null || item === undefined) return "";
	const name = isRecord(item) ? (nameOfKey(item) ?? nameOfText(item)) : undefined;
	return plainText(name === undefined ? item : (item as JsonObject)[name]);
}

type JsonObject = Readonly<Record<string, unknown>>;

function isPlain(value: unknown): boolean {
	return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function plainText(value: unknown): string {
	return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
