// Finds other tools' files in a project's agent folders and recognizes them by their shape. Never reports files that this package or pi
// reads. The walk is bounded and follows no links.
import { basename, dirname, extname, join, relative } from "node:path";
import {
	type Diagnostic,
	type ForeignFormat,
	foreignCommand,
	foreignFile,
	parseData,
	readSource,
	type Source,
} from "@pi-chronicle/core/definition";
import { walkFiles } from "../../disk/index.ts";
import type { ForeignFile } from "./finding.ts";

const deepest = 4;
const maxFiles = 2000;
/** Project folders to walk; `without` lists entries that belong to pi or hold no definitions. */
const walked: readonly { readonly folder: string; readonly without: readonly string[] }[] = [
	{
		folder: ".pi",
		without: [
			"settings.json",
			"mcp.json",
			"models.json",
			"keybindings.json",
			"extensions",
			"skills",
			"prompts",
			"themes",
			"npm",
			"git",
			"notebook",
			"chronicle/sessions",
			"taskflows/runs",
			"taskflows/cache",
		],
	},
	{ folder: ".claude/commands", without: [] },
	{ folder: ".specify", without: ["memory", "scripts", "templates"] },
];
const single = [".claude/settings.json", ".claude/settings.local.json"];

export interface ForeignSearch {
	readonly foreign: readonly ForeignFile[];
	/** Files in this package's format, in a place that nothing reads. */
	readonly misplaced: readonly Diagnostic[];
}

/** Searches a project. `known` holds the absolute paths of files that are already reported. */
export function findForeign(cwd: string, known: ReadonlySet<string>): ForeignSearch {
	const files = [
		...walked.flatMap(({ folder, without }) => foreignFilesBelow(cwd, folder, without)),
		...single.map((path) => join(cwd, path)),
	];
	const foreign: ForeignFile[] = [];
	const misplaced: Diagnostic[] = [];
	for (const file of files.filter((path) => !known.has(path))) {
		const format = formatOf(file, cwd);
		if (format === "misplaced") misplaced.push(misplacedWorkflow(file));
		else if (format) foreign.push({ file, format: format.name, remedy: format.remedy });
	}
	return { foreign, misplaced };
}

/** The format of another tool's file. `misplaced`: a workflow of this package in a file instead of a folder. */
export function formatOf(file: string, cwd: string): ForeignFormat | "misplaced" | undefined {
	const ending = extname(file).toLowerCase();
	const isWorkflows = relative(cwd, dirname(file)).replaceAll("\\", "/") === ".pi/workflows";
	if (isWorkflows && /^\.[cm]?[jt]s$/.test(ending))
		return {
			name: "a workflow script of another package",
			use: "nothing",
			remedy: "Its own package runs it, so leave it unchanged.",
		};
	const read = dataEndings.has(ending) || ending === ".md" ? readSource(file) : undefined;
	if (read?.kind !== "text") return undefined;
	const other = foreignFile(read.source);
	if (ending === ".md") {
		// Markdown is common, so it is classified only in folders for commands and workflows.
		const isCommands = relative(cwd, file).replaceAll("\\", "/").startsWith(".claude/commands/");
		return isCommands ? (other ?? foreignCommand) : isWorkflows ? other : undefined;
	}
	return other ?? (isWorkflows && isWorkflow(read.source) ? "misplaced" : undefined);
}

function isWorkflow(source: Source): boolean {
	const { root } = parseData(source);
	return root?.kind === "map" && root.entries.get("phases")?.value.kind === "list";
}

const dataEndings = new Set([".yaml", ".yml", ".json", ".jsonc"]);

function misplacedWorkflow(file: string): Diagnostic {
	const key = basename(file, extname(file));
	return {
		file,
		line: 1,
		column: 1,
		severity: "warning",
		code: "misplaced-file",
		message: "This file is not read: a workflow is a folder that contains a `workflow.yaml`.",
		remedy: `Move it to \`.pi/workflows/${key}/workflow.yaml\`, with its phase files next to it.`,
	};
}

/** Files below a project folder, sorted, nearest first. */
function foreignFilesBelow(cwd: string, folder: string, without: readonly string[]): string[] {
	const found: string[] = [];
	for (const { path, entry } of walkFiles(join(cwd, folder), deepest, (below) => !without.includes(below))) {
		if (entry.isFile() && !entry.name.startsWith(".")) found.push(join(cwd, folder, path));
		if (found.length === maxFiles) break;
	}
	return found;
}
