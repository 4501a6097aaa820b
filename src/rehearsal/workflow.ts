// Finds the workflow that a person wants to rehearse, and tells beforehand what cannot work.
import { resolve } from "node:path";
import { type Diagnostic, didYouMean } from "../definition/index.ts";
import { type Catalogue, loadCatalogue, type WorkflowDefinition, workflowRoots } from "../workflow/index.ts";
import type { House, Program, Unplayable } from "./program.ts";
import type { Scenario } from "./scenario.ts";
import { readScenarioFile } from "./scenario-file.ts";
import { findScenario } from "./scenario-place.ts";

export interface Wish {
	/** Command name or directory name of the workflow, or name of the template. */
	readonly name: string;
	readonly task: string;
	/** Scenario file, relative to the project or absolute; without it the project's own for this definition, if it has one. */
	readonly scenario: string | undefined;
}

const taskOfNobody = "A rehearsal: nothing has to be achieved.";

/** The names of all workflows that can be started. */
export function workflowNames(house: Pick<House, "cwd" | "agentFolder">): string[] {
	return [...load(house).commands].filter(([, { show }]) => show === "user").map(([name]) => name);
}

/** Finds and checks the workflow that `wish` names. */
export function planWorkflow(wish: Wish, house: Pick<House, "cwd" | "agentFolder">): Program | Unplayable {
	const catalogue = load(house);
	const definition = catalogue.commands.get(wish.name) ?? catalogue.definitions.get(wish.name);
	if (!definition) return notFound(wish.name, catalogue);
	if (definition.show === "workflows" || definition.commandName === undefined) {
		const message = `The workflow ${wish.name} runs only inside others, so rehearse one that contains it.`;
		return { kind: "unplayable", message, diagnostics: [] };
	}
	const expected = phasesOf(definition, catalogue);
	const file =
		wish.scenario === undefined
			? findScenario(house.cwd, "workflow", definition.key)
			: resolve(house.cwd, wish.scenario);
	const read = file === undefined ? undefined : readScenarioFile(file);
	if (read && !read.scenario)
		return {
			kind: "unplayable",
			message: `The scenario of ${wish.name} cannot be used.`,
			diagnostics: read.diagnostics,
		};
	return {
		kind: "workflow",
		name: definition.commandName,
		task: wish.task.trim() || taskOfNobody,
		scenario: file,
		diagnostics: [
			...problemsOf(definition, catalogue),
			...(read?.diagnostics ?? []),
			...(read?.scenario && file !== undefined ? strangers(read.scenario, file, expected) : []),
		],
		expected,
	};
}

function load({ cwd, agentFolder }: Pick<House, "cwd" | "agentFolder">): Catalogue {
	return loadCatalogue(workflowRoots({ agentDir: agentFolder, cwd, trusted: true }));
}

function notFound(name: string, catalogue: Catalogue): Unplayable {
	const rejected = catalogue.rejected.get(name);
	if (rejected)
		return { kind: "unplayable", message: `The workflow ${name} does not load.`, diagnostics: rejected.diagnostics };
	const names = [...catalogue.commands].filter(([, { show }]) => show === "user").map(([command]) => command);
	const list = names.length === 0 ? "There are none here." : `There are: ${names.join(", ")}.`;
	return {
		kind: "unplayable",
		message: `There is no workflow ${name}.${didYouMean(name, names)} ${list}`,
		diagnostics: [],
	};
}

/** Every phase that a workflow comes through when nothing is looped, subworkflows included. */
function phasesOf(definition: WorkflowDefinition, catalogue: Catalogue): Program["expected"] {
	return definition.entries.flatMap((entry) => {
		if (entry.kind === "phase") return [{ scope: definition.key, id: entry.id, name: entry.name }];
		const inner = catalogue.definitions.get(entry.key);
		return inner ? phasesOf(inner, catalogue) : [];
	});
}

/** What the catalogue says about the files that the workflow consists of. */
function problemsOf(definition: WorkflowDefinition, catalogue: Catalogue): readonly Diagnostic[] {
	const files = new Set<string>();
	const collect = (part: WorkflowDefinition): void => {
		files.add(part.file);
		for (const entry of part.entries) {
			if (entry.kind === "phase") files.add(entry.file);
			else {
				const inner = catalogue.definitions.get(entry.key);
				if (inner) collect(inner);
			}
		}
	};
	collect(definition);
	return catalogue.diagnostics.filter(({ file }) => files.has(file));
}

/** Scripts for phases that the workflow does not have: a slip that would otherwise pass in silence. */
function strangers(scenario: Scenario, file: string, expected: Program["expected"]): Diagnostic[] {
	const known = expected.flatMap(({ scope, id }) => [id, `${scope}/${id}`]);
	return [...scenario.phases.keys()]
		.map((name) => name.replace(/#\d+$/, ""))
		.filter((name, index, all) => !known.includes(name) && all.indexOf(name) === index)
		.map((name) => ({
			severity: "warning",
			file,
			code: "unknown-phase",
			message: `The scenario has a script for \`${name}\`, which is no phase of the workflow.${didYouMean(name, known)}`,
			remedy: "Name it like the phase's `id`, or remove it.",
		}));
}
