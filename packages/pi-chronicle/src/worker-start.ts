// Sets up a chronicle's worker: the workflow tools, the gate and the guard's frozen rules.
// S1 neither this file nor its static imports import one of pi's packages: see worker.ts.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import type { Type } from "typebox";
import { askThroughHost, readBrief, registerWorker, UNCHANGED_ADVICE } from "./local/index.ts";
import { openSessionScope } from "./pi/index.ts";
import {
	type Confinement,
	copiedProjectPolicy,
	deniedToolsPolicy,
	enforceRules,
	openPolicies,
	registerGate,
	unchangedProjectPolicy,
} from "./safety/index.ts";

/** Registers everything for the worker `pi`. `agentDir` is the absolute path of pi's agent folder, `schemas` is pi's TypeBox. */
export async function startWorker(pi: ExtensionAPI, agentDir: string, schemas: typeof Type): Promise<void> {
	const brief = readBrief(process.env);
	const scope = openSessionScope(pi);
	const policies = openPolicies();
	let box: Confinement | undefined;
	await registerWorker(pi, { brief, schemas }, async (ctx) => {
		const { cwd } = ctx;
		if (brief.copy) policies.add(copiedProjectPolicy(brief.copy));
		const guard = enforceRules(brief.rules, { cwd, agentDir, copy: brief.copy }, policies, scope);
		if (brief.unchanged)
			policies.add(
				unchangedProjectPolicy(
					{ ...brief.unchanged, advice: UNCHANGED_ADVICE, contained: brief.sandbox !== "off" },
					cwd,
					brief.copy,
				),
			);
		const denied = brief.tools?.restrictions.denied ?? [];
		if (denied.length > 0) policies.add(deniedToolsPolicy(denied));
		if (brief.sandbox !== "off") {
			const { containWorker } = await import("./local/worker/extension/contain.ts");
			const contained = containWorker(brief, brief.sandbox, { cwd, agentDir, closed: guard.closed }, ctx);
			box = contained.box;
			policies.add(contained.policy);
		}
		return guard;
	});
	registerGate(pi, { policies, scope, ask: askThroughHost, box: async () => box });

	// Set only in the processes of a rehearsal; no other worker loads the understudy.
	const rehearsalConfig = process.env.PI_CHRONICLE_REHEARSAL;
	if (!rehearsalConfig) return;
	const { run, state, launch, targets, output } = brief;
	const part = { run, state, visit: launch.visit, attempt: launch.attempt, targets, output };
	const { joinRehearsal } = await import("./tools/rehearsal/index.ts");
	await joinRehearsal(pi, rehearsalConfig, part);
}
