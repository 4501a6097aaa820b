// Entry point of rehearsals. Every session loads this file, so the rest is imported on first use.

import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import type { Scope } from "../../pi/index.ts";
import { definitionsTrusted, loadedCompletions, type NameDefinitions, registerOwnCommand } from "../../pi/index.ts";
import type { RehearsalSession } from "./command.ts";
import type { ProjectPaths } from "./rehearse.ts";
import type { CheckedScenario } from "./scenario-check.ts";
import type { WorkerVisit } from "./worker-position.ts";

export type { ProjectCopy } from "./project-copy.ts";

/** Registers `/rehearse`. `named` reports the project's definitions. */
export function registerRehearse(pi: ExtensionAPI, scope: Scope, named: NameDefinitions): void {
	const session: RehearsalSession = { work: undefined, project: undefined };
	pi.on("session_start", (_event, ctx) => {
		session.project = { cwd: ctx.cwd, trusted: definitionsTrusted(ctx) };
	});
	registerOwnCommand(pi, "rehearse", {
		description: "Play a workflow or a chronicle on a copy of the project, without a model: /rehearse <name> [task]",
		getArgumentCompletions: loadedCompletions(async () => {
			const { completeRehearse } = await import("./completions.ts");
			return (prefix) => completeRehearse(session, prefix);
		}),
		list: async () => {
			const { completeRehearse } = await import("./completions.ts");
			const found = session.work?.isRunning ? null : completeRehearse(session, "");
			return found
				? {
						title: "Rehearse",
						text: "",
						choices: found.map(({ value }) => ({ words: value, name: value, about: "", whole: false })),
					}
				: undefined;
		},
		handler: async (args, ctx) => {
			named(ctx);
			const { runRehearse } = await import("./command.ts");
			await runRehearse(session, scope, ctx, args);
		},
	});
}

/**
 * Joins the rehearsal that is configured by the file at `path` (absolute): the understudy becomes a model of this pi. `visit`: in the
 * process of a chronicle's worker.
 */
export async function joinRehearsal(pi: ExtensionAPI, path: string, visit?: WorkerVisit): Promise<void> {
	const { respondInProcess } = await import("./responder.ts");
	respondInProcess(pi, path, visit);
}

/** Loads the command `pi-chronicle rehearse`. */
export async function loadRehearseCommand() {
	return (await import("./command-line.ts")).rehearseCommand;
}

/** Loads the parts that rehearse a definition in a project: the copy, the plan, the run, and the final lines. */
export async function loadRehearsal() {
	const [{ openProjectCopy }, { plan }, { rehearse }, { closingLines }] = await Promise.all([
		import("./project-copy.ts"),
		import("./plan.ts"),
		import("./rehearse.ts"),
		import("./report.ts"),
	]);
	return { openProjectCopy, plan, rehearse, closingLines };
}

/** Loads the checks of instructions against what their phases and states can do. */
export async function loadInstructionChecks() {
	return import("./instructions/index.ts");
}

/** The copies of projects that killed rehearsals left behind, absolute. `remove`: removes them, and returns the removed ones. */
export async function orphanedCopies(what: "find" | "remove"): Promise<readonly string[]> {
	const { findOrphanedCopies, removeOrphanedCopies } = await import("./project-copy.ts");
	return what === "remove" ? removeOrphanedCopies() : findOrphanedCopies();
}

/** Every scenario of a project with its diagnostics; with `file` (absolute) only that one. */
export async function checkScenarios(paths: ProjectPaths, file?: string): Promise<CheckedScenario[]> {
	const check = await import("./scenario-check.ts");
	return file === undefined ? check.checkAllScenarios(paths) : [check.checkScenario(file)];
}
