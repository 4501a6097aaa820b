// `/rehearse`: a rehearsal of the project that this session is in, in processes of its own. The session stays free meanwhile, and
// nothing of it reaches the model.
import type { ExtensionCommandContext } from "@earendil-works/pi-coding-agent";
import { parseArguments } from "../chronicle/index.ts";
import {
	agentFolder,
	askPerson,
	choosePerson,
	definitionsTrusted,
	exitCodes,
	failWith,
	findPi,
	isPiCommand,
	ownPiSearch,
	packageRoot,
	type Scope,
	say,
} from "../pi/index.ts";
import { coverageClosing, coverageOpening, runLine } from "./every-report.ts";
import { defaultBounds, rehearseEvery } from "./every-runs.ts";
import { completions, type Kind, plan, planCoverage, splitWords, whatThereIs } from "./plan.ts";
import { type Coverable, type House, type Playable, rehearse } from "./program.ts";
import { closingLines, openingLines, partLines, unplayableLines } from "./report.ts";

/** What one session knows about its rehearsals. */
export interface RehearsalSession {
	/** The rehearsal that is being played. */
	running: AbortController | undefined;
	/** Where the session is; `undefined` before it has started. */
	place: { readonly cwd: string; readonly trusted: boolean } | undefined;
}

const statusKey = "chronicle-rehearsal";

/** Names of definitions that begin with `prefix`; `null` where there are none. */
export function completeRehearse(session: RehearsalSession, prefix: string): { value: string; label: string }[] | null {
	if (!session.place?.trusted) return null;
	const names = completions({ cwd: session.place.cwd, agentFolder: agentFolder() });
	const found = names.filter((name) => name.startsWith(prefix)).map((name) => ({ value: name, label: name }));
	return found.length === 0 ? null : found;
}

/** Runs `/rehearse <args>`. With a screen it returns at once and tells what happens as it happens; without one it returns at the end. */
export async function runRehearse(
	session: RehearsalSession,
	scope: Scope,
	ctx: ExtensionCommandContext,
	args: string,
): Promise<void> {
	if (session.running) return offerToStop(session.running, ctx);
	if (!definitionsTrusted(ctx))
		return refuse(ctx, "Rehearsals play files of the project, so pi must be told to trust it first: /trust.");
	const pi = findPi(ownPiSearch());
	if (!isPiCommand(pi)) return refuse(ctx, `${pi.message} ${pi.remedy}`);
	const house = { cwd: ctx.cwd, agentFolder: agentFolder(), pi, packageRoot: packageRoot(), env: process.env };
	const { kind, name, task } = splitWords(args);
	if (name === "")
		return refuse(ctx, `/rehearse [workflow | chronicle] <name> [--every] [task]. ${whatThereIs(house)}`);
	const option = parseArguments(task.split(/\s+/).filter(Boolean), { options: { every: "flag" }, textAfter: 0 });
	if ("error" in option) return refuse(ctx, option.error);
	const every = option.flags.has("every");
	const wish = { name, task: every ? option.text.join(" ") : task.replace(/^--\s+/, ""), scenario: undefined };
	const find = (of: Kind | undefined) => (every ? planCoverage(wish, of, house) : plan(wish, of, house));
	const first = find(kind);
	const meant = first.kind === "unplayable" && first.choices ? await askWhich(ctx, name, first.choices) : undefined;
	if (meant === "neither") return;
	const planned = meant === undefined ? first : find(meant);
	if (planned.kind === "unplayable") return refuse(ctx, unplayableLines(planned, ctx.cwd).join("\n"));

	const stop = new AbortController();
	session.running = stop;
	const played = perform(planned, house, ctx, stop.signal);
	// A session that ends takes its rehearsal along, copy and all.
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

/** Which of the two kinds a name means; `neither`: the dialog was closed; `undefined`: there is nobody to ask. */
async function askWhich(
	ctx: ExtensionCommandContext,
	name: string,
	options: readonly Kind[],
): Promise<Kind | "neither" | undefined> {
	const message = `There is a workflow ${name} and a chronicle ${name}.`;
	const answer = await choosePerson(ctx, { title: "Which one is to be rehearsed?", message, options });
	if (answer === undefined) return "neither";
	return answer === "nobody" ? undefined : answer;
}

async function perform(
	planned: Playable | Coverable,
	house: House,
	ctx: ExtensionCommandContext,
	signal: AbortSignal,
): Promise<void> {
	const { hasUI, mode, ui } = ctx;
	// Once the session is gone there is nobody to tell.
	const tell: Tell = (lines, tone) => {
		if (!signal.aborted) say({ hasUI, mode, ui }, lines.join("\n").trim(), tone);
	};
	try {
		ui.setStatus(statusKey, `rehearsing ${planned.program.name}`);
		const done =
			planned.kind === "coverable"
				? await performEvery(planned, house, tell, signal)
				: await performOnce(planned, house, tell, signal);
		if (!done) failWith({ hasUI }, exitCodes.failed);
	} catch (error) {
		failWith({ hasUI }, exitCodes.failed);
		tell([`The rehearsal could not be played: ${error instanceof Error ? error.message : String(error)}`], "error");
	} finally {
		if (!signal.aborted) ui.setStatus(statusKey, undefined);
	}
}

type Tell = (lines: readonly string[], tone?: "warning" | "error") => void;

/** Plays one run; whether it came to its end. */
async function performOnce(playable: Playable, house: House, tell: Tell, signal: AbortSignal): Promise<boolean> {
	tell(openingLines(playable.program, house.cwd));
	const report = await rehearse(playable, house, {
		onPart: (part) => tell(partLines(part)),
		onLine: (line) => tell([line]),
		signal,
		afterwards: "remove",
	});
	const done = report.outcome === "done";
	tell(closingLines(report), done ? undefined : "warning");
	return done;
}

/** Plays every planned run; whether everything that can be reached was covered. */
async function performEvery(coverable: Coverable, house: House, tell: Tell, signal: AbortSignal): Promise<boolean> {
	tell(coverageOpening(coverable, house.cwd));
	const report = await rehearseEvery(coverable, house, {
		mostRuns: defaultBounds.runs,
		mostMs: defaultBounds.minutes * 60_000,
		onRun: (run, number, of) => tell([runLine(run, number, of)]),
		signal,
	});
	const complete = report.outcome === "complete";
	tell(coverageClosing(report), complete ? undefined : "warning");
	return complete;
}

async function offerToStop(running: AbortController, ctx: ExtensionCommandContext): Promise<void> {
	const answer = await askPerson(ctx, {
		title: "A rehearsal is being played",
		message: "Stop it?",
		words: { no: "No, let it run", yes: "Yes, stop it" },
	});
	if (answer !== "yes") return;
	ctx.ui.setStatus(statusKey, undefined);
	running.abort();
	say(ctx, "The rehearsal was stopped; its copy of the project is removed.");
}

/** Says why nothing is played; where nobody looks at notifications the exit shows it too. */
function refuse(ctx: ExtensionCommandContext, reason: string): void {
	failWith(ctx, exitCodes.usage);
	say(ctx, reason, "error");
}
