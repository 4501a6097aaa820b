// The pinned copy of a run's definitions in the session: written once, validated when it is read.
// A copy that passes validation satisfies the invariants of `Definitions`: no empty workflow, no unresolved reference, no cycle.
import { loopFrom } from "../../definition/index.ts";
import type {
	Capability,
	Phase,
	Reference,
	ShellRule,
	ToolLimits,
	VisitCeilings,
	WorkflowDefinition,
} from "../definitions/index.ts";
import type { Definitions } from "./run.ts";

export interface PinnedCopy {
	readonly version: 1;
	readonly taskId: string;
	/** The whole task. */
	readonly task: string;
	readonly root: string;
	readonly definitions: readonly object[];
}

/** The definitions that a workflow needs to run: itself and everything it refers to, directly or not. */
export function reachable(catalogue: Definitions, root: string): Definitions {
	const found = new Map<string, WorkflowDefinition>();
	const open = [root];
	for (let key = open.pop(); key !== undefined; key = open.pop()) {
		const definition = catalogue.get(key);
		if (!definition || found.has(key)) continue;
		found.set(key, definition);
		open.push(...referencesOf(definition));
	}
	return found;
}

/** Definitions without their file paths: equal JSON means equal definitions. */
export function pinnedDefinitions(definitions: Definitions): object[] {
	return [...definitions.values()]
		.sort((a, b) => (a.key < b.key ? -1 : 1))
		.map(({ file: _file, tier: _tier, entries, ...definition }) => ({
			...definition,
			entries: entries.map((entry) => {
				if (entry.kind === "reference") return entry;
				const { file: _phaseFile, advance, ...phase } = entry;
				// Omit the default, so that copies older than the field keep their hash.
				return advance === "agent" ? phase : { ...phase, advance };
			}),
		}));
}

/** Reads a copy; `undefined` if it is invalid. */
export function readPinned(
	data: unknown,
): { readonly taskId: string; readonly definitions: Definitions; readonly task: string } | undefined {
	if (!isObject(data) || data.version !== 1) return undefined;
	const { taskId, task, root } = data;
	if (typeof taskId !== "string" || typeof task !== "string" || typeof root !== "string") return undefined;
	if (!Array.isArray(data.definitions)) return undefined;
	const definitions = new Map<string, WorkflowDefinition>();
	for (const written of data.definitions) {
		const definition = readDefinition(written);
		if (!definition || definitions.has(definition.key)) return undefined;
		definitions.set(definition.key, definition);
	}
	return definitions.has(root) && isComplete(definitions) ? { taskId, definitions, task } : undefined;
}

/** Whether every reference resolves and no workflow runs itself. */
function isComplete(definitions: Definitions): boolean {
	const references = (key: string) => referencesOf(definitions.get(key));
	return [...definitions.keys()].every(
		(key) => references(key).every((target) => definitions.has(target)) && !loopFrom(key, references),
	);
}

function referencesOf(definition: WorkflowDefinition | undefined): string[] {
	return (definition?.entries ?? []).flatMap((entry) => (entry.kind === "reference" ? [entry.key] : []));
}

function readDefinition(written: unknown): WorkflowDefinition | undefined {
	if (!isObject(written)) return undefined;
	const { key, name, show, initialMessage, loopable, autoContinue, sessionNamePrefix, sessionNameMaxLength } = written;
	if (typeof key !== "string" || key === "" || typeof name !== "string" || typeof initialMessage !== "string")
		return undefined;
	if (show !== "user" && show !== "workflows") return undefined;
	if (typeof loopable !== "boolean" || typeof autoContinue !== "boolean") return undefined;
	if (typeof sessionNamePrefix !== "string" || typeof sessionNameMaxLength !== "number") return undefined;
	if (written.maxLoops !== undefined && !Number.isSafeInteger(written.maxLoops)) return undefined;
	const texts = readTexts(written);
	const entries = readList(written.entries, readEntry);
	if (!texts || !entries || entries.length === 0) return undefined;
	const maxLoops = written.maxLoops as number | undefined;
	const limits = readCeilings(written.limits);
	if (limits === null) return undefined;
	const settings = { limits, loopable, maxLoops, autoContinue, sessionNamePrefix, sessionNameMaxLength };
	return { key, name, show, initialMessage, ...settings, ...texts, entries, tier: "project", file: "" };
}

