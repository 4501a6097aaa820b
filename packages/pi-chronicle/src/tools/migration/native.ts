// Files that are already in this package's formats: copied to the folders that the package reads. Only missing agents are replaced by roles.
import { basename, dirname, extname, relative, sep } from "node:path";
import { isInside, readSource, type Source } from "@pi-chronicle/core/definition";
import { stringify } from "yaml";
import { filesOfWorkflow, loadCatalogue } from "../../workflow/index.ts";
import { fileSlug, type ImportDraft, type ImportFile, type ImportTarget, importNote, originComment } from "./draft.ts";
import { ImportRefusal, isPlainRecord, type Plain, recordOf } from "./plain-value.ts";

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
		return { path: [".pi/workflows", ...way].join("/"), text: sourceText(path) };
	});
	return { kind: "workflow", name: found.key, from: file, format: "a workflow", files, parts, notes: [], copied: true };
}

function sourceText(file: string): string {
	const read = readSource(file);
	if (read.kind === "text") return read.source.text;
	throw new ImportRefusal(read.kind === "problem" ? read.diagnostic.message : `${file} does not exist.`);
}

/** A chronicle template, unchanged if all of its agents exist. */
export function copyTemplate(source: Source, root: Plain, target: ImportTarget, prefix: string): ImportDraft {
	const { file } = source;
	const ending = extname(file).toLowerCase();
	const name = fileSlug(prefix + basename(file, extname(file)), "template");
	const draft = templateDraft(file, "a chronicle template", name, root, target, []);
	if (draft.notes.length > 0) return { ...draft, copied: true };
	return { ...draft, files: [{ path: `.pi/chronicle/workflows/${name}${ending}`, text: source.text }], copied: true };
}

/** The definition inside the record of a run of Adventure Engine; the run itself is not imported. */
export function templateOfRun({ file }: Source, root: Plain, target: ImportTarget): ImportDraft {
	const { workflowDef, workflowName, ...run } = recordOf(root);
	const name = fileSlug(typeof workflowName === "string" ? workflowName : basename(file, extname(file)), "template");
	const notes = [`the run itself: \`${Object.keys(run).join("`, `")}\``];
	return templateDraft(file, "the record of a run of Adventure Engine", name, recordOf(workflowDef), target, notes);
}

/** A template with `persona` for every `agent` that does not exist. */
function templateDraft(
	from: string,
	format: string,
	name: string,
	root: Plain,
	{ agents }: ImportTarget,
	known: readonly string[],
): ImportDraft {
	const missing = new Set<string>();
	const withRoles = (value: Plain): Plain => {
		if (Array.isArray(value)) return value.map(withRoles);
		if (!isPlainRecord(value)) return value;
		const entries = Object.entries(value).map(([key, field]): [string, Plain] => {
			if (key !== "agent" || typeof field !== "string" || agents.has(field.toLowerCase()))
				return [key, withRoles(field)];
			missing.add(field);
			return ["persona", field];
		});
		return Object.fromEntries(entries);
	};
	const content = withRoles(root);
	const absent = [...missing].map((agent) => `\`${agent}\``).join(", ");
	const roles = missing.size === 0 ? [] : [`agents that do not exist here, used as roles in words: ${absent}`];
	const notes = [...known, ...roles].map(importNote);
	const text = originComment({ from, format, notes }) + stringify(content, { aliasDuplicateObjects: false });
	const files = [{ path: `.pi/chronicle/workflows/${name}.yaml`, text }];
	return { kind: "chronicle template", name, from, format, files, notes };
}

/** A file that is read unchanged at `path`, relative to a project. */
export function copyFile({ file, text }: Source, kind: ImportDraft["kind"], path: string, format: string): ImportDraft {
	return {
		kind,
		name: basename(path, extname(path)),
		from: file,
		format,
		files: [{ path, text }],
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
