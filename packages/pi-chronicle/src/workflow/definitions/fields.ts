// Every field of workflow.yaml and of a phase file's front matter: type, default, meaning. The readers, the JSON Schemas in schemas/, and
// the reference tables in docs/workflows.md are all derived from these two tables.
import { VISIT_DEFAULTS } from "@pi-chronicle/core/bounds";
import {
	choice,
	custom,
	flag,
	integer,
	type JsonSchema,
	type MapNode,
	type Node,
	names,
	nearest,
	type ObjectOptions,
	objectField,
	quoted,
	type ReadContext,
	text,
	wrongType,
} from "@pi-chronicle/core/definition";
import { gateField } from "./gate-field.ts";
import { free, limitsSchema, readToolLimits } from "./tool-limits.ts";

/** An entry of `phases` as written. */
export type WrittenEntry =
	| { readonly kind: "file"; readonly path: string; readonly start: number }
	| { readonly kind: "reference"; readonly key: string; readonly start: number };

export const workflowFields = {
	name: text({
		form: "line",
		max: 200,
		required: true,
		about: "Display name of the workflow: in the status line, in messages, in the list of `/workflow`.",
	}),
	commandName: text({
		blank: "allowed",
		shown: "*required* unless `show: workflows`",
		about: "The name that starts it: `/workflow <commandName> <task>`. Letters, digits, `-` and `_`.",
	}),
	initialMessage: text({
		blank: "allowed",
		shown: "*required* unless `show: workflows`",
		about: "The first message to the agent. [Variables](#variables) are replaced.",
	}),
	phases: custom(
		{
			required: true,
			about:
				"The phases in order: paths of [phase files](#phase-files), relative to the workflow's folder, and `subworkflow: <folder name>` to run another workflow as one phase.",
		},
		"list of files and subworkflows",
		{
			type: "array",
			minItems: 1,
			items: {
				anyOf: [
					{ type: "string", pattern: "\\S" },
					{
						type: "object",
						properties: { subworkflow: { type: "string", pattern: "\\S" } },
						required: ["subworkflow"],
						additionalProperties: false,
					},
				],
			},
		} satisfies JsonSchema,
		readWrittenEntries,
	),
	show: choice(["user", "workflows"], {
		fallback: "user",
		empty: "error",
		about: "`workflows` hides the workflow: it is not listed and runs only inside other workflows.",
	}),
	loopable: flag({
		fallback: true,
		empty: "error",
		about: "Whether the agent may restart the workflow from its first phase (`workflow_step` with `loop`).",
	}),
	maxLoops: integer({
		min: 0,
		shown: "no limit",
		empty: "error",
		about: "Maximum number of restarts during one visit.",
	}),
	autoContinue: flag({
		fallback: true,
		empty: "error",
		about: "Whether an agent that stops before the end is reminded to continue. A phase can override this.",
	}),
	limits: visitLimitFields("Limits of one visit of a phase, unless the phase sets its own."),
	sessionNamePrefix: text({
		blank: "allowed",
		max: 200,
		fallback: "Workflow: ",
		about: "Prefix of the session name; the task follows.",
	}),
	sessionNameMaxLength: integer({
		min: 1,
		fallback: 50,
		about: "Maximum number of characters of the task in the session name; a longer task is truncated with `…`.",
	}),
	roleInstruction: template("The agent's role during the run; precedes the phase's instructions."),
	advanceReminder: template("How the agent moves to the next phase; follows the phase's instructions."),
	blockReasonTemplate: template("Message to the agent when a phase refuses a tool."),
	notDoneReminder: template("Message to an agent that stops before the workflow is done."),
	completionMessage: template("Message to the user when the workflow is done."),
};

