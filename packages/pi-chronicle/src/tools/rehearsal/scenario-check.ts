// Checks that every scenario of a project can be read and fits its definition.

import { basename, extname, join } from "node:path";
import { type Diagnostic, didYouMean } from "@pi-chronicle/core/definition";
import { folderNames } from "../../disk/index.ts";
import { chronicleNames, planChronicle } from "./chronicle.ts";
import type { ProjectPaths } from "./rehearse.ts";
import { findScenario, readScenarioFile, scenarioEndings, scenarioFolder } from "./scenario-file.ts";
import { planWorkflow, workflowNames } from "./workflow.ts";

export interface CheckedScenario {
	/** Absolute. */
	readonly file: string;
	readonly diagnostics: readonly Diagnostic[];
}

/** Checks every scenario of the project. Never throws. */
export function checkAllScenarios(paths: ProjectPaths): CheckedScenario[] {
	return (["workflow", "chronicle"] as const).flatMap((kind) =>
		filesIn(scenarioFolder(paths.cwd, kind)).map((file) => ({ file, diagnostics: checkOne(file, kind, paths) })),
	);
}

/** Checks one scenario file alone, without a definition. */
export function checkScenario(file: string): CheckedScenario {
	return { file, diagnostics: readScenarioFile(file).diagnostics };
}

function checkOne(file: string, kind: "workflow" | "chronicle", paths: ProjectPaths): readonly Diagnostic[] {
	const { scenario, diagnostics } = readScenarioFile(file);
	if (!scenario) return diagnostics;
	const name = basename(file, extname(file));
	const isWorkflow = kind === "workflow";
	const meant = findScenario(paths.cwd, kind, name);
	const problem = { file, line: 1, column: 1, severity: "warning" } as const;
	if (meant !== file) {
		const message = `${meant === undefined ? "Another file" : basename(meant)} is used for ${name}, so this one has no effect.`;
		return [...diagnostics, { ...problem, code: "same-name", message, remedy: "Keep one of the two." }];
	}
	const request = { name, task: "", scenario: undefined };
	const planned = isWorkflow ? planWorkflow(request, paths) : planChronicle(request, paths);
	if (planned === undefined) {
		const near = didYouMean(name, isWorkflow ? workflowNames(paths) : chronicleNames(paths));
		const message = `There is no ${kind} ${name} for this scenario.${near}`;
		return [...diagnostics, { ...problem, code: "no-definition", message, remedy: `Name the file like the ${kind}.` }];
	}
	// The definition's own problems are reported with the definition.
	const all = planned.kind === "playable" ? planned.program.diagnostics : [];
	return [
		...diagnostics,
		...all.filter((each) => each.file === file && !diagnostics.some((known) => isSameProblem(known, each))),
	];
}

function isSameProblem(one: Diagnostic, other: Diagnostic): boolean {
	return one.code === other.code && one.line === other.line && one.column === other.column;
}

function filesIn(folder: string): string[] {
	return folderNames(folder)
		.filter((name) => scenarioEndings.includes(extname(name).slice(1)))
		.map((name) => join(folder, name));
}