const textFields = [
	"commandName",
	"roleInstruction",
	"advanceReminder",
	"blockReasonTemplate",
	"notDoneReminder",
	"completionMessage",
] as const;

function readTexts(
	written: Record<string, unknown>,
): Record<(typeof textFields)[number], string | undefined> | undefined {
	const texts: Record<string, string | undefined> = {};
	for (const field of textFields) {
		const text = written[field];
		if (text !== undefined && typeof text !== "string") return undefined;
		texts[field] = text;
	}
	return texts as Record<(typeof textFields)[number], string | undefined>;
}

function readEntry(written: unknown): Phase | Reference | undefined {
	if (!isObject(written)) return undefined;
	if (written.kind === "phase") return readPhase(written);
	return written.kind === "reference" && typeof written.key === "string"
		? { kind: "reference", key: written.key }
		: undefined;
}

function readPhase(written: Record<string, unknown>): Phase | undefined {
	const id = string(written.id);
	const name = string(written.name);
	const emoji = string(written.emoji);
	const instructions = string(written.instructions);
	const { autoContinue, polling } = written;
	// Copies older than the field lack it.
	const advance = written.advance === undefined ? "agent" : oneOf(written.advance, ["agent", "person"]);
	const limits = readCeilings(written.limits);
	const tools = readPinnedLimits(written.tools);
	const profiles = readList(written.profiles, string);
	if (id === undefined || name === undefined || emoji === undefined || instructions === undefined) return undefined;
	if (!isFlag(autoContinue) || !isFlag(polling) || limits === null || !tools || !profiles || !advance) return undefined;
	const kind = "phase";
	return { kind, id, name, emoji, instructions, tools, profiles, autoContinue, advance, limits, polling, file: "" };
}

function isFlag(value: unknown): value is boolean | undefined {
	return value === undefined || typeof value === "boolean";
}

/** Ceilings of a visit; `null` if they are invalid. */
function readCeilings(written: unknown): VisitCeilings | undefined | null {
	if (written === undefined) return undefined;
	if (!isObject(written)) return null;
	const { requests, calls } = written;
	const fine = (value: unknown): value is number | undefined =>
		value === undefined || (Number.isSafeInteger(value) && (value as number) > 0);
	return fine(requests) && fine(calls) ? { requests, calls } : null;
}

/** Reads tool limits. Invalid limits give `undefined`, never `free`: the whole copy is then invalid, and no tool is allowed. */
export function readPinnedLimits(written: unknown): ToolLimits | undefined {
	if (!isObject(written)) return undefined;
	switch (written.kind) {
		case "free":
			return { kind: "free" };
		case "blacklist":
		case "whitelist": {
			const names = readList(written.names, string);
			const shell = oneOf<ShellRule>(written.shell, ["judged", "strict", "unrestricted"]);
			return names && shell ? { kind: written.kind, names, shell } : undefined;
		}
		case "capabilities": {
			const may = readList(written.may, (word) => oneOf<Capability>(word, ["read", "write", "exec"]));
			return may ? { kind: "capabilities", may } : undefined;
		}
		default:
			return undefined;
	}
}

function readList<Item>(written: unknown, read: (item: unknown) => Item | undefined): Item[] | undefined {
	if (!Array.isArray(written)) return undefined;
	const items: Item[] = [];
	for (const item of written) {
		const value = read(item);
		if (value === undefined) return undefined;
		items.push(value);
	}
	return items;
}

function string(value: unknown): string | undefined {
	return typeof value === "string" ? value : undefined;
}

function oneOf<Word extends string>(value: unknown, words: readonly Word[]): Word | undefined {
	return words.find((word) => word === value);
}

function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
