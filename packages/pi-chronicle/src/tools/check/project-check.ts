import { existsSync, statSync } from "node:fs";
import { basename, dirname, extname, isAbsolute, join, resolve } from "node:path";
import {
	type Diagnostic,
	didYouMean,
	isInside,
	type Node,
	parseData,
	parseFrontMatter,
	readSource,
} from "@pi-chronicle/core/definition";
import { attempt } from "../../disk/index.ts";
import type { Project } from "../../local/index.ts";
import { locateRules, type RuleFileLocation, readRules } from "../../safety/index.ts";
import { checkSequences } from "../../sequence/index.ts";
import { checkScenarios } from "../rehearsal/index.ts";
import { inspectAgents } from "./agents.ts";
import { type CheckFinding, type CheckPlace, type Inspection, isSound } from "./finding.ts";
import { findForeign, formatOf } from "./foreign.ts";
import { inspectTemplates } from "./templates.ts";
import { inspectWorkflowFile, inspectWorkflows } from "./workflows.ts";

export interface ProjectCheck extends Inspection {
	/** The project has definitions that are not read because the user does not trust it. */
	readonly unread: boolean;
	/** Everything can be used, and nothing was skipped. */
	readonly sound: boolean;
}

/** Checks the named files or definitions; without names, everything in the project and in the user's folders. */
export async function checkProject(project: Project, names: readonly string[]): Promise<ProjectCheck> {
	const { cwd, home, agentFolder, trust } = project.place;
	const place = { cwd, home, agentFolder, trust };
	const everything = await inspectEverything(project, place);
	const found = names.length === 0 ? withForeign(everything, cwd) : await pick(project, place, everything, names);
	const unread = names.length === 0 && trust === "untrusted" && hasDefinitions(cwd);
	const sound = !unread && found.findings.every(({ loads }) => loads) && isSound(found.further);
	return { ...found, unread, sound };
}

const definitionFolders = ["workflows", "agents", "chronicle/workflows", "rehearsals", "sequences"];

function hasDefinitions(cwd: string): boolean {
	return definitionFolders.some((folder) => existsSync(join(cwd, ".pi", folder)));
}

async function inspectEverything(project: Project, place: CheckPlace): Promise<Inspection> {
	const parts = [
		await inspectWorkflows(project),
		await inspectTemplates(project, []),
		inspectAgents(place),
		inspectRuleFiles(locateRules({ cwd: place.cwd, home: place.home, agentDir: place.agentFolder })),
		place.trust === "trusted" ? await inspectScenarios(place) : nothing,
		place.trust === "trusted" ? await inspectSequences(place) : nothing,
	];
	const all = together(parts);
	return { ...all, findings: withoutRepeats(all.findings) };
}

function together(parts: readonly Inspection[]): Inspection {
	return {
		findings: [...new Set(parts.flatMap(({ findings }) => findings))],
		foreign: parts.flatMap(({ foreign }) => foreign),
		further: parts.flatMap(({ further }) => further),
	};
}

/** Drops a template's warning about an agent if the agent's own file already reports it. */
function withoutRepeats(findings: readonly CheckFinding[]): CheckFinding[] {
	const agentDiagnostics = findings.filter(({ kind }) => kind === "agent").flatMap(({ diagnostics }) => diagnostics);
	const isRepeated = ({ severity, message }: Diagnostic): boolean =>
		severity === "warning" &&
		agentDiagnostics.some((each) => message.includes(each.file) && message.endsWith(each.message));
	return findings.map((finding) =>
		finding.kind === "template"
			? { ...finding, diagnostics: finding.diagnostics.filter((each) => !isRepeated(each)) }
			: finding,
	);
}

const nothing: Inspection = { findings: [], foreign: [], further: [] };

function withForeign(found: Inspection, cwd: string): Inspection {
	const checkedFiles = found.findings.flatMap(({ file, diagnostics }) => [
		file,
		...diagnostics.map((each) => each.file),
	]);
	const known = new Set([...checkedFiles, ...found.foreign.map(({ file }) => file)]);
	const { foreign, misplaced } = findForeign(cwd, known);
	return { ...found, foreign: [...found.foreign, ...foreign], further: [...found.further, ...misplaced] };
}

async function inspectScenarios(place: CheckPlace, file?: string): Promise<Inspection> {
	const checked = await checkScenarios(place, file);
	const findings = checked.map(({ file, diagnostics }): CheckFinding => {
		const name = basename(file, extname(file));
		return { kind: "scenario", name, file, loads: isSound(diagnostics), diagnostics };
	});
	return { ...nothing, findings };
}