export const phaseFields = {
	id: text({
		form: "line",
		max: 200,
		required: true,
		about:
			"Identifies the phase; unique within its workflow. After a change of the files, a run finds its phase by the id.",
	}),
	name: text({ form: "line", max: 200, required: true, about: "Display name of the phase." }),
	emoji: text({ form: "line", max: 32, required: true, about: "Shown before the name in the status line." }),
	tools: custom(
		{
			fallback: free,
			shown: "every tool",
			empty: "error",
			about: "Tools that the agent may use: see [Tool limits](#tool-limits).",
		},
		"object or list of names",
		limitsSchema,
		readToolLimits,
	),
	availableProfiles: names({
		fallback: [],
		shown: "none",
		about: "Agent profiles that the phase suggests for delegation. They are only shown to the agent.",
	}),
	autoContinue: flag({
		shown: "the workflow's value",
		empty: "error",
		about: "`false` for a phase that is a conversation: whenever the agent stops, the workflow waits for you.",
	}),
	advance: choice(["agent", "person"], {
		fallback: "agent",
		empty: "error",
		about:
			"`person` for a phase that only the user can end: the agent does its work and waits for [`/workflow next`](#running-a-workflow).",
	}),
	gate: gateField,
	limits: visitLimitFields(
		"Limits of one visit of the phase. When one is reached, the workflow pauses; your next message or `/workflow resume` resets the counts.",
	),
	polling: flag({
		shown: "`false`",
		empty: "error",
		about:
			"`true` for a phase that repeats calls on purpose. In other phases, the same call with the same result causes a warning after 3 repetitions and a pause after 6.",
	}),
	model: text({
		form: "line",
		max: 200,
		shown: "the session's",
		about:
			"[Model of the phase](#a-model-for-a-phase): `provider/id`, an alias such as `opus` or `sonnet:high`, or `cheap` or `strong`, which the setting [`models`](workers.md#settings) explains.",
	}),
	context: choice(["kept", "fresh"], {
		fallback: "kept",
		empty: "error",
		about:
			"`fresh` for a phase that starts without the conversation before it: see [A fresh context for a phase](#a-fresh-context-for-a-phase).",
	}),
};

/** The fields of workflow.yaml that contain templates. */
export const templateTextFields = [
	"initialMessage",
	"roleInstruction",
	"advanceReminder",
	"blockReasonTemplate",
	"notDoneReminder",
	"completionMessage",
] as const;

/** Severity of unknown keys in workflow.yaml: a key that was probably meant as a limit is an error, not just a warning. */
export const unknownWorkflowKeys: ObjectOptions = {
	unknown: (key, value) =>
		isLimit(key, value) || isNearly(key, ["loopable", "maxLoops", "autoContinue", "show"]) ? "error" : "warning",
	remedy: (key, value) =>
		isLimit(key, value)
			? "Write limits in the phase files: `tools:`, and below it `blacklist`, `whitelist` or `allow`."
			: undefined,
};

/** The same for phases. */
export const unknownPhaseKeys: ObjectOptions = {
	unknown: (key, value) =>
		isLimit(key, value) || isNearly(key, ["autoContinue", "advance", "gate"]) ? "error" : "warning",
	remedy: (key, value) =>
		isLimit(key, value) ? "Write limits below `tools:`, as `blacklist`, `whitelist` or `allow`." : undefined,
};

/** pi's own tools, whose names are known without a session. */
export const builtInTools: ReadonlySet<string> = new Set(["read", "bash", "edit", "write", "grep", "find", "ls"]);

/** Whether a key or its value looks like a limit: misspelled, wrongly indented, or a term of another tool. */
function isLimit(key: string, value: Node): boolean {
	const plain = key.toLowerCase().replace(/[-_\s]/g, "");
	const limit =
		/tools?$|^tools?|^(black|white|allow|deny|block|forbid|restrict)(ed|den)?(list)?$|^shell$|^permissions?$|^(dis)?allowed|^readonly$|^capabilit(y|ies)$/;
	if (limit.test(plain) || isNearly(key, ["tools", "blacklist", "whitelist"])) return true;
	switch (value.kind) {
		case "map":
			return [...value.entries].some(([inner, entry]) => isLimit(inner, entry.value));
		case "list":
			return (
				value.items.length > 0 && value.items.every((item) => item.kind === "scalar" && builtInTools.has(item.written))
			);
		case "scalar":
			return false;
	}
}

