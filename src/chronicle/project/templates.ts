// Finding chronicle templates: which files there are, whose they are, which of them load.
// S1 a bad file hides no good one, except the one of its own name: a person who wrote it must not get another in its place;
// S2 the project's wins over the person's; S3 a project's are read only where the person trusts it.
import { readdirSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { type Diagnostic, openReport, quoted, readSource, sortDiagnostics } from "../../definition/index.ts";
import { readTemplate, type Template } from "../template/index.ts";

export interface TemplateFolders {
	/** `undefined` where the project has none or is not trusted. */
	readonly project: string | undefined;
	readonly personal: string;
}

export interface FoundTemplate {
	/** Name of the file without its ending: what commands call it. */
	readonly key: string;
	readonly tier: "project" | "personal";
	/** Absolute. */
	readonly file: string;
	/** `undefined` where it does not load; then `diagnostics` has an error. */
	readonly read: { readonly template: Template; readonly definition: unknown; readonly hash: string } | undefined;
	readonly diagnostics: readonly Diagnostic[];
}

export interface TemplateShelf {
	/** By key, in the order of the keys. Each is the one that its key means. */
	readonly templates: ReadonlyMap<string, FoundTemplate>;
	/** Everything that is wrong anywhere, sorted. */
	readonly diagnostics: readonly Diagnostic[];
}

const endings = [".json", ".jsonc", ".json5", ".yaml", ".yml"];
const mostBytes = 256_000;

/** Where templates lie: `.pi/chronicle/workflows` of a trusted project, and `chronicle/workflows` below pi's agent folder. */
export function templateFolders(place: { cwd: string; agentFolder: string; trusted: boolean }): TemplateFolders {
	return {
		project: place.trusted ? join(place.cwd, ".pi", "chronicle", "workflows") : undefined,
		personal: join(place.agentFolder, "chronicle", "workflows"),
	};
}

/** Reads all templates. Never throws. */
export function readTemplates({ project, personal }: TemplateFolders): TemplateShelf {
	const found = [...readFolder(personal, "personal"), ...(project === undefined ? [] : readFolder(project, "project"))];
	const templates = new Map<string, FoundTemplate>();
	// The project's come last and take the place of the person's.
	for (const template of found) templates.set(template.key, template);
	return {
		templates: new Map([...templates].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))),
		diagnostics: sortDiagnostics(found.flatMap(({ diagnostics }) => diagnostics)),
	};
}

/** Reads one file as a template; `undefined` where there is none. */
export function readTemplateFile(file: string, tier: FoundTemplate["tier"]): FoundTemplate | undefined {
	const key = basename(file, extname(file));
	const source = readSource(file, { maxBytes: mostBytes });
	switch (source.kind) {
		case "absent":
			return undefined;
		case "problem":
			return { key, tier, file, read: undefined, diagnostics: [source.diagnostic] };
		case "text": {
			const { read, diagnostics } = readTemplate(source.source, key);
			return { key, tier, file, read, diagnostics };
		}
	}
}

function readFolder(folder: string, tier: FoundTemplate["tier"]): FoundTemplate[] {
	const names = listFolder(folder).filter(
		(name) => !name.startsWith(".") && endings.includes(extname(name).toLowerCase()),
	);
	const byKey = new Map<string, FoundTemplate>();
	for (const name of names.sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))) {
		const found = readTemplateFile(join(folder, name), tier);
		if (!found) continue;
		const first = byKey.get(found.key);
		const report = openReport();
		report.add(found.diagnostics);
		if (first)
			report.warn(
				{ file: found.file },
				{
					code: "same-name",
					message: `${quoted(basename(first.file))} has the same name, so this file is not used.`,
					remedy: "Rename one of them.",
				},
			);
		if (/\s/.test(found.key))
			report.warn(
				{ file: found.file },
				{
					code: "bad-name",
					message: `The name ${quoted(found.key)} contains a blank, so no command can name it.`,
					remedy: "Rename the file.",
				},
			);
		if (first) byKey.set(first.key, { ...first, diagnostics: [...first.diagnostics, ...report.diagnostics] });
		else byKey.set(found.key, { ...found, diagnostics: report.diagnostics });
	}
	return [...byKey.values()];
}

/** JSON comes before YAML where both have one name. */
function rank(name: string): number {
	return endings.indexOf(extname(name).toLowerCase());
}

function listFolder(folder: string): string[] {
	try {
		return readdirSync(folder);
	} catch {
		return [];
	}
}
