// Entry point of plans. Every session loads this file, so the rest is imported on first use.
import { join } from "node:path";
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import {
	type NameDefinitions,
	openToolSwitch,
	registerOwnCommand,
	type Scope,
	type ToolSwitch,
	userSettings,
} from "../../pi/index.ts";
import type { PlanSession, StartDefinition } from "./command.ts";
import { keptAnswer, listenForRuns } from "./plain-words.ts";

/** Registers `/plan`. `start` starts the definition of a plan, by its kind. */
export function registerPlan(pi: ExtensionAPI, scope: Scope, named: NameDefinitions, start: StartDefinition): void {
	const session: PlanSession = { scope, start, work: undefined };
	registerOwnCommand(pi, "plan", {
		description: "Let the model draft a chronicle, workflow or sequence, checked and rehearsed: /plan <task>",
		handler: async (args, ctx) => {
			named(ctx);
			const { runPlan } = await import("./command.ts");
			await runPlan(session, ctx, args);
		},
	});
}

/**
 * Registers the switch of the tool `propose_run`: `/chronicle tool on`, the setting `chronicle.proposals`, or the answer to the question that
 * plain words lead to, which is kept in the agent folder `agentDir`.
 */
export function openProposals(
	pi: ExtensionAPI,
	scope: Scope,
	agentDir: string,
	start: (ctx: ExtensionContext, args: string) => Promise<void>,
): ToolSwitch {
	const unasked = (): string[] => {
		const names = userSettings().startUnasked;
		return Array.isArray(names) ? names.filter((name) => typeof name === "string") : [];
	};
	const file = join(agentDir, "chronicle", "proposals.json");
	const proposals = openToolSwitch(pi, {
		name: "propose_run",
		entryType: "plan:tool",
		setting: "proposals",
		answer: () => keptAnswer(file),
		feature: "/chronicle tool",
		load: async (ctx) => (await import("./tool.ts")).proposalToolOf({ scope, start, unasked }, ctx),
	});
	listenForRuns(pi, proposals, file);
	return proposals;
}

/** Loads the command `pi-chronicle plan`. */
export async function loadPlanCommand() {
	return (await import("./command-line.ts")).planCommand;
}
