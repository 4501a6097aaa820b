// Files that are already in this package's formats: copied to the folders that the package reads. Only missing agents are replaced by roles.
import { basename, dirname, extname, relative, sep } from "node:path";
import { isInside, readSource, type Source } from "../definition/index.ts";
import { filesOfWorkflow, loadCatalogue } from "../workflow/index.ts";
import {
	fileSlug,
	type ImportDraft,
	type ImportFile,
	type ImportNote,
	ImportRefusal,
	importNote,
	missingNote,
} from "./draft.ts";
import { isRecord, type Plain } from "./foreign-fields.ts";
import { ruleFilePath } from "./permissions.ts";
import { stemOf } from "./sources.ts";
import { templateDraft } from "./template-draft.ts";
import type { ImportTarget } from "./worker-fields.ts";

/** The workflow whose `workflow.yaml` is `file`; `root` contains the workflows and the shared phases. */
export function copyWorkflow(file: string, root: string): ImportDraft {
	const { definitions, rejected } = loadCatalogue({ globalRoot: root, projectRoot: undefined });
	const found = [...definitions.values()].find((definition) => definition.file === file);
	if (!found) {
		const problem = [...rejected.values()].find((each) => each.file === file)?.diagnostics[0];
		throw new ImportRefusal(problem ? `${problem.message} ${problem.remedy}` : "The workflow cannot be loaded.");
	}
	const parts = [...filesOfWorkflow(found, definitions)];
	const files = parts.map((path): ImportFile => {
		const way = relative(root, path).split(sep);
		if (way.includes("..")) throw new ImportRefusal(`${path} is outside the folder with the workflows.`);
		return { path: [".pi/workflows", ...way].join("/"), text: textOf(path) };
	});
	return { kind: "workflow", name: found.key, from: file, format: "a workflow", files, parts, notes: [], copied: true };
}

function textOf(file: string): string {
	const read = readSource(file);
	if (read.kind === "text") return read.source.text;
	throw new ImportRefusal(read.kind === "problem" ? read.diagnostic.message : `${file} does not exist.`);
}

/** A chronicle template, unchanged if all of its agents exist. */
export function copyTemplate(source: Source, root: Plain, target: ImportTarget): ImportDraft {
	const { file } = source;
	const [name, ending] = [fileSlug(basename(file, extname(file)), "template"), extname(file).toLowerCase()];
	const format = "a chronicle template";
	const missing = new Set<string>();
	const changed = withRoles(root, target, missing);
	if (missing.size === 0) {
		const files = [{ path: `.pi/chronicle/workflows/${name}${ending}`, text: source.text }];
		return { kind: "chronicle template", name, from: file, format, files, notes: [], copied: true };
	}
	const notes = [...missing].map(roleNote);
	if (!isRecord(changed) || !isRecord(changed.states)) throw new ImportRefusal("The template has no states.");
	const { states, ...rest } = changed;
	const listed = Object.entries(states).map(([state, fields]) => [state, isRecord(fields) ? fields : {}] as const);
	return { ...templateDraft({ name, head: rest, states: new Map(listed), from: file, format, notes }), copied: true };
}

/** The definition inside the record of a run of Adventure Engine; the run itself is not imported. */
export function templateOfRun({ file }: Source, root: Plain, target: ImportTarget): ImportDraft {
	const { workflowDef, workflowName, ...run } = isRecord(root) ? root : {};
	if (!isRecord(workflowDef) || !isRecord(workflowDef.states)) throw new ImportRefusal("The run has no definition.");
	const missing = new Set<string>();
	const { states, ...head } = workflowDef;
	const listed = Object.entries(isRecord(states) ? states : {}).map(
		([state, fields]) => [state, withRoles(isRecord(fields) ? fields : {}, target, missing)] as const,
	);
	const name = fileSlug(typeof workflowName === "string" ? workflowName : stemOf(file), "template");
	const notes = [importNote("", `the run itself: \`${Object.keys(run).join("`, `")}\``), ...[...missing].map(roleNote)];
	const records = listed.map(([state, fields]) => [state, isRecord(fields) ? fields : {}] as const);
	return templateDraft({ name, head, states: new Map(records), from: file, format: runFormat, notes });
}

const runFormat = "the record of a run of Adventure Engine";

function roleNote(agent: string): ImportNote {
	return missingNote("", "agent", agent);
}

/** The same with `persona` for every `agent` that does not exist. */
function withRoles(value: Plain, target: ImportTarget, missing: Set<string>): Plain {
	if (Array.isArray(value)) return value.map((item: Plain) => withRoles(item, target, missing));
	if (!isRecord(value)) return value;
	const entries = Object.entries(value).map(([key, field]): [string, Plain] => {
		if (key !== "agent" || typeof field !== "string" || target.agents.has(field.toLowerCase()))
			return [key, withRoles(field, target, missing)];
		missing.add(field);
		return ["persona", field];
	});
	return Object.fromEntries(entries);
}

export function copyTeams({ file, text }: Source): ImportDraft {
	const files = [{ path: ".pi/agents/teams.yaml", text }];
	return { kind: "team", name: "teams", from: file, format: "a teams file", files, notes: [], copied: true };
}

export function copyRules({ file, text }: Source): ImportDraft {
	const files = [{ path: ruleFilePath, text }];
	return {
		kind: "rule file",
		name: basename(ruleFilePath),
		from: file,
		format: "a rule file",
		files,
		notes: [],
		copied: true,
	};
}

/**
 * The folder of the workflows that `file` belongs to: the nearest parent folder named `workflows` within `given`, the folder of the import;
 * otherwise `given`, or the folder two levels up if `given` is not a parent folder of `file`.
 */
export function workflowsAbove(file: string, given: string): string {
	const above = dirname(dirname(file));
	for (let at = above; isInside(given, at); at = dirname(at)) if (basename(at) === "workflows") return at;
	return isInside(given, above) ? given : above;
}
