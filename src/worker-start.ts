// Sets up a chronicle's worker: the workflow tools, the gate and the guard's frozen rules.
// S1 neither this file nor its static imports import one of pi's packages: see worker.ts.
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Type } from "typebox";
import {
	askThroughHost,
	readBrief,
	registerWorker,
	UNCHANGED_ADVICE,
	type WorkerBox,
	type WorkerBrief,
} from "./chronicle/index.ts";
import { hostEnvironment, openSessionScope } from "./pi/index.ts";
import {
	askAboutHost,
	boxFolder,
	type Confinement,
	copiedProjectPolicy,
	deniedToolsPolicy,
	enforceRules,
	openConfinement,
	openPolicies,
	registerGate,
	sandboxPolicy,
	unchangedNeed,
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
			box = openWorkerBox(brief, brief.sandbox, { cwd, agentDir, closed: guard.closed }, ctx);
			policies.add(
				brief.unchanged
					? sandboxPolicy(box, "ignored", unchangedNeed)
					: sandboxPolicy(box, "project", () => ({ scope: "project", network: "open" })),
			);
		}
		return guard;
	});
	registerGate(pi, { policies, scope, ask: askThroughHost, box: async () => box });

	// Set only in the processes of a rehearsal; no other worker loads the understudy.
	const rehearsalConfig = process.env.PI_CHRONICLE_REHEARSAL;
	if (!rehearsalConfig) return;
	const { run, state, launch, targets, output } = brief;
	const part = { run, state, visit: launch.visit, attempt: launch.attempt, targets, output };
	const { joinRehearsal } = await import("./rehearsal/index.ts");
	await joinRehearsal(pi, rehearsalConfig, part);
}

interface BoxPlace {
	readonly cwd: string;
	readonly agentDir: string;
	/** The paths that rules close. */
	readonly closed: (root: string) => Promise<readonly string[]>;
}

function openWorkerBox(
	{ copy }: WorkerBrief,
	{ probe, root, folder, network, write, read }: WorkerBox,
	{ cwd, agentDir, closed }: BoxPlace,
	ctx: ExtensionContext,
): Confinement {
	const project = copy?.project ?? root;
	return openConfinement({
		...{ host: hostEnvironment(cwd), root, copy, probe, network, write, read },
		folder: boxFolder(folder),
		closed: () => closed(root),
		askHost: askAboutHost(project, agentDir, (question) => askThroughHost(ctx, question)),
	});
}