async function inspectSequences({ cwd }: CheckPlace): Promise<Inspection> {
	const findings = (await checkSequences(cwd)).map(({ name, file, sequence, diagnostics }): CheckFinding => {
		return { kind: "sequence", name, file, loads: sequence !== undefined, diagnostics };
	});
	return { ...nothing, findings };
}

/** Resolves each name: a file or folder first, then any definition with that name. */
async function pick(
	project: Project,
	place: CheckPlace,
	everything: Inspection,
	names: readonly string[],
): Promise<Inspection> {
	const parts: Inspection[] = [];
	for (const name of names) parts.push(await pickOne(project, place, everything, name));
	return together(parts);
}

async function pickOne(project: Project, place: CheckPlace, everything: Inspection, name: string): Promise<Inspection> {
	const path = resolve(place.cwd, name);
	const kind = kindOfPath(path);
	const all = withForeign(everything, place.cwd);
	if (kind !== "absent") {
		const isMeant = ({ file }: { readonly file: string }): boolean => file === path || isInside(path, file);
		const known = {
			findings: all.findings.filter(isMeant),
			foreign: all.foreign.filter(isMeant),
			further: all.further.filter(isMeant),
		};
		if (known.findings.length + known.foreign.length + known.further.length > 0) return known;
		if (kind === "folder" && existsSync(join(path, "workflow.yaml")))
			return inspectWorkflowFile(project, join(path, "workflow.yaml"));
		if (kind === "file") return inspectFile(project, place, path);
		return complaint(path, "empty-folder", "This folder has no definitions.", "Name a file, or a project with --cwd.");
	}
	const called = all.findings.filter((finding) => finding.name === name);
	if (called.length > 0) return { ...nothing, findings: called };
	const near = didYouMean(name, [...new Set(all.findings.map((finding) => finding.name))]);
	return complaint(
		path,
		"absent",
		`Neither a file nor a definition is called ${basename(name)}.${near}`,
		"Check the name.",
	);
}

function kindOfPath(path: string): "file" | "folder" | "absent" {
	if (!isAbsolute(path)) return "absent";
	// Absent: missing, a circular link, or in an unreadable folder.
	return attempt(() => (statSync(path).isDirectory() ? "folder" : "file")) ?? "absent";
}

/** Checks a file outside the searched folders; its shape decides its kind. */
async function inspectFile(project: Project, place: CheckPlace, file: string): Promise<Inspection> {
	if (basename(file) === "workflow.yaml") return inspectWorkflowFile(project, file);
	const format = formatOf(file, place.cwd);
	if (format && format !== "misplaced")
		return { ...nothing, foreign: [{ file, format: format.name, remedy: format.remedy }] };
	const read = readSource(file);
	if (read.kind !== "text") return inspectTemplates(project, [file]);
	if (extname(file).toLowerCase() === ".md") {
		const { diagnostics } = parseFrontMatter(read.source);
		const name = basename(file, extname(file));
		return { ...nothing, findings: [{ kind: "agent", name, file, loads: isSound(diagnostics), diagnostics }] };
	}
	const { root } = parseData(read.source);
	if (root && isScenario(root)) return inspectScenarios(place, file);
	if (root && isRules(root)) return inspectRuleFiles([{ file, tier: "project", base: dirname(file) }]);
	return inspectTemplates(project, [file]);
}

function isScenario(root: Node): boolean {
	if (root.kind !== "map") return false;
	const { entries } = root;
	const states = entries.get("states")?.value;
	const isScripts = states?.kind === "map" && [...states.entries.values()].every(({ value }) => value.kind === "list");
	return entries.get("phases")?.value.kind === "map" || entries.has("idle") || isScripts;
}

function isRules(root: Node): boolean {
	return root.kind === "map" && [...root.entries.keys()].some((key) => /pattern|paths$|^effects$|^strict$/i.test(key));
}

function complaint(file: string, code: string, message: string, remedy: string): Inspection {
	return { ...nothing, further: [{ severity: "error", code, file, message, remedy }] };
}

/** Reads each file separately. */
function inspectRuleFiles(places: readonly RuleFileLocation[]): Inspection {
	const findings = places.map((place) => {
		const { diagnostics } = readRules([place], process.platform);
		const { file } = place;
		return { kind: "rules", name: basename(file), file, loads: isSound(diagnostics), diagnostics } as const;
	});
	return { ...nothing, findings };
}
