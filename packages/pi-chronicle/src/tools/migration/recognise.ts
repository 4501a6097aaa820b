// Recognizes the format of a file: data of this package or of another tool that converts without loss, or a definition that a plan converts.
import { basename, extname } from "node:path";
import {
	type Diagnostic,
	type ForeignFormat,
	foreignCommand,
	foreignFormat,
	foreignMarkdown,
	foreignSkill,
	type Node,
	parseData,
	parseFrontMatter,
	readSource,
	type Source,
} from "@pi-chronicle/core/definition";
import { readTaskList } from "@pi-chronicle/core/tasks";
import { quoteTextFields } from "../../persona/index.ts";
import { readRules } from "../../safety/index.ts";
import { importAgent } from "./agents.ts";
import { workflowOfCommand } from "./commands.ts";
import { fileSlug, type ImportDraft, type ImportTarget } from "./draft.ts";
import { copyFile, copyTemplate, copyWorkflow, templateOfRun, workflowsAbove } from "./native.ts";
import { importPermissions, ruleFilePath } from "./permissions.ts";
import { ImportRefusal, type PlainRecord, plainList, plainValue, recordOf } from "./plain-value.ts";
import { type ImportSources, stemOf } from "./sources.ts";
import { tomlTexts } from "./toml-texts.ts";

export type Recognition =
	| {
			readonly kind: "made";
			/** Agents are converted before the definitions that may name them. */
			readonly order: "agent" | "other";
			/** `prefix`: put before its name, because another file becomes a definition of the same name; else empty. */
			make(target: ImportTarget, prefix: string): ImportDraft;
	  }
	/** Another tool's file. */
	| { readonly kind: "foreign"; readonly format: Pick<ForeignFormat, "name" | "use"> }
	| { readonly kind: "broken"; readonly problem: Diagnostic }
	| { readonly kind: "unknown" };

type Make = Extract<Recognition, { kind: "made" }>["make"];

/** Recognizes a file. Throws an `ImportRefusal` if it cannot be converted. */
export function recognise(file: string, sources: ImportSources): Recognition {
	const ending = extname(file).toLowerCase();
	if (ending === ".jsonl")
		throw new ImportRefusal("This is a session. `/sequence save <name>` in that session saves its recorded sequence.");
	const read = readSource(file);
	if (read.kind === "absent") return { kind: "unknown" };
	if (read.kind === "problem") return { kind: "broken", problem: read.diagnostic };
	if (ending === ".mdc") return { kind: "foreign", format: { name: "a Cursor rule", use: "nothing" } };
	if (ending === ".toml") return recogniseToml(read.source);
	return ending === ".md" ? recogniseMarkdown(read.source, sources) : recogniseData(read.source, sources);
}

function recogniseToml({ file, text }: Source): Recognition {
	const { prompt, developer_instructions: instructions, ...fields } = tomlTexts(text);
	if (prompt !== undefined && isCommandPath.test(file)) {
		const body = prompt.replaceAll("{{args}}", "$ARGUMENTS");
		return made((_, prefix) => workflowOfCommand(file, prefix + stemOf(file), fields, body, "a Gemini CLI command"));
	}
	if (instructions === undefined) return { kind: "unknown" };
	return { kind: "foreign", format: { name: "an agent of Codex", use: "plan" } };
}

function made(make: Make, order: "agent" | "other" = "other"): Recognition {
	return { kind: "made", order, make };
}

