// Recognizes files of other tools in this package's folders by their structure, so that diagnostics can identify them.
// Pure. R1 a file in one of this package's formats is never recognized as another tool's; R2 a remedy never asks the user to change or
// delete the file, because its own tool reads it.
import type { MapNode, Node } from "./node.ts";
import type { Problem } from "./report.ts";

/** The format of another tool's file. */
export interface ForeignFormat {
	/** Short, stable name of the format. */
	readonly id: string;
	/** Includes the article: `a spec-kit workflow`. */
	readonly name: string;
	/** Complete sentences: how to get the same with this package. */
	readonly remedy: string;
}

interface Recogniser extends ForeignFormat {
	is(root: MapNode): boolean;
}

const asWorkflow =
	"Its own tool reads it, so leave it unchanged. To use it here, write `.pi/workflows/<name>/workflow.yaml` and one Markdown file per step.";
const asChronicle =
	"Its own tool reads it, so leave it unchanged. To use it here, write a template in `.pi/chronicle/workflows` with one state per step.";
const asAgents =
	"Its own tool reads it, so leave it unchanged. To use it here, write one Markdown file with front matter per agent in `.pi/agents`.";
const asRules = "Its own tool reads it, so leave it unchanged. `/guard init` writes a starter rule file.";
const asPrompt =
	"Its own tool reads it, so leave it unchanged. To use it here, write a prompt template in `.pi/prompts`; a sequence can send it.";
const asSkill = "pi reads skills from `.pi/skills`; a state or an agent names them under `skills`.";
const asIs = "Its own tool reads it, so leave it unchanged.";

/** The first match counts, so specific formats precede general ones. */
const formats: readonly Recogniser[] = [
	{
		id: "spec-kit",
		name: "a spec-kit workflow",
		remedy: asWorkflow,
		is: (root) =>
			hasAny(mapAt(root, "workflow"), "id", "name") && itemsAt(root, "steps").some((step) => has(step, "id")),
	},
	{
		id: "github-actions",
		name: "a GitHub Actions workflow",
		remedy: asIs,
		is: (root) => valuesAt(root, "jobs").some((job) => hasAny(job, "runs-on", "uses", "steps")),
	},
	{
		id: "agent-chain",
		name: "an agent chain file",
		remedy: asWorkflow,
		is: (root) => {
			const chains = valuesAt(root, "chains");
			return (
				everyValue(root, (chain) => everyItem(chain, "steps", "agent")) ||
				(chains.length > 0 && chains.every((chain) => everyItem(chain, "steps", "agent")))
			);
		},
	},
	{
		id: "pi-agents",
		name: "a pi-agents workflow",
		remedy: asChronicle,
		is: (root) => hasAny(mapAt(root, "flow"), "kind", "steps", "branches"),
	},
	{
		id: "pi-workflows",
		name: "a pi-workflows workflow",
		remedy: asChronicle,
		is: (root) => valuesAt(root, "steps").some((step) => has(step, "transitions")),
	},
	{
		id: "taskflow",
		name: "a taskflow",
		remedy: asWorkflow,
		is: (root) =>
			itemsAt(root, "phases").some(
				(phase) => hasAny(phase, "task", "agent", "type", "dependsOn", "over") && !has(phase, "subworkflow"),
			),
	},
	{
		id: "xstate",
		name: "an XState state machine",
		remedy: asChronicle,
		is: (root) => valuesAt(root, "states").some((state) => hasAny(state, "on", "invoke", "always")),
	},
	{
		id: "step-functions",
		name: "an AWS Step Functions state machine",
		remedy: asChronicle,
		is: (root) => has(root, "StartAt") && has(root, "States"),
	},
	{
		id: "node-graph",
		name: "a graph of a node editor",
		remedy: asChronicle,
		is: (root) => itemsAt(root, "nodes").length > 0 && hasAny(root, "edges", "connections", "links"),
	},
	{
		id: "crewai-agents",
		name: "a CrewAI agents file",
		remedy: asAgents,
		is: (root) => everyValue(root, (agent) => has(agent, "role") && has(agent, "goal")),
	},
	{
		id: "crewai-tasks",
		name: "a CrewAI tasks file",
		remedy: asWorkflow,
		is: (root) => everyValue(root, (task) => has(task, "description") && has(task, "expected_output")),
	},
	{
		id: "claude-settings",
		name: "a Claude Code settings file",
		remedy: asRules,
		is: (root) => hasAny(mapAt(root, "permissions"), "allow", "deny", "ask", "defaultMode"),
	},
	{
		id: "permissions",
		name: "a permissions file of another guard",
		remedy: asRules,
		is: (root) => ["permission", "permissions", "defaultPolicy"].some((key) => mapAt(root, key) !== undefined),
	},
	{
		id: "ae-project",
		name: "an Adventure Engine project file",
		remedy: asIs,
		is: (root) => mapAt(root, "project") !== undefined && hasAny(root, "architecture", "development", "chronicle"),
	},
];

