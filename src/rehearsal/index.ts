// The way into rehearsals. start.ts loads this file in every session, so everything behind it is imported when it is needed; what
// only conducts a rehearsal never loads pi's model library.

import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import type { Scope } from "../pi/index.ts";
import { definitionsTrusted, type NameDefinitions } from "../pi/index.ts";
import type { RehearsalSession } from "./command.ts";
import type { Place } from "./program.ts";
import type { CheckedScenario } from "./scenario-check.ts";
import type { WorkerPart } from "./worker-place.ts";

/** Registers `/rehearse`. `named` says what the project brings. */
export function registerRehearse(pi: ExtensionAPI, scope: Scope, named: NameDefinitions): void {
	const session: RehearsalSession = { running: undefined, place: undefined };
	pi.on("session_start", (_event, ctx) => {
		session.place = { cwd: ctx.cwd, trusted: definitionsTrusted(ctx) };
	});
	pi.registerCommand("rehearse", {
		description: "Play a workflow or a chronicle on a copy of the project, without a model: /rehearse <name> [task]",
		getArgumentCompletions: async (prefix) => (await import("./command.ts")).completeRehearse(session, prefix),
		handler: async (args, ctx) => {
			named(ctx);
			const { runRehearse } = await import("./command.ts");
			await runRehearse(session, scope, ctx, args);
		},
	});
}

/**
 * Joins the rehearsal that the call sheet at `path` (absolute) belongs to: the understudy becomes a model of this pi. `part` is what the
 * supervisor has told the process of a chronicle's worker.
 */
export async function joinRehearsal(pi: ExtensionAPI, path: string, part?: WorkerPart): Promise<void> {
	const { takePart } = await import("./player.ts");
	takePart(pi, path, part);
}

/** The verb `pi-chronicle rehearse`: runs it with the words after it and resolves to the exit code. */
export async function rehearseVerb(args: readonly string[], signal?: AbortSignal): Promise<number> {
	const { runVerb } = await import("./command-line.ts");
	return runVerb(args, signal);
}

/** Every scenario of a project with what is wrong with it; with `file` (absolute) that one alone. */
export async function checkScenarios(place: Place, file?: string): Promise<CheckedScenario[]> {
	const check = await import("./scenario-check.ts");
	return file === undefined ? check.checkScenarios(place) : [check.checkScenario(file)];
}