function isNearly(key: string, words: readonly string[]): boolean {
	return nearest(key, words) !== undefined;
}

function visitLimitFields(about: string) {
	return objectField(
		{
			requests: integer({
				min: 1,
				max: 1_000_000,
				shown: String(VISIT_DEFAULTS.requests),
				empty: "error",
				about: "Requests to the model.",
			}),
			calls: integer({
				min: 1,
				max: 1_000_000,
				shown: String(VISIT_DEFAULTS.calls),
				empty: "error",
				about: "Tool calls, including refused ones.",
			}),
		},
		{
			about: `${about} \`requests\`: requests to the model; \`calls\`: tool calls.`,
			shown: "400 and 800",
			empty: "error",
		},
	);
}

function template(about: string) {
	return text({ blank: "allowed", shown: "a built-in text", about: `${about} [Variables](#variables) are replaced.` });
}

function readWrittenEntries(node: Node, reading: ReadContext): readonly WrittenEntry[] | undefined {
	if (node.kind !== "list" || node.items.length === 0) {
		const remedy = "Write one entry per line below `phases:`, such as `- plan.md` or `- subworkflow: review`.";
		return wrongType(node, reading, "a list with at least one phase", remedy);
	}
	// A wrong entry is reported, and the files of the others are still read: their problems are found in the same round.
	return node.items.flatMap(
		(item, index) => readWrittenEntry(item, { ...reading, path: `${reading.path}[${index + 1}]` }) ?? [],
	);
}

function readWrittenEntry(node: Node, reading: ReadContext): WrittenEntry | undefined {
	const { start } = node;
	if (node.kind === "scalar" && typeof node.value === "string" && node.value.trim() !== "")
		return { kind: "file", path: node.value.trim(), start };
	const wanted = "the path of a phase file or `subworkflow: <folder name>`";
	if (node.kind !== "map") return wrongType(node, reading, wanted, "Write `- plan.md` or `- subworkflow: review`.");
	const key = node.entries.get("subworkflow");
	if (!key) return notAnEntry(node, reading, wanted);
	let limited = false;
	for (const [name, { keyStart, value }] of node.entries) {
		if (name === "subworkflow") continue;
		const limits = isLimit(name, value) || isNearly(name, ["loopable", "maxLoops", "autoContinue"]);
		limited ||= limits;
		reading.report[limits ? "error" : "warn"](reading.source.place(keyStart), {
			code: "unknown-key",
			message: `\`subworkflow\` takes no other field: ${quoted(name)}.`,
			remedy: "Remove it: a workflow is configured in its own workflow.yaml.",
		});
	}
	if (limited) return undefined;
	const { value } = key;
	if (value.kind === "scalar" && typeof value.value === "string" && value.value.trim() !== "")
		return { kind: "reference", key: value.value.trim(), start };
	const example = value.kind === "scalar" && value.written !== "" ? value.written : "review";
	return wrongType(
		value,
		{ ...reading, path: `${reading.path}.subworkflow` },
		"the folder name of a workflow",
		`Write \`subworkflow: "${example}"\`.`,
	);
}

/** Reports an entry that is an object without `subworkflow`, once, regardless of its fields. */
function notAnEntry(node: MapNode, reading: ReadContext, wanted: string): undefined {
	const [first] = node.entries;
	if (!first) return wrongType(node, reading, wanted, "Write `- plan.md` or `- subworkflow: review`.");
	const [name, { keyStart, value }] = first;
	const near = [...node.entries.keys()].find((key) => isNearly(key, ["subworkflow"]));
	const file = value.kind === "scalar" && /\.md$/i.test(value.written) ? value.written : undefined;
	reading.report.error(reading.source.place(keyStart), {
		code: "unknown-key",
		message: `An entry of \`phases\` is an object that starts with ${quoted(name)}, not ${wanted}.${near === undefined ? "" : " Did you mean `subworkflow`?"}`,
		remedy:
			file === undefined
				? "Put the phase into its own file, and write the path here: `- plan.md`."
				: `Write only the path: \`- ${file}\`.`,
	});
	return undefined;
}