function recogniseData(source: Source, sources: ImportSources): Recognition {
	const { file } = source;
	const { root, diagnostics } = parseData(source);
	const [problem] = diagnostics.filter(({ severity }) => severity === "error");
	if (problem) return { kind: "broken", problem };
	if (/^tasks\.json$/i.test(basename(file))) refuseTaskList(source);
	if (root?.kind !== "map") return { kind: "unknown" };
	const has = (key: string): boolean => root.entries.has(key);
	if (isSequence(root)) {
		const path = (prefix: string): string => `.pi/sequences/${fileSlug(prefix + stemOf(file), "sequence")}.yaml`;
		return made((_, prefix) => copyFile(source, "sequence", path(prefix), "a saved sequence"));
	}
	const format = foreignFormat(root);
	if (format?.use === "import") return made(() => importPermissions(file, format.name, recordOf(plainValue(root))));
	if (format) return { kind: "foreign", format };
	if (has("workflowDef")) return made((target) => templateOfRun(source, plainValue(root), target));
	if (has("states")) return made((target, prefix) => copyTemplate(source, plainValue(root), target, prefix));
	if (basename(file) === "workflow.yaml" && has("phases"))
		return made(() => copyWorkflow(file, workflowsAbove(file, sources.folder)));
	if (/^teams\.ya?ml$/i.test(basename(file)))
		return made(() => copyFile(source, "team", ".pi/agents/teams.yaml", "a teams file"));
	const rules = readRules([{ file, tier: "project", base: sources.folder }], process.platform);
	const [{ dialect, count } = { dialect: "unknown", count: 0 }] = rules.files;
	if (dialect === "unknown" || count === 0) return { kind: "unknown" };
	return made(() => copyFile(source, "rule file", ruleFilePath, "a rule file"));
}

/** Whether the steps are all texts. */
function isSequence(root: Node): boolean {
	if (root.kind !== "map" || root.entries.get("steps")?.value.kind !== "list") return false;
	const steps = plainList(recordOf(plainValue(root)).steps);
	return steps.length > 0 && steps.every((step) => typeof step === "string");
}

const isCommandPath = /[\\/](?:commands|prompts|\.opencode[\\/]command|\.windsurf[\\/]workflows)[\\/]/;
const isAgentPath = /[\\/](?:agents?|chatmodes)[\\/]/;

function recogniseMarkdown(written: Source, sources: ImportSources): Recognition {
	const { file } = written;
	const source = quoteTextFields(written);
	const { fields, body, diagnostics } = parseFrontMatter(source, "optional");
	const [problem] = diagnostics.filter(({ severity }) => severity === "error");
	if (problem) return { kind: "broken", problem };
	const values = fields ? recordOf(plainValue(fields)) : {};
	const isAlone = sources.kind === "file";
	if (/^tasks\.md$/i.test(basename(file))) refuseTaskList(written);
	const format = basename(file).toLowerCase() === "skill.md" ? foreignSkill : foreignMarkdown(fields, body);
	// pi reads skills itself.
	if (format === foreignSkill) return { kind: "foreign", format: { ...format, use: isAlone ? "plan" : "nothing" } };
	if (format === foreignCommand || (format === undefined && isCommandPath.test(file)))
		return made((_, prefix) => workflowOfCommand(file, prefix + stemOf(file), values, body));
	if (format) return { kind: "foreign", format };
	if (["id", "name", "emoji"].every((key) => key in values)) return phaseAlone(sources);
	const agent = recogniseAgent(source, values, sources);
	if (agent.kind === "unknown" && isAlone) refuseTaskList(written);
	return agent;
}

/** Throws if a file is a list with open tasks: a template reads it where it is. */
function refuseTaskList({ text }: Source): void {
	const read = readTaskList(text);
	if ("items" in read && read.items.length > 0 && read.items.every((item) => typeof item === "object"))
		throw new ImportRefusal("This is a task list. A state of a template does its tasks: `for_each: { file: <path> }`.");
}

function recogniseAgent({ file, text }: Source, fields: PlainRecord, { kind }: ImportSources): Recognition {
	const has = (...keys: string[]): boolean => keys.some((key) => key in fields) && !("emoji" in fields);
	const isPlaced = kind === "file" || isAgentPath.test(file);
	if (!isPlaced && has("tools", "model") && has("name", "description"))
		throw new ImportRefusal(
			"This looks like an agent, but it does not lie in a folder called `agents`. To import it, name the file alone.",
		);
	if (!isPlaced || !has("description", "tools", "model", ...(kind === "file" ? ["name"] : [])))
		return { kind: "unknown" };
	const input = { from: file, fields, text, stem: stemOf(file) };
	return made((_, prefix) => importAgent({ ...input, prefix }), "agent");
}

/** A phase is imported with a workflow that lists it. */
function phaseAlone({ kind }: ImportSources): Recognition {
	if (kind === "folder")
		return { kind: "foreign", format: { name: "a phase that none of these workflows lists", use: "nothing" } };
	throw new ImportRefusal(
		"This is one phase of a workflow. Name the `workflow.yaml` that lists it, or the folder that has both.",
	);
}