/** Keys that other workflow tools use for the parts that this package lists under `phases` or `states`. */
const partKeys = ["steps", "flow", "stages", "nodes", "jobs", "tasks", "pipeline", "chain"];

/** The foreign format of a YAML or JSON file with this tree; `undefined` if nothing indicates another tool. */
export function foreignFormat(root: Node): ForeignFormat | undefined {
	if (root.kind !== "map" || hasAny(root, "commandName", "initialMessage")) return undefined;
	const found = formats.find((format) => format.is(root));
	if (found) return { id: found.id, name: found.name, remedy: found.remedy };
	if (has(root, "phases") || has(root, "states")) return undefined;
	const key = partKeys.find((name) => root.entries.get(name)?.value.kind !== "scalar" && has(root, name));
	if (key === undefined) return undefined;
	return { id: "unknown", name: `a workflow of another tool (it has \`${key}\`)`, remedy: asWorkflow };
}

/** The same for a Markdown file, by its front matter and body. `undefined`: it may be an agent or a phase of this package. */
export function foreignMarkdown(fields: MapNode | undefined, body: string): ForeignFormat | undefined {
	if (fields === undefined) return undefined;
	if (has(fields, "flow")) return { id: "pi-agents", name: "a pi-agents workflow", remedy: asChronicle };
	if (hasAny(fields, "globs", "alwaysApply")) return { id: "cursor-rule", name: "a Cursor rule", remedy: asIs };
	if (has(fields, "applyTo")) return { id: "copilot-instructions", name: "a Copilot instruction file", remedy: asIs };
	if (has(fields, "allowed-tools") && has(fields, "name")) return { id: "skill", name: "a skill", remedy: asSkill };
	const isCommand =
		hasAny(fields, "allowed-tools", "argument-hint") || (!has(fields, "name") && /\$(?:ARGUMENTS|[1-9@])/.test(body));
	if (!isCommand) return undefined;
	return { id: "command", name: "a Claude Code command, or a prompt template", remedy: asPrompt };
}

/** The problem that reports a file as another tool's. */
export function foreignProblem({ name, remedy }: ForeignFormat): Problem {
	return { code: foreignCode, message: `This is ${name}; it is not read.`, remedy };
}

/** The code of problems from `foreignProblem`. */
export const foreignCode = "foreign-format";

function has(node: Node | undefined, key: string): boolean {
	return node?.kind === "map" && node.entries.has(key);
}

function hasAny(node: Node | undefined, ...keys: readonly string[]): boolean {
	return keys.some((key) => has(node, key));
}

function mapAt(root: MapNode, key: string): MapNode | undefined {
	const value = root.entries.get(key)?.value;
	return value?.kind === "map" ? value : undefined;
}

function valuesAt(root: MapNode, key: string): Node[] {
	return [...(mapAt(root, key)?.entries.values() ?? [])].map(({ value }) => value);
}

function itemsAt(node: Node, key: string): readonly Node[] {
	const value = node.kind === "map" ? node.entries.get(key)?.value : undefined;
	return value?.kind === "list" ? value.items : [];
}

/** Whether `node` has a non-empty list `key` in which every item is an object with `field`. */
function everyItem(node: Node, key: string, field: string): boolean {
	const items = itemsAt(node, key);
	return items.length > 0 && items.every((item) => has(item, field));
}

/** Whether `root` has fields and all of them are objects that `is` accepts. */
function everyValue(root: MapNode, is: (value: MapNode) => boolean): boolean {
	const values = [...root.entries.values()].map(({ value }) => value);
	return values.length > 0 && values.every((value) => value.kind === "map" && is(value));
}
