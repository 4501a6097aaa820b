// The scenarios of a project: whether each can be read, and fits the definition that it is for.
import { readdirSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { type Diagnostic, didYouMean } from "../definition/index.ts";
import { chronicleNames, planChronicle } from "./chronicle.ts";
import type { Place } from "./program.ts";
import { readScenarioFile } from "./scenario-file.ts";
import { findScenario, scenarioEndings, scenarioFolder } from "./scenario-place.ts";
import { planWorkflow, workflowNames } from "./workflow.ts";

export interface CheckedScenario {
	/** Absolute. */
	readonly file: string;
	readonly diagnostics: readonly Diagnostic[];
}

/** Checks every scenario of the project. Never throws. */
export function checkScenarios(place: Place): CheckedScenario[] {
	return (["workflow", "chronicle"] as const).flatMap((kind) =>
		filesIn(scenarioFolder(place.cwd, kind)).map((file) => ({ file, diagnostics: checkOne(file, kind, place) })),
	);
}

/** Checks one scenario file that is for no definition in particular. */
export function checkScenario(file: string): CheckedScenario {
	return { file, diagnostics: readScenarioFile(file).diagnostics };
}

function checkOne(file: string, kind: "workflow" | "chronicle", place: Place): readonly Diagnostic[] {
	const { scenario, diagnostics } = readScenarioFile(file);
	if (!scenario) return diagnostics;
	const name = basename(file, extname(file));
	const isWorkflow = kind === "workflow";
	const meant = findScenario(place.cwd, kind, name);
	const problem = { file, line: 1, column: 1, severity: "warning" } as const;
	if (meant !== file) {
		const message = `${meant === undefined ? "Another file" : basename(meant)} is read for ${name}, so this one has no effect.`;
		return [...diagnostics, { ...problem, code: "same-name", message, remedy: "Keep one of the two." }];
	}
	const wish = { name, task: "", scenario: undefined };
	const planned = isWorkflow ? planWorkflow(wish, place) : planChronicle(wish, place);
	if (planned === undefined) {
		const near = didYouMean(name, isWorkflow ? workflowNames(place) : chronicleNames(place));
		const message = `There is no ${kind} ${name} that this scenario could be for.${near}`;
		return [...diagnostics, { ...problem, code: "no-definition", message, remedy: `Name the file like the ${kind}.` }];
	}
	// What is wrong with the definition is told there.
	const all = planned.kind === "playable" ? planned.program.diagnostics : [];
	return [
		...diagnostics,
		...all.filter((each) => each.file === file && !diagnostics.some((known) => isSame(known, each))),
	];
}

function isSame(one: Diagnostic, other: Diagnostic): boolean {
	return one.code === other.code && one.line === other.line && one.column === other.column;
}

function filesIn(folder: string): string[] {
	try {
		return readdirSync(folder)
			.filter((name) => scenarioEndings.includes(extname(name).slice(1)))
			.sort()
			.map((name) => join(folder, name));
	} catch {
		// No scenarios.
		return [];
	}
}
