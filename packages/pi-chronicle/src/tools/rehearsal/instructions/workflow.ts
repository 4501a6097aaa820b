// Checks the instructions of a workflow's phases against the limits of their tools.
import type { Diagnostic } from "@pi-chronicle/core/definition";
import { changesAreMeant, isNameRefused, type Phase, type WorkflowDefinition } from "../../../workflow/index.ts";
import { needsIn } from "./needs.ts";
import { type Abilities, cannotFollow, openPlaces } from "./problem.ts";

/** Warnings about the phases of a workflow, without those of workflows inside it. */
export function checkPhaseInstructions({ entries }: WorkflowDefinition): Diagnostic[] {
	return entries.flatMap((entry) => {
		if (entry.kind !== "phase") return [];
		const able = abilitiesInPhase(entry);
		const places = openPlaces(entry.file);
		return needsIn(entry.instructions)
			.filter(({ kind }) => !able[kind])
			.map(({ kind, words }) => cannotFollow(`The phase "${entry.id}"`, kind, words, places.find(words, [])));
	});
}

function abilitiesInPhase({ tools }: Phase): Abilities {
	const write = changesAreMeant(tools);
	return { shell: mayRun(tools), write, worktree: write, user: true, findings: true, tasks: true };
}

/** Whether a program with unknown effects, such as a test run, is allowed. A tool of another package may run it. */
function mayRun(limits: Phase["tools"]): boolean {
	if (limits.kind === "free") return true;
	if (limits.kind === "capabilities") return limits.may.includes("exec");
	if (limits.shell === "strict") return changesAreMeant(limits);
	return !isNameRefused(limits, "bash") || (limits.kind === "whitelist" && limits.names.some(isForeign));
}

const ownTools = new Set(["read", "grep", "find", "ls", "edit", "write", "bash", "workflow_step"]);

function isForeign(name: string): boolean {
	return !ownTools.has(name.toLowerCase());
}
