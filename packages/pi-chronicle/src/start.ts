// Registers the features of a session. Every pi with the package loads this file, so it only registers; a command's dependencies are
// imported when the command first runs.
// S1 neither this file nor its static imports import one of pi's packages: see extension.ts.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import {
	handoffStep,
	notebookStep,
	registerHandoff,
	registerNotebook,
	registerSpawn,
	registerWatchdog,
} from "./companions/index.ts";
import {
	catchBareCommands,
	isTooOld,
	keepTypedLines,
	offerSkills,
	openDefinitionNotice,
	openSessionScope,
	otherCopy,
} from "./pi/index.ts";
import { enclosingRun } from "./process/index.ts";
import {
	openPolicies,
	openSessionBox,
	prepareReadonlyRequest,
	registerGate,
	registerGuard,
	registerReadonly,
	runReadonlyCommand,
} from "./safety/index.ts";
import { registerSequence } from "./sequence/index.ts";
import { doctorCommand } from "./tools/doctor/index.ts";
import { importCommand } from "./tools/migration/index.ts";
import { openProposals, registerPlan } from "./tools/plan/index.ts";
import { joinRehearsal, registerRehearse } from "./tools/rehearsal/index.ts";
import { registerChronicle } from "./ui/index.ts";
import { type OpenRunFiles, registerWorkflow } from "./workflow/index.ts";

/**
 * Registers everything for the session that `pi` belongs to. `agentDir` is the absolute path of pi's agent folder, `version` is pi's
 * version. Nothing is registered here that pi treats as fatal if two extensions register it (a tool or a flag of the same name).
 */
export async function startSession(pi: ExtensionAPI, agentDir: string, version: string): Promise<void> {
	const standAside = () => import("./pi/package/stand-aside.ts");
	if (isTooOld(version)) return (await standAside()).standAsideForOldPi(pi, version);
	const other = otherCopy(pi);
	if (other !== undefined) return (await standAside()).standAsideForCopy(pi, other);
	const scope = openSessionScope(pi);
	const policies = openPolicies();
	const guard = registerGuard(pi, { policies, scope, agentDir, box: () => box });
	const box = openSessionBox(pi, agentDir, guard.closed);
	registerGate(pi, { policies, scope, answers: guard.answers, box: (ctx) => box.of(ctx) });
	// A pi started below a chronicle's worker, in any way, starts no work of its own: only the rules apply in it.
	if (enclosingRun(process.env)) return;
	const readonly = registerReadonly(pi, policies, box);

	const notebook = registerNotebook(pi);
	const handoff = registerHandoff(pi, {
		get notebookOn() {
			return notebook.on;
		},
		introductions: () =>
			[notebook.introduction(), readonly.introduction(), workflow.introduction()].filter((text) => text !== undefined),
		endCountdown: () => workflow.endCountdown(),
	});
	const named = openDefinitionNotice();
	const openFiles: OpenRunFiles = async (place, run) =>
		(await import("./local/project/index.ts")).openPhaseSnapshots({ ...place, agentFolder: agentDir }, run);
	const workflow = registerWorkflow(pi, { scope, policies, box, named, agentDir, openFiles });
	registerSpawn(pi, scope, {
		seed: () => [...notebook.share(), ...readonly.share(), ...workflow.share()],
		refuses: (tool) => policies.forbidTool(tool),
		onReadonly: (listener) => readonly.onTurnedOn(listener),
		take: (type, data) => notebook.take(type, data),
	});
	registerWatchdog(pi, notebook);
	const proposals = openProposals(pi, scope, agentDir, (ctx, args) => chronicle.run(ctx, `start ${args}`));
	const chronicle = registerChronicle(pi, scope, named, { proposals, more: [doctorCommand, importCommand] });
	const sequence = registerSequence(pi, scope, named, {
		readonly: runReadonlyCommand,
		readFrontMatter: prepareReadonlyRequest,
		handoff: (ctx, args) => handoffStep(handoff, ctx, args),
		notebook: (ctx, args) => notebookStep(notebook, ctx, args),
		workflow: (ctx, args, signal) => workflow.step(ctx, args, signal),
		chronicle: (ctx, args, signal) => chronicle.step(ctx, args, signal),
		test: (ctx, command, signal) => workflow.test(ctx, command, signal),
		live: () => [workflow.live(), ...chronicle.live()].filter((what) => what !== undefined),
	});
	registerRehearse(pi, scope, named);
	registerPlan(pi, scope, named, {
		chronicle: (ctx, args) => chronicle.run(ctx, `start ${args}`),
		workflow: (ctx, args) => workflow.run(ctx, args),
		sequence: (ctx, args) => sequence.run(ctx, `run ${args}`),
	});
	offerSkills(pi);
	catchBareCommands(pi);
	keepTypedLines(pi);
	// Set only in the processes of a rehearsal; no other pi loads the understudy.
	const rehearsalConfig = process.env.PI_CHRONICLE_REHEARSAL;
	if (rehearsalConfig) return joinRehearsal(pi, rehearsalConfig);
}
