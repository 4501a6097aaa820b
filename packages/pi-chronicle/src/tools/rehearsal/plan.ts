// Finds the definition of `[workflow | chronicle] <name> [task]`, among workflows and chronicles.
import { resolve } from "node:path";
import { didYouMean } from "@pi-chronicle/core/definition";
import { chronicleNames, planChronicle } from "./chronicle.ts";
import type { Playable, ProjectPaths, RehearsalRequest, Unplayable } from "./rehearse.ts";
import { readScenarioFile } from "./scenario-file.ts";
import { planWorkflow, workflowNames } from "./workflow.ts";

export type DefinitionKind = "workflow" | "chronicle";

export function isKind(word: string | undefined): word is DefinitionKind {
	return word === "workflow" || word === "chronicle";
}

/**
 * Finds the requested definition, of one kind or of either. If both kinds have the name, one outside the package takes precedence; otherwise
 * the requested scenario decides; without one, the result lists the choices.
 */
export function plan(
	request: RehearsalRequest,
	kind: DefinitionKind | undefined,
	paths: ProjectPaths,
): Playable | Unplayable {
	const workflow = kind === "chronicle" ? undefined : planWorkflow(request, paths);
	const chronicle = kind === "workflow" ? undefined : planChronicle(request, paths);
	if (workflow && chronicle) {
		const intended = kindOfScenario(request, paths);
		const own = [workflow, chronicle].filter((found) => found.kind === "unplayable" || !found.shipped);
		if (intended === undefined && own.length === 1 && own[0]) return own[0];
		if (intended !== undefined) return intended === "workflow" ? workflow : chronicle;
		const message = `There is a workflow ${request.name} and a chronicle ${request.name}. Choose one: rehearse workflow ${request.name}, or rehearse chronicle ${request.name}.`;
		return { kind: "unplayable", message, diagnostics: [], choices: ["workflow", "chronicle"] };
	}
	return workflow ?? chronicle ?? notFound(request.name, kind, paths);
}

/** The kind of definition that the requested scenario is for: workflows have phases, chronicles have states. */
function kindOfScenario({ scenario: named }: RehearsalRequest, { cwd }: ProjectPaths): DefinitionKind | undefined {
	if (!named) return undefined;
	const { scenario } = readScenarioFile(resolve(cwd, named));
	const hasPhases = (scenario?.phases.size ?? 0) > 0;
	const hasStates = (scenario?.states.size ?? 0) > 0;
	if (hasPhases === hasStates) return undefined;
	return hasPhases ? "workflow" : "chronicle";
}

/** Lists the names of all definitions, as text. */
export function listDefinitions(paths: ProjectPaths, kind?: DefinitionKind): string {
	const workflows = kind === "chronicle" ? [] : workflowNames(paths);
	const chronicles = kind === "workflow" ? [] : chronicleNames(paths);
	const parts = [
		...(workflows.length > 0 ? [`Workflows here: ${workflows.join(", ")}.`] : []),
		...(chronicles.length > 0 ? [`Chronicles here: ${chronicles.join(", ")}.`] : []),
	];
	return parts.length > 0 ? parts.join(" ") : "There are no definitions here.";
}

/** Splits `[workflow | chronicle] <name> [task]`. */
export function splitRequest(words: string): { kind: DefinitionKind | undefined; name: string; task: string } {
	const [, kind, name = "", task = ""] = /^\s*(?:(workflow|chronicle)\s+(?=\S))?(\S*)\s*([\s\S]*)$/.exec(words) ?? [];
	return { kind: kind as DefinitionKind | undefined, name, task };
}

function notFound(name: string, kind: DefinitionKind | undefined, paths: ProjectPaths): Unplayable {
	const known = [
		...(kind === "chronicle" ? [] : workflowNames(paths)),
		...(kind === "workflow" ? [] : chronicleNames(paths)),
	];
	const what = kind ?? "workflow and no chronicle";
	const message = `There is no ${what} ${name}.${didYouMean(name, known)} ${listDefinitions(paths, kind)}`;
	return { kind: "unplayable", message, diagnostics: [] };
}
