// `/rehearse`: rehearses a definition of the session's project in separate processes. The session stays usable, and the model sees none of it.

import type { ExtensionCommandContext } from "@earendil-works/pi-coding-agent";
import {
	agentFolder,
	BackgroundWork,
	chooseOption,
	definitionsTrusted,
	exitCodes,
	failWith,
	findPi,
	isPiCommand,
	ownPiSearch,
	packageRoot,
	rejectCommand,
	type Scope,
} from "../../pi/index.ts";
import { parseArguments } from "../../ui/index.ts";
import { type DefinitionKind, listDefinitions, plan, splitRequest } from "./plan.ts";
import { defaultBounds } from "./rehearse-every.ts";
import { unplayableLines } from "./report.ts";
import { tellCoverage, tellRehearsal } from "./told-rehearsal.ts";

/** The rehearsals of one session. */
export interface RehearsalSession {
	/** `undefined` before the first one. */
	work: BackgroundWork | undefined;
	/** `undefined` before the session has started. */
	project: { readonly cwd: string; readonly trusted: boolean } | undefined;
}

const usualBounds = { maxRuns: defaultBounds.runs, maxMs: defaultBounds.minutes * 60_000 };

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
		return rejectCommand(ctx, "Rehearsals run files of the project. Trust it first: /trust.");
	const pi = findPi(ownPiSearch());
	if (!isPiCommand(pi)) return rejectCommand(ctx, `${pi.message} ${pi.remedy}`);
	const host = { cwd: ctx.cwd, agentFolder: agentFolder(), pi, packageRoot: packageRoot(), env: process.env };
	const { kind, name, task } = splitRequest(args);
	if (name === "")
		return rejectCommand(ctx, `/rehearse [workflow | chronicle] <name> [--every] [task]. ${listDefinitions(host)}`);
	const alone = /(?:^|\s)--(?:by-hand|replay)(?=[\s=]|$)/.exec(` ${name} ${task}`)?.[0].trim();
	if (alone !== undefined) {
		const command = `pi-chronicle rehearse ${alone === "--replay" ? "--replay <transcript>" : `${name} --by-hand`}`;
		return rejectCommand(ctx, `${alone} works in a shell, outside pi: ${command}`);
	}
	const option = parseArguments(task.split(/\s+/).filter(Boolean), { options: { every: "flag" }, textAfter: 0 });
	if ("error" in option) return rejectCommand(ctx, option.error);
	const every = option.flags.has("every");
	const request = { name, task: every ? option.text.join(" ") : task.replace(/^--\s+/, ""), scenario: undefined };
	const first = plan(request, kind, host);
	const meant = first.kind === "unplayable" && first.choices ? await askWhich(ctx, name, first.choices) : undefined;
	if (meant === "neither") return;
	const planned = meant === undefined ? first : plan(request, meant, host);
	if (planned.kind === "unplayable") return rejectCommand(ctx, unplayableLines(planned, ctx.cwd).join("\n"));

	// After the end of the session, its context must not be used.
	const { hasUI } = ctx;
	const played = work.start(ctx, async (job) => {
		job.progress(`rehearsing ${planned.program.name}`);
		const say = (lines: readonly string[], tone?: "warning") => job.show(lines.join("\n").trim(), tone);
		const telling = { say, signal: job.signal };
		const { isFine } = every
			? await tellCoverage(planned, host, telling, usualBounds)
			: await tellRehearsal(planned, host, telling, { afterwards: "remove" });
		if (!isFine) failWith({ hasUI }, exitCodes.failed);
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
