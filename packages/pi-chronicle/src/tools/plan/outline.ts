// Outlines a drafted definition for the user's decision: its chart, its states with their agents and tools, and its limits.

import { counted } from "@pi-chronicle/core/definition";
import type { Template } from "@pi-chronicle/core/template";
import type { Project } from "../../local/index.ts";
import { shortCost, shortCount, shortTime } from "../../pi/index.ts";
import { checkSequences } from "../../sequence/index.ts";
import { templateDiagram } from "../../ui/index.ts";
import {
	loadCatalogue,
	type Phase,
	type WorkflowDefinition,
	workflowDiagram,
	workflowRoots,
} from "../../workflow/index.ts";
import type { DefinitionDraft } from "./draft.ts";

export interface Outline {
	/** The name that starts it. */
	readonly command: string;
	readonly title: string;
	/** Mermaid lines. */
	readonly chart: readonly string[];
	/** One per state or phase: its name, and who does it with which tools. */
	readonly steps: readonly (readonly [name: string, text: string])[];
	readonly limits: string;
	/** Maximum cost of a run, USD; `undefined`: the template has no limit. */
	readonly maxUsd: number | undefined;
}

/** The outline of a draft in a project that contains its files; a string explains why it cannot be started. */
export async function outlineOf(draft: DefinitionDraft, project: Project): Promise<Outline | string> {
	switch (draft.kind) {
		case "chronicle":
			return outlineOfChronicle(draft, project);
		case "workflow":
			return outlineOfWorkflow(draft, project);
		case "sequence":
			return outlineOfSequence(draft, project);
	}
}

async function outlineOfSequence({ key }: DefinitionDraft, { place }: Project): Promise<Outline | string> {
	const sequence = (await checkSequences(place.cwd)).find(({ name }) => name === key)?.sequence;
	if (!sequence) return `The sequence ${key} does not load.`;
	const { description, steps, runs, maxCost } = sequence;
	const cost = maxCost === undefined ? "no limit of cost" : shortCost(maxCost);
	return {
		command: key,
		title: description ?? key,
		chart: [
			"flowchart TD",
			...steps.map((_, index) => `\ts${index}["step ${index + 1}"]`),
			...steps.slice(1).map((_, index) => `\ts${index} --> s${index + 1}`),
		],
		steps: steps.map((step, index) => [String(index + 1), step.trim().split("\n", 1)[0] ?? ""]),
		limits: `${counted(runs, "run")}, ${cost}`,
		maxUsd: maxCost,
	};
}

function outlineOfChronicle({ key }: DefinitionDraft, project: Project): Outline | string {
	const template = project.templates().templates.get(key)?.read?.template;
	if (!template) return `The template ${key} does not load.`;
	const { costUsd, tokens, activeMs, moves } = template.limits;
	const limits = [
		...(costUsd === undefined ? [] : [shortCost(costUsd)]),
		...(tokens === undefined ? [] : [`${shortCount(tokens)} tokens`]),
		...(activeMs === undefined ? [] : [shortTime(activeMs)]),
		counted(moves, "move"),
	];
	return {
		command: key,
		title: template.name,
		chart: templateDiagram(template),
		steps: stepsOf(template),
		limits: limits.join(", "),
		maxUsd: costUsd,
	};
}

function stepsOf({ states }: Template): [string, string][] {
	return [...states.values()]
		.filter(({ persona, children }) => persona !== undefined || children !== undefined)
		.map((state) => {
			const who = state.children
				? `child runs: ${state.children.branches.map(({ name }) => name).join(", ")}`
				: (state.persona?.name ?? "");
			const tools = state.tools === undefined ? "" : ` · only ${state.tools.join(", ") || "no tools"}`;
			const asks = state.approval.entry || state.approval.exit ? " · asks you" : "";
			return [state.name, `${who}${tools}${asks}`];
		});
}

function outlineOfWorkflow({ key, files }: DefinitionDraft, { place }: Project): Outline | string {
	const roots = workflowRoots({ agentDir: place.agentFolder, cwd: place.cwd, trusted: true });
	const catalogue = loadCatalogue(roots);
	const definition = catalogue.definitions.get(key);
	if (definition?.commandName === undefined || definition.show !== "user")
		return `${files[0].path} has no commandName, so it cannot be started.`;
	return {
		command: definition.commandName,
		title: definition.name,
		chart: workflowDiagram(catalogue, key),
		steps: outlinedPhases(definition, catalogue.definitions).map((phase) => [phase.name, limitsOf(phase)]),
		limits: definition.maxLoops === undefined ? "loops without a limit" : counted(definition.maxLoops, "loop"),
		maxUsd: undefined,
	};
}

/** The phases of a workflow and of those inside it, in order. No workflow contains itself. */
function outlinedPhases(definition: WorkflowDefinition, all: ReadonlyMap<string, WorkflowDefinition>): Phase[] {
	return definition.entries.flatMap((entry) => {
		if (entry.kind === "phase") return [entry];
		const inner = all.get(entry.key);
		return inner ? outlinedPhases(inner, all) : [];
	});
}

function limitsOf({ tools, advance }: Phase): string {
	const asks = advance === "person" ? " · you end it" : "";
	switch (tools.kind) {
		case "free":
			return `all tools${asks}`;
		case "blacklist":
			return `not ${tools.names.join(", ")}${asks}`;
		case "whitelist":
			return `only ${tools.names.join(", ")}${asks}`;
		case "capabilities":
			return `may ${tools.may.join(", ")}${asks}`;
	}
}
