// `/rehearse`: rehearses a definition of the session's project in separate processes. The session stays usable, and the model sees none of it.

import type { ExtensionCommandContext } from "@earendil-works/pi-coding-agent";
import {
	agentFolder,
	type BackgroundJob,
	BackgroundWork,
	chooseOption,
	definitionsTrusted,
	exitCodes,
	failWith,
	findPi,
	isPiCommand,
	ownPiSearch,
	packageRoot,
	type Scope,
	say,
} from "../../pi/index.ts";
import { parseArguments } from "../../ui/index.ts";
import { type DefinitionKind, listDefinitions, plan, splitRequest } from "./plan.ts";
import { type Playable, type RehearsalHost, rehearse } from "./rehearse.ts";
import { defaultBounds, rehearseEvery } from "./rehearse-every.ts";
import {
	closingLines,
	coverageClosing,
	coverageOpening,
	openingLines,
	runLine,
	unplayableLines,
	visitLines,
} from "./report.ts";

/** The rehearsals of one session. */
export interface RehearsalSession {
	/** `undefined` before the first one. */
	work: BackgroundWork | undefined;
	/** `undefined` before the session has started. */
	project: { readonly cwd: string; readonly trusted: boolean } | undefined;
}

const background = {
	title: "A rehearsal is running",
	words: { no: "No, let it run", yes: "Yes, stop it" },
	statusKey: "chronicle-rehearsal",
	stopped: "Stopped the rehearsal and removed its copy of the project.",
	failed: "The rehearsal failed",
};

/** Runs `/rehearse <args>`. With a screen it returns at once and shows progress; without one it returns at the end. */
export async function runRehearse(
	session: RehearsalSession,
	scope: Scope,
	ctx: ExtensionCommandContext,
	args: string,
): Promise<void> {
	session.work ??= new BackgroundWork(scope, background);
	const { work } = session;
	if (work.isRunning) return work.offerToStop(ctx);
	if (!definitionsTrusted(ctx))
		return refuseRehearsal(ctx, "Rehearsals run files of the project. Trust it first: /trust.");
	const pi = findPi(ownPiSearch());
	if (!isPiCommand(pi)) return refuseRehearsal(ctx, `${pi.message} ${pi.remedy}`);
	const host = { cwd: ctx.cwd, agentFolder: agentFolder(), pi, packageRoot: packageRoot(), env: process.env };
	const { kind, name, task } = splitRequest(args);
	if (name === "")
		return refuseRehearsal(ctx, `/rehearse [workflow | chronicle] <name> [--every] [task]. ${listDefinitions(host)}`);
	const alone = /(?:^|\s)--(?:by-hand|replay)(?=[\s=]|$)/.exec(` ${name} ${task}`)?.[0].trim();
	if (alone !== undefined) {
		const command = `pi-chronicle rehearse ${alone === "--replay" ? "--replay <transcript>" : `${name} --by-hand`}`;
		return refuseRehearsal(ctx, `${alone} works in a shell, outside pi: ${command}`);
	}
	const option = parseArguments(task.split(/\s+/).filter(Boolean), { options: { every: "flag" }, textAfter: 0 });
	if ("error" in option) return refuseRehearsal(ctx, option.error);
	const every = option.flags.has("every");
	const request = { name, task: every ? option.text.join(" ") : task.replace(/^--\s+/, ""), scenario: undefined };
	const first = plan(request, kind, host);
	const meant = first.kind === "unplayable" && first.choices ? await askWhich(ctx, name, first.choices) : undefined;
	if (meant === "neither") return;
	const planned = meant === undefined ? first : plan(request, meant, host);
	if (planned.kind === "unplayable") return refuseRehearsal(ctx, unplayableLines(planned, ctx.cwd).join("\n"));

	// After the end of the session, its context must not be used.
	const { hasUI } = ctx;
	const played = work.start(ctx, async (job) => {
		job.progress(`rehearsing ${planned.program.name}`);
		const isDone = await (every ? playEvery : playOnce)(planned, host, job);
		if (!isDone) failWith({ hasUI }, exitCodes.failed);
	});
	if (!hasUI) await played;
}

/** Asks which kind a name means. `neither`: the dialog was closed; `undefined`: the user cannot be asked. */
async function askWhich(
	ctx: ExtensionCommandContext,
	name: string,
	options: readonly DefinitionKind[],
): Promise<DefinitionKind | "neither" | undefined> {
	const message = `There is a workflow ${name} and a chronicle ${name}.`;
	const answer = await chooseOption(ctx, { title: "Rehearse which one?", message, options });
	if (answer === undefined) return "neither";
	return answer === "nobody" ? undefined : answer;
}

/** Plays one run; resolves to whether it reached its end. */
async function playOnce(playable: Playable, host: RehearsalHost, { show, signal }: BackgroundJob): Promise<boolean> {
	show(textOf(openingLines(playable.program, host.cwd)));
	const report = await rehearse(playable, host, {
		onVisit: (visit) => show(textOf(visitLines(visit))),
		onLine: show,
		signal,
		afterwards: "remove",
	});
	const isDone = report.outcome === "done";
	show(textOf(closingLines(report)), isDone ? undefined : "warning");
	return isDone;
}

/** Plays every planned run; resolves to whether everything reachable was covered. */
async function playEvery(playable: Playable, host: RehearsalHost, { show, signal }: BackgroundJob): Promise<boolean> {
	show(textOf(coverageOpening(playable, host.cwd)));
	const report = await rehearseEvery(playable, host, {
		maxRuns: defaultBounds.runs,
		maxMs: defaultBounds.minutes * 60_000,
		onRun: (run, number, of) => show(runLine(run, number, of)),
		signal,
	});
	const isComplete = report.outcome === "complete";
	show(textOf(coverageClosing(report)), isComplete ? undefined : "warning");
	return isComplete;
}

function textOf(lines: readonly string[]): string {
	return lines.join("\n").trim();
}

/** Shows why nothing is played; without a screen the exit code shows it too. */
function refuseRehearsal(ctx: ExtensionCommandContext, reason: string): void {
	failWith(ctx, exitCodes.usage);
	say(ctx, reason, "error");
}
