// The pinned copy of a run's definitions in the session: written once, validated when it is read.
// A copy that passes validation satisfies the invariants of `Definitions`: no empty workflow, no unresolved reference, no cycle.
import {
	anyObject,
	type Checks,
	isFlag,
	isNumber,
	isText,
	listOf,
	loopFrom,
	object,
	oneOf,
	only,
	optional,
	type PathList,
	type Shape,
} from "@pi-chronicle/core/definition";
import type {
	Phase,
	PhaseGate,
	Reference,
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
	readonly uncommitted?: PathList | undefined;
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

const isUncommitted = object<PathList>({ paths: listOf(isText), count: isNumber, added: optional(listOf(isText)) });
const isCopy = object<PinnedCopy>({
	version: oneOf(1),
	taskId: isText,
	task: isText,
	uncommitted: optional(isUncommitted),
	root: isText,
	definitions: Array.isArray,
});

/** Reads a copy; `undefined` if it is invalid. */
export function readPinned(
	data: unknown,
): (Pick<PinnedCopy, "taskId" | "task" | "uncommitted"> & { readonly definitions: Definitions }) | undefined {
	if (!isCopy(data)) return undefined;
	const { taskId, task, uncommitted, root } = data;
	const definitions = new Map<string, WorkflowDefinition>();
	for (const written of data.definitions) {
		const definition = readPinnedDefinition(written);
		if (!definition || definitions.has(definition.key)) return undefined;
		definitions.set(definition.key, definition);
	}
	return definitions.has(root) && isComplete(definitions) ? { taskId, definitions, task, uncommitted } : undefined;
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

type PinnedPhase = Omit<Phase, "file" | "advance"> & Partial<Pick<Phase, "advance">>;
type PinnedWorkflow = Omit<WorkflowDefinition, "file" | "tier">;

const isPositive: Shape<number> = (value): value is number => Number.isSafeInteger(value) && (value as number) > 0;
const ceilings: Checks<VisitCeilings> = { requests: optional(isPositive), calls: optional(isPositive) };
const gate: Checks<PhaseGate> = { command: isText, timeoutMs: isPositive };
const isNames = object<Extract<ToolLimits, { kind: "blacklist" | "whitelist" }>>({
	kind: oneOf("blacklist", "whitelist"),
	names: listOf(isText),
	shell: oneOf("judged", "strict", "unrestricted"),
});
const isCapabilities = object<Extract<ToolLimits, { kind: "capabilities" }>>({
	kind: oneOf("capabilities"),
	may: listOf(oneOf("read", "write", "exec")),
});

const phaseFields: Checks<PinnedPhase> = {
	kind: oneOf("phase"),
	id: isText,
	name: isText,
	emoji: isText,
	instructions: isText,
	tools: (value) => readPinnedLimits(value) !== undefined,
	profiles: listOf(isText),
	autoContinue: optional(isFlag),
	// Copies older than the field lack it.
	advance: optional(oneOf("agent", "person")),
	gate: optional(object(gate)),
	limits: optional(object(ceilings)),
	polling: optional(isFlag),
	model: optional(isText),
	context: optional(oneOf("fresh")),
};
const workflowFields: Checks<PinnedWorkflow> = {
	key: (value) => isText(value) && value !== "",
	name: isText,
	commandName: optional(isText),
	show: oneOf("user", "workflows"),
	initialMessage: isText,
	loopable: isFlag,
	maxLoops: (value) => value === undefined || Number.isSafeInteger(value),
	autoContinue: isFlag,
	limits: optional(object(ceilings)),
	sessionNamePrefix: isText,
	sessionNameMaxLength: isNumber,
	roleInstruction: optional(isText),
	advanceReminder: optional(isText),
	blockReasonTemplate: optional(isText),
	notDoneReminder: optional(isText),
	completionMessage: optional(isText),
	entries: (value) => Array.isArray(value) && value.length > 0 && value.every(isEntry),
};
const isPhase = object(phaseFields);
const isReference = object<Reference>({ kind: oneOf("reference"), key: isText });
const isEntry = (value: unknown) => isPhase(value) || isReference(value);
const isWorkflow = object(workflowFields);

function readPinnedDefinition(written: unknown): WorkflowDefinition | undefined {
	if (!isWorkflow(written)) return undefined;
	const entries = written.entries.map((entry) =>
		entry.kind === "phase" ? readPinnedPhase(entry) : { kind: entry.kind, key: entry.key },
	);
	return {
		...only(workflowFields, written),
		limits: readPinnedCeilings(written.limits),
		entries,
		tier: "project",
		file: "",
	};
}

function readPinnedPhase(written: PinnedPhase): Phase {
	return {
		...only(phaseFields, written),
		tools: readPinnedLimits(written.tools) ?? { kind: "capabilities", may: [] },
		advance: written.advance ?? "agent",
		...(written.gate ? { gate: only(gate, written.gate) } : {}),
		limits: readPinnedCeilings(written.limits),
		file: "",
	};
}

function readPinnedCeilings(written: VisitCeilings | undefined): VisitCeilings | undefined {
	return written && only(ceilings, written);
}

/** Reads tool limits. Invalid limits give `undefined`, never `free`: the whole copy is then invalid, and no tool is allowed. */
export function readPinnedLimits(written: unknown): ToolLimits | undefined {
	if (isNames(written)) return { kind: written.kind, names: written.names, shell: written.shell };
	if (isCapabilities(written)) return { kind: written.kind, may: written.may };
	return anyObject(written) && "kind" in written && written.kind === "free" ? { kind: "free" } : undefined;
}
