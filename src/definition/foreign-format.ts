// Files of other tools that lie where this package looks: recognised by their shape, so that they are named for what they are and left alone.
// Pure. R1 a file in one of this package's own formats is never recognised as another tool's; R2 advice never asks to change or delete the
// file: its own tool reads it.
import type { MapNode, Node } from "./node.ts";
import type { Problem } from "./report.ts";

/** What a file is, where it is another tool's. */
export interface ForeignFormat {
	/** With its article: `a workflow of spec-kit`. */
	readonly name: string;
	/** Whole sentences: what can be done to have the same here. */
	readonly remedy: string;
}

interface Recogniser extends ForeignFormat {
	is(root: MapNode): boolean;
}

const asWorkflow =
	"Its own tool reads it, so leave it as it is. For the same here, write `.pi/workflows/<name>/workflow.yaml` and one Markdown file for each step.";
const asChronicle =
	"Its own tool reads it, so leave it as it is. For the same here, write a template in `.pi/chronicle/workflows` with a state for each step.";
const asAgents =
	"Its own tool reads it, so leave it as it is. For the same here, write one Markdown file with front matter for each agent in `.pi/agents`.";
const asRules =
	"Its own tool reads it, so leave it as it is. For the same here, `/guard init` writes a rule file to begin with.";
const asPrompt =
	"Its own tool reads it, so leave it as it is. For the same here, write a prompt template in `.pi/prompts`; a sequence can send it.";
const asSkill = "pi reads skills from `.pi/skills`; a state or an agent names them under `skills`.";
const asIs = "Its own tool reads it, so leave it as it is.";

/** The first that fits counts: the narrow ones come before the wide ones. */
const formats: readonly Recogniser[] = [
	{
		name: "a workflow of spec-kit",
		remedy: asWorkflow,
		is: (root) =>
			hasAny(mapAt(root, "workflow"), "id", "name") && itemsAt(root, "steps").some((step) => has(step, "id")),
	},
	{
		name: "a workflow of GitHub Actions",
		remedy: asIs,
		is: (root) => valuesAt(root, "jobs").some((job) => hasAny(job, "runs-on", "uses", "steps")),
	},
	{
		name: "a file of agent chains",
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
		name: "a workflow of pi-agents",
		remedy: asChronicle,
		is: (root) => hasAny(mapAt(root, "flow"), "kind", "steps", "branches"),
	},
	{
		name: "a workflow of pi-workflows",
		remedy: asChronicle,
		is: (root) => valuesAt(root, "steps").some((step) => has(step, "transitions")),
	},
	{
		name: "a taskflow",
		remedy: asWorkflow,
		is: (root) =>
			itemsAt(root, "phases").some(
				(phase) => hasAny(phase, "task", "agent", "type", "dependsOn", "over") && !has(phase, "subworkflow"),
			),
	},
	{
		name: "a state machine of XState",
		remedy: asChronicle,
		is: (root) => valuesAt(root, "states").some((state) => hasAny(state, "on", "invoke", "always")),
	},
	{
		name: "a state machine of AWS Step Functions",
		remedy: asChronicle,
		is: (root) => has(root, "StartAt") && has(root, "States"),
	},
	{
		name: "a graph of a node editor",
		remedy: asChronicle,
		is: (root) => itemsAt(root, "nodes").length > 0 && hasAny(root, "edges", "connections", "links"),
	},
	{
		name: "a file of CrewAI agents",
		remedy: asAgents,
		is: (root) => everyValue(root, (agent) => has(agent, "role") && has(agent, "goal")),
	},
	{
		name: "a file of CrewAI tasks",
		remedy: asWorkflow,
		is: (root) => everyValue(root, (task) => has(task, "description") && has(task, "expected_output")),
	},
	{
		name: "a settings file of Claude Code",
		remedy: asRules,
		is: (root) => hasAny(mapAt(root, "permissions"), "allow", "deny", "ask", "defaultMode"),
	},
	{
		name: "a file of permissions for another guard",
		remedy: asRules,
		is: (root) => ["permission", "permissions", "defaultPolicy"].some((key) => mapAt(root, key) !== undefined),
	},
	{
		name: "a project file of Adventure Engine",
		remedy: asIs,
		is: (root) => mapAt(root, "project") !== undefined && hasAny(root, "architecture", "development", "chronicle"),
	},
];

/** Keys under which other workflow tools list what this package lists under `phases` or `states`. */
const partKeys = ["steps", "flow", "stages", "nodes", "jobs", "tasks", "pipeline", "chain"];

/** What another tool's file of data (YAML, JSON) with this tree is; `undefined` where nothing says that it is another tool's. */
export function foreignFormat(root: Node): ForeignFormat | undefined {
	if (root.kind !== "map" || hasAny(root, "commandName", "initialMessage")) return undefined;
	const found = formats.find((format) => format.is(root));
	if (found) return { name: found.name, remedy: found.remedy };
	if (has(root, "phases") || has(root, "states")) return undefined;
	const key = partKeys.find((name) => root.entries.get(name)?.value.kind !== "scalar" && has(root, name));
	return key === undefined ? undefined : { name: `a workflow of another tool (it has \`${key}\`)`, remedy: asWorkflow };
}

/** The same of a Markdown file, by the fields of its front matter and the text below. `undefined`: it may be an agent of ours, or a phase. */
export function foreignMarkdown(fields: MapNode | undefined, body: string): ForeignFormat | undefined {
	if (fields === undefined) return undefined;
	if (has(fields, "flow")) return { name: "a workflow of pi-agents", remedy: asChronicle };
	if (hasAny(fields, "globs", "alwaysApply")) return { name: "a rule of Cursor", remedy: asIs };
	if (has(fields, "applyTo")) return { name: "an instruction file of Copilot", remedy: asIs };
	if (has(fields, "allowed-tools") && has(fields, "name")) return { name: "a skill", remedy: asSkill };
	const isCommand =
		hasAny(fields, "allowed-tools", "argument-hint") || (!has(fields, "name") && /\$(?:ARGUMENTS|[1-9@])/.test(body));
	return isCommand ? { name: "a command of Claude Code, or a prompt template", remedy: asPrompt } : undefined;
}

/** Says of a file in one of our places that it is another tool's. */
export function foreignProblem({ name, remedy }: ForeignFormat): Problem {
	return { code: foreignCode, message: `This is ${name}, which is not read here.`, remedy };
}

/** The code of the diagnostics that `foreignProblem` makes. */
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

/** Whether `node` has a list `key` with something in it, each item a group with `field`. */
function everyItem(node: Node, key: string, field: string): boolean {
	const items = itemsAt(node, key);
	return items.length > 0 && items.every((item) => has(item, field));
}

/** Whether `root` has fields, and every one is a group that `is` accepts. */
function everyValue(root: MapNode, is: (value: MapNode) => boolean): boolean {
	const values = [...root.entries.values()].map(({ value }) => value);
	return values.length > 0 && values.every((value) => value.kind === "map" && is(value));
}
