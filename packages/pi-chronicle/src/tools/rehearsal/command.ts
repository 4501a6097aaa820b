// `/rehearse`: rehearses a definition of the session's project in separate processes. The session stays usable, and the model sees none of it.

import type { ExtensionCommandContext } from "@earendil-works/pi-coding-agent";
import { errorMessage } from "@pi-chronicle/core/definition";
import {
	agentFolder,
	chooseOption,
	definitionsTrusted,
	exitCodes,
	failWith,
	findPi,
	isPiCommand,
	offerToStop,
	ownPiSearch,
	packageRoot,
	type Scope,
	say,
} from "../../pi/index.ts";
import { parseArguments } from "../../ui/index.ts";
import { type DefinitionKind, listDefinitions, plan, planCoverage, splitRequest } from "./plan.ts";
import { type Coverable, type Playable, type RehearsalHost, rehearse } from "./rehearse.ts";
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
	/** Stops the current rehearsal. */
	running: AbortController | undefined;
	/** `undefined` before the session has started. */
	project: { readonly cwd: string; readonly trusted: boolean } | undefined;
}

const statusKey = "chronicle-rehearsal";
const background = {
	title: "A rehearsal is running",
	words: { no: "No, let it run", yes: "Yes, stop it" },
	statusKey,
	stopped: "Stopped the rehearsal and removed its copy of the project.",
};

/** Runs `/rehearse <args>`. With a screen it returns at once and shows progress; without one it returns at the end. */
export async function runRehearse(
	session: RehearsalSession,
	scope: Scope,
	ctx: ExtensionCommandContext,
	args: string,
): Promise<void> {
	if (session.running) return offerToStop(ctx, session.running, background);
	if (!definitionsTrusted(ctx)) return refuse(ctx, "Rehearsals run files of the project. Trust it first: /trust.");
	const pi = findPi(ownPiSearch());
	if (!isPiCommand(pi)) return refuse(ctx, `${pi.message} ${pi.remedy}`);
	const host = { cwd: ctx.cwd, agentFolder: agentFolder(), pi, packageRoot: packageRoot(), env: process.env };
	const { kind, name, task } = splitRequest(args);
	if (name === "")
		return refuse(ctx, `/rehearse [workflow | chronicle] <name> [--every] [task]. ${listDefinitions(host)}`);
	const alone = /(?:^|\s)--(?:by-hand|replay)(?=[\s=]|$)/.exec(` ${name} ${task}`)?.[0].trim();
	if (alone !== undefined) {
		const command = `pi-chronicle rehearse ${alone === "--replay" ? "--replay <transcript>" : `${name} --by-hand`}`;
		return refuse(ctx, `${alone} works in a shell, outside pi: ${command}`);
	}
	const option = parseArguments(task.split(/\s+/).filter(Boolean), { options: { every: "flag" }, textAfter: 0 });
	if ("error" in option) return refuse(ctx, option.error);
	const every = option.flags.has("every");
	const request = { name, task: every ? option.text.join(" ") : task.replace(/^--\s+/, ""), scenario: undefined };
	const find = (of: DefinitionKind | undefined) => (every ? planCoverage(request, of, host) : plan(request, of, host));
	const first = find(kind);
	const meant = first.kind === "unplayable" && first.choices ? await askWhich(ctx, name, first.choices) : undefined;
	if (meant === "neither") return;
	const planned = meant === undefined ? first : find(meant);
	if (planned.kind === "unplayable") return refuse(ctx, unplayableLines(planned, ctx.cwd).join("\n"));

	const stop = new AbortController();
	session.running = stop;
	const played = perform(planned, host, ctx, stop.signal);
	// The end of the session stops the rehearsal and removes its copy.
	const release = scope.own(async () => {
		stop.abort();
		await played;
	});
	void played.then(() => {
		session.running = undefined;
		void release();
	});
	if (!ctx.hasUI) await played;
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

async function perform(
	planned: Playable | Coverable,
	host: RehearsalHost,
	ctx: ExtensionCommandContext,
	signal: AbortSignal,
): Promise<void> {
	const { hasUI, mode, ui, sessionManager } = ctx;
	// After the session has ended, nothing can be shown.
	const show: Show = (lines, tone) => {
		if (!signal.aborted) say({ hasUI, mode, ui, sessionManager }, lines.join("\n").trim(), tone);
	};
	try {
		ui.setStatus(statusKey, `rehearsing ${planned.program.name}`);
		const done =
			planned.kind === "coverable"
				? await performEvery(planned, host, show, signal)
				: await performOnce(planned, host, show, signal);
		if (!done) failWith({ hasUI }, exitCodes.failed);
	} catch (error) {
		failWith({ hasUI }, exitCodes.failed);
		show([`The rehearsal failed: ${errorMessage(error)}`], "error");
	} finally {
		if (!signal.aborted) ui.setStatus(statusKey, undefined);
	}
}

type Show = (lines: readonly string[], tone?: "warning" | "error") => void;

/** Plays one run; resolves to whether it reached its end. */
async function performOnce(playable: Playable, host: RehearsalHost, show: Show, signal: AbortSignal): Promise<boolean> {
	show(openingLines(playable.program, host.cwd));
	const report = await rehearse(playable, host, {
		onVisit: (visit) => show(visitLines(visit)),
		onLine: (line) => show([line]),
		signal,
		afterwards: "remove",
	});
	const done = report.outcome === "done";
	show(closingLines(report), done ? undefined : "warning");
	return done;
}

/** Plays every planned run; resolves to whether everything reachable was covered. */
async function performEvery(
	coverable: Coverable,
	host: RehearsalHost,
	show: Show,
	signal: AbortSignal,
): Promise<boolean> {
	show(coverageOpening(coverable, host.cwd));
	const report = await rehearseEvery(coverable, host, {
		maxRuns: defaultBounds.runs,
		maxMs: defaultBounds.minutes * 60_000,
		onRun: (run, number, of) => show([runLine(run, number, of)]),
		signal,
	});
	const complete = report.outcome === "complete";
	show(coverageClosing(report), complete ? undefined : "warning");
	return complete;
}

/** Shows why nothing is played; without a screen the exit code shows it too. */
function refuse(ctx: ExtensionCommandContext, reason: string): void {
	failWith(ctx, exitCodes.usage);
	say(ctx, reason, "error");
}
