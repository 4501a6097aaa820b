// Recognizes files of other tools by their structure, so that diagnostics can identify them and name the command that helps.
// Pure. A file in one of this package's formats is never recognized as another tool's; a remedy never asks the user to change or
// delete the file, because its own tool reads it.
import { parseFrontMatter } from "./front-matter.ts";
import type { MapNode, Node } from "./node.ts";
import type { Problem } from "./report.ts";
import type { Source } from "./source.ts";
import { parseData } from "./yaml.ts";

/** The format of another tool's file. */
export interface ForeignFormat {
	/** Includes the article: `a spec-kit workflow`. */
	readonly name: string;
	/** What turns it into a definition of this package: the command `import`, a plan that a model drafts from it, or nothing. */
	readonly use: "import" | "plan" | "nothing";
	/** Complete sentences: how to get the same with this package. */
	readonly remedy: string;
}

const remedies: Readonly<Record<ForeignFormat["use"], string>> = {
	import:
		"Its own tool reads it, so leave it unchanged. `pi-chronicle import <this file>` converts it for this project.",
	plan: "Its own tool reads it, so leave it unchanged. `/plan <this file>` drafts a definition from it, checked and rehearsed.",
	nothing: "Its own tool reads it, so leave it unchanged.",
};

/**
 * The name, the use, and the signs that a file must all have. A sign is a path of keys: `a|b` is any of these keys, `*` every value, of which
 * there must be one, and `?` some value.
 */
type FormatRow = readonly [name: string, use: ForeignFormat["use"], ...signs: string[]];

/** The first match counts, so specific formats precede general ones. */
const formats: readonly FormatRow[] = [
	["a spec-kit workflow", "plan", "workflow.id|name", "steps.?.id"],
	["a GitHub Actions workflow", "nothing", "jobs.?.runs-on|uses|steps"],
	["an agent chain file", "plan", "*.steps.*.agent"],
	["an agent chain file", "plan", "chains.*.steps.*.agent"],
	["a pi-agents workflow", "plan", "flow.kind|steps|branches"],
	["a pi-workflows workflow", "plan", "steps.?.transitions"],
	["a taskflow", "plan", "phases.?.task|agent|type|dependsOn|over"],
	["an XState state machine", "plan", "states.?.on|invoke|always"],
	["an AWS Step Functions state machine", "plan", "StartAt", "States"],
	["a graph of a node editor", "plan", "nodes.?", "edges|connections|links"],
	["a CrewAI agents file", "plan", "*.role", "*.goal"],
	["a CrewAI tasks file", "plan", "*.description", "*.expected_output"],
	["a Claude Code settings file", "import", "permissions.allow|deny|ask|defaultMode"],
	["a permissions file of another guard", "import", "permission|permissions|defaultPolicy.?"],
	["a file of Roo modes", "plan", "customModes.?.slug"],
	["an OpenCode configuration with agents or commands", "plan", "agent|command|mode.?.prompt|template"],
	["an agent of Kiro", "plan", "name", "prompt", "tools|allowedTools|resources"],
	["an Adventure Engine project file", "nothing", "project.?", "architecture|development|chronicle"],
];

/** Keys that other workflow tools use for the parts that this package lists under `phases` or `states`. */
const partKeys = ["steps", "flow", "stages", "nodes", "jobs", "tasks", "pipeline", "chain"];

/** The foreign format of a YAML or JSON file with this tree; `undefined` if nothing indicates another tool. */
export function foreignFormat(root: Node): ForeignFormat | undefined {
	if (root.kind !== "map" || hasAny(root, "commandName", "initialMessage")) return undefined;
	const [name, use] = formats.find(([, , ...signs]) => signs.every((sign) => bears(root, sign.split(".")))) ?? [];
	if (name !== undefined && use !== undefined) return formatOfRow(name, use);
	if (hasAny(root, "phases", "states")) return undefined;
	const key = partKeys.find((part) => root.entries.has(part) && root.entries.get(part)?.value.kind !== "scalar");
	return key === undefined ? undefined : formatOfRow(`a workflow of another tool (it has \`${key}\`)`, "plan");
}

/** The same for a Markdown file, by its front matter and body. `undefined`: it may be an agent or a phase of this package. */
export function foreignMarkdown(fields: MapNode | undefined, body: string): ForeignFormat | undefined {
	if (fields === undefined) return undefined;
	const has = (...keys: string[]): boolean => hasAny(fields, ...keys);
	if (has("flow")) return formatOfRow("a pi-agents workflow", "plan");
	if (has("globs", "alwaysApply")) return formatOfRow("a Cursor rule", "nothing");
	if (has("applyTo")) return formatOfRow("a Copilot instruction file", "nothing");
	if (has("allowed-tools") && has("name")) return foreignSkill;
	const isCommand = has("allowed-tools", "argument-hint") || (!has("name") && /\$(?:ARGUMENTS|[1-9@])/.test(body));
	return isCommand ? foreignCommand : undefined;
}

/** The foreign format of a file, by its extension and content. */
export function foreignFile(source: Source): ForeignFormat | undefined {
	if (/\.md$/i.test(source.file)) {
		const { fields, body } = parseFrontMatter(source, "optional");
		return foreignMarkdown(fields, body);
	}
	const root = /\.(?:ya?ml|jsonc?)$/i.test(source.file) ? parseData(source).root : undefined;
	return root && foreignFormat(root);
}

export const foreignCommand = formatOfRow("a Claude Code command, or a prompt template", "import");
export const foreignSkill: ForeignFormat = {
	name: "a skill",
	use: "plan",
	remedy: "pi reads skills from `.pi/skills`; a state or an agent names them under `skills`.",
};

/** The problem that reports a file as another tool's. */
export function foreignProblem({ name, remedy }: ForeignFormat): Problem {
	return { code: foreignCode, message: `This is ${name}; it is not read.`, remedy };
}

/** The code of problems from `foreignProblem`. */
export const foreignCode = "foreign-format";

function formatOfRow(name: string, use: ForeignFormat["use"]): ForeignFormat {
	return { name, use, remedy: remedies[use] };
}

function bears(node: Node, [key, ...rest]: readonly string[]): boolean {
	if (key === undefined) return true;
	const inner =
		node.kind === "list" ? node.items : node.kind === "map" ? [...node.entries.values()].map(({ value }) => value) : [];
	if (key === "*") return inner.length > 0 && inner.every((each) => bears(each, rest));
	if (key === "?") return inner.some((each) => bears(each, rest));
	return node.kind === "map" && key.split("|").some((name) => bearsAt(node, name, rest));
}

function bearsAt({ entries }: MapNode, name: string, rest: readonly string[]): boolean {
	const entry = entries.get(name);
	return entry !== undefined && bears(entry.value, rest);
}

function hasAny({ entries }: MapNode, ...keys: readonly string[]): boolean {
	return keys.some((key) => entries.has(key));
}
