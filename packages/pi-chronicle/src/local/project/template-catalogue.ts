// Finds chronicle templates: their files, their owners, and which of them load.
// An invalid file does not hide a valid one: of files with the same name, the first that loads is selected, and skipped ones are reported; the
// project's precede the user's, JSON precedes YAML; a project's are read only if the user trusts it; the package's own are selected only by names that no
// file of project or user has, whether or not it loads or may be read.
import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import {
	type Diagnostic,
	openReport,
	quoted,
	readSource,
	sortDiagnostics,
	systemWords,
} from "@pi-chronicle/core/definition";
import { readTemplate, type StatePlan, type Template } from "@pi-chronicle/core/template";
import { keyOf, type TemplateFolders, templateFiles } from "./template-files.ts";

export interface FoundTemplate extends ReturnType<typeof readTemplate> {
	/** File name without its extension: the template's name in commands. */
	readonly key: string;
	readonly tier: "project" | "personal" | "shipped";
	/** Absolute. */
	readonly file: string;
}

/** The template that a name selects. */
export type SelectedTemplate = FoundTemplate & {
	/** Files with its name that have precedence but do not load. */
	readonly inPlaceOf: readonly string[];
};

export interface TemplateCatalogue {
	/** By key: the project's and the user's, sorted, then the package's. */
	readonly templates: ReadonlyMap<string, SelectedTemplate>;
	/** Every file of the project and the user, including those that no name selects. */
	readonly files: readonly FoundTemplate[];
	/** All problems, sorted. */
	readonly diagnostics: readonly Diagnostic[];
}

const maxBytes = 256_000;

/** Reads all templates. Never throws. */
export function readTemplates({ project, personal, shipped, unread }: TemplateFolders): TemplateCatalogue {
	const all = withOuterStates([
		...(project === undefined ? [] : readTemplateFolder(project, "project")),
		...readTemplateFolder(personal, "personal"),
	]);
	const templates = new Map<string, SelectedTemplate>();
	const files: FoundTemplate[] = [];
	for (const key of [...new Set(all.map((found) => found.key))].sort()) {
		const named = all.filter((found) => found.key === key);
		const meant = named.find(({ read }) => read !== undefined) ?? named[0];
		if (!meant) continue;
		const before = named.slice(0, named.indexOf(meant));
		templates.set(key, { ...meant, inPlaceOf: before.map(({ file }) => file) });
		files.push(
			...named.map((found) => (found !== meant && !before.includes(found) ? withoutUse(found, meant) : found)),
		);
	}
	const unreadKeys = unread === undefined ? [] : templateFiles(unread).map(keyOf);
	for (const found of shipped === undefined ? [] : readTemplateFolder(shipped, "shipped"))
		if (!templates.has(found.key) && !unreadKeys.includes(found.key))
			templates.set(found.key, { ...found, inPlaceOf: [] });
	const folders = [...(project === undefined ? [] : [project]), personal].flatMap(folderProblem);
	return {
		templates,
		files,
		diagnostics: sortDiagnostics([...folders, ...files.flatMap(({ diagnostics }) => diagnostics)]),
	};
}

/** The templates, with references to data of the templates that run them. */
function withOuterStates(all: readonly FoundTemplate[]): readonly FoundTemplate[] {
	if (!all.some(hasBadReference)) return all;
	const plans = new Map(
		all.flatMap(({ key, read, partial }) => {
			const plan = read?.template ?? partial;
			return plan ? [[key, plan] as const] : [];
		}),
	);
	return all.map((found) => {
		const outer = hasBadReference(found) ? outerStates(found.key, plans) : [];
		return (outer.length > 0 && readTemplateFile(found.file, found.tier, outer)) || found;
	});
}

function hasBadReference({ diagnostics }: FoundTemplate): boolean {
	return diagnostics.some(({ code }) => code === "bad-reference");
}

/** Warns about a file that another one of the same name in the same folder hides. A project's file may hide the user's. */
function withoutUse(found: FoundTemplate, meant: FoundTemplate): FoundTemplate {
	if (found.tier !== meant.tier) return found;
	const message = `${quoted(basename(meant.file))} has the same name, so this file is ignored.`;
	return withWarning(found, { code: "same-name", message, remedy: "Rename one of them." });
}

function withWarning(
	found: FoundTemplate,
	problem: Parameters<ReturnType<typeof openReport>["warn"]>[1],
): FoundTemplate {
	const report = openReport();
	report.add(found.diagnostics);
	report.warn({ file: found.file }, problem);
	return { ...found, diagnostics: report.diagnostics };
}

/** Reads one file as a template; `undefined` if it does not exist. `outer`: states of the templates that run it as a child. */
export function readTemplateFile(
	file: string,
	tier: FoundTemplate["tier"],
	outer: readonly string[] = [],
): FoundTemplate | undefined {
	const key = keyOf(file);
	const source = readSource(file, { maxBytes: maxBytes });
	switch (source.kind) {
		case "absent":
			return undefined;
		case "problem":
			return { key, tier, file, read: undefined, diagnostics: [source.diagnostic] };
		case "text": {
			const { diagnostics, ...read } = readTemplate(source.source, key, outer);
			return { key, tier, file, ...read, diagnostics: sortDiagnostics(diagnostics) };
		}
	}
}

function readTemplateFolder(folder: string, tier: FoundTemplate["tier"]): FoundTemplate[] {
	return templateFiles(folder)
		.flatMap((name) => readTemplateFile(join(folder, name), tier) ?? [])
		.map(withNameable);
}

function withNameable(found: FoundTemplate): FoundTemplate {
	if (!/\s/.test(found.key)) return found;
	const message = `The name ${quoted(found.key)} contains a space, so no command can name it.`;
	return withWarning(found, { code: "bad-name", message, remedy: "Rename the file." });
}

/** Why an existing folder gives no templates. */
function folderProblem(folder: string): Diagnostic[] {
	try {
		readdirSync(folder);
		return [];
	} catch (error) {
		const { code = "unknown" } = error as NodeJS.ErrnoException;
		if (code === "ENOENT") return [];
		const message = `The templates cannot be read (${systemWords(code)}).`;
		return [{ severity: "error", code: "no-folder", file: folder, message, remedy: "Make it a readable folder." }];
	}
}

/** Names of the states that hand over data, of the templates around `name`. `templates`: all, by name. */
function outerStates(name: string, templates: ReadonlyMap<string, Template>): readonly string[] {
	const around = new Set([name]);
	for (const inner of around)
		for (const [key, template] of templates) if (namedChildren(template).includes(inner)) around.add(key);
	around.delete(name);
	const states = [...around].flatMap((key) => statesIn(templates.get(key)));
	return [...new Set(states.filter(({ output, children }) => output ?? children).map((state) => state.name))];
}

/** The names of the templates that the children of a template run. */
function namedChildren(template: Template): readonly string[] {
	return statesIn(template).flatMap(({ children }) =>
		(children?.branches ?? []).flatMap(({ template: of }) => (of.kind === "named" ? [of.name] : [])),
	);
}

/** The states of a template and of its inline templates. */
function statesIn(template: Template | undefined): readonly StatePlan[] {
	return [...(template?.states.values() ?? [])].flatMap((state) => [
		state,
		...(state.children?.branches ?? []).flatMap(({ template: of }) =>
			of.kind === "inline" ? statesIn(of.template) : [],
		),
	]);
}
