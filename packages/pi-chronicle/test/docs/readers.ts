// Reads the files that a document writes with the product's own readers. A file at a path that none of them reads is a problem
// too: a document must not show a file that nothing reads.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Diagnostic, openSource } from "@pi-chronicle/core/definition";
import { readTemplate } from "@pi-chronicle/core/template";
import { loadAgentRegistry } from "../../src/persona/index.ts";
import { readRules } from "../../src/safety/index.ts";
import { readSequenceFile } from "../../src/sequence/sequence-file.ts";
import { readScenarioFile } from "../../src/tools/rehearsal/scenario-file.ts";
import { loadCatalogue, workflowRoots } from "../../src/workflow/definitions/index.ts";
import type { Project } from "../harness/index.ts";

/** Reads one kind of file. */
interface Reader {
	/** Paths it is for, relative to `.pi` of the project or to pi's agent folder. */
	places: RegExp;
	/** Everything that is wrong with the files at these absolute paths. */
	read(project: Project, files: string[]): readonly Diagnostic[];
}

const readers: readonly Reader[] = [
	{
		places: /^workflows\//,
		read: ({ agentFolder, folder }) =>
			loadCatalogue(workflowRoots({ agentDir: agentFolder, cwd: folder, trusted: true })).diagnostics,
	},
	{
		places: /^agents\//,
		read: ({ agentFolder, folder, home }) => {
			const cast = loadAgentRegistry({ cwd: folder, project: "trusted", agentFolder, home });
			return [...cast.diagnostics, ...cast.agents.flatMap((agent) => agent.diagnostics)];
		},
	},
	{
		places: /^chronicle\/workflows\//,
		read: (_project, files) =>
			files.flatMap((file) => readTemplate(openSource(file, readFileSync(file, "utf8")), file).diagnostics),
	},
	{
		places: /^damage-control-rules\.ya?ml$/,
		read: (_project, files) =>
			readRules(
				files.map((file) => ({ file, tier: "project", base: join(file, "../..") })),
				process.platform,
			).diagnostics,
	},
	{
		places: /^rehearsals\//,
		read: (_project, files) => files.flatMap((file) => readScenarioFile(file).diagnostics),
	},
	{
		places: /^sequences\//,
		read: (_project, files) => files.flatMap((file) => readSequenceFile(file).diagnostics),
	},
];

/** What pi itself reads, and how far it can be checked here: JSON must parse. */
const ofPi = /^(settings\.json|mcp\.json|prompts\/|skills\/|extensions\/|models\.json|trust\.json)/;

/**
 * What is wrong with the definitions and JSON files of a project and its home, one text each. `written` are absolute paths of the
 * files that a document wrote: each must be in a place where something reads it.
 */
export function problemsOf(project: Project, written: ReadonlySet<string>): string[] {
	const own = project.list(".pi").map((path) => ({ place: path.slice(".pi/".length), file: project.path(path) }));
	const personal = project.list("../.pi/agent").map((path) => ({
		place: path.slice("../.pi/agent/".length),
		file: project.path(path),
	}));
	const definitions = [...own, ...personal.filter(({ place }) => !place.startsWith("sessions/"))];
	const problems: string[] = [];
	const wanted = new Map<Reader, string[]>();
	for (const { place, file } of definitions) {
		const reader = readers.find((one) => one.places.test(place));
		if (reader) wanted.set(reader, [...(wanted.get(reader) ?? []), file]);
		else if (!ofPi.test(place) && written.has(file)) problems.push(`${place}: nothing reads a file here`);
	}
	for (const [reader, files] of wanted) problems.push(...reader.read(project, files).map(told));

	const data = project.list().filter((path) => path.endsWith(".json") && !path.startsWith(".pi/"));
	const settings = definitions.filter(({ place }) => ofPi.test(place) && place.endsWith(".json"));
	for (const file of [...data.map((path) => project.path(path)), ...settings.map((one) => one.file)]) {
		try {
			JSON.parse(readFileSync(file, "utf8"));
		} catch (error) {
			problems.push(`${file}: ${error}`);
		}
	}
	return problems.map((problem) => problem.replaceAll(join(project.folder, "/"), ""));
}

function told({ file, line, column, severity, code, message, remedy }: Diagnostic): string {
	return `${[file, line, column].filter((part) => part !== undefined).join(":")} ${severity} ${code}: ${message} ${remedy}`;
}
