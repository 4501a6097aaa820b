// `/plan <task>`: the session's model drafts a definition in a child session, and the user decides about it. The session stays usable while it
// drafts. `/plan` alone shows the plan that waits for a decision.

import { homedir } from "node:os";
import type { ExtensionCommandContext, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { errorMessage } from "@pi-chronicle/core/definition";
import {
	agentFolder,
	type BackgroundJob,
	BackgroundWork,
	definitionsTrusted,
	exitCodes,
	failWith,
	fillLine,
	findPi,
	isPiCommand,
	ownPiSearch,
	packageRoot,
	rejectCommand,
	type Scope,
	say,
} from "../../pi/index.ts";
import { draftPlan } from "./author.ts";
import { decidePlan } from "./decide.ts";
import type { DraftKind } from "./draft.ts";
import type { PlanHost } from "./examine.ts";
import { makePlan, type Plan, saveDraft } from "./plan.ts";
import { type PlanWords, readPlanWords } from "./subject.ts";
import { keepPlan, removePlan, waitingPlan } from "./waiting.ts";

/** Starts a definition of each kind. `args`: its name, and the task except for a sequence. */
export type StartDefinition = Readonly<
	Record<DraftKind, (ctx: ExtensionCommandContext, args: string) => Promise<void>>
>;

/** The planning of one session. */
export interface PlanSession {
	readonly scope: Scope;
	readonly start: StartDefinition;
	/** `undefined` before the first draft. */
	work: BackgroundWork | undefined;
}

const background = {
	title: "A plan is being drafted",
	words: { no: "No, let it draft", yes: "Yes, stop it" },
	statusKey: "chronicle-plan",
	stopped: "Stopped the drafting. Nothing was written.",
	failed: "The plan failed",
};

/** Runs `/plan <args>`. With a screen it returns at once and asks when the draft has passed; without one it returns at the end. */
export async function runPlan(session: PlanSession, ctx: ExtensionCommandContext, args: string): Promise<void> {
	const work = workOf(session);
	if (work.isRunning) return work.offerToStop(ctx);
	const task = args.trim();
	if (!definitionsTrusted(ctx)) return rejectCommand(ctx, "A plan adds files to the project. Trust it first: /trust.");
	const host = planHost(ctx);
	if (typeof host === "string") return rejectCommand(ctx, host);
	const waiting = waitingPlan(host.place);
	if (task === "" && waiting) return settle(session, ctx, host, waiting, false);
	if (task === "") return rejectCommand(ctx, "Describe the task: /plan <task>.");
	const words = readPlanWords(task, ctx.cwd);
	if (typeof words === "string") return rejectCommand(ctx, words);
	const done = work
		.start(ctx, (job) => draft(session.scope, ctx, host, words, job))
		.then((plan) => (plan && !session.scope.closed ? settle(session, ctx, host, plan, true) : undefined))
		// With a screen, no caller awaits it: an error such as a full disk must not end pi.
		.catch((error) => {
			if (!session.scope.closed) rejectCommand(ctx, `The plan failed: ${errorMessage(error)}`);
		});
	if (!ctx.hasUI) await done;
}

function workOf(session: PlanSession): BackgroundWork {
	session.work ??= new BackgroundWork(session.scope, background);
	return session.work;
}

/** The project of a session for planning; a string explains what is missing. */
export function planHost(ctx: Pick<ExtensionContext, "cwd" | "isProjectTrusted">): PlanHost | string {
	const pi = findPi(ownPiSearch());
	if (!isPiCommand(pi)) return `${pi.message} ${pi.remedy}`;
	const trust = definitionsTrusted(ctx) ? "trusted" : "untrusted";
	const place = { cwd: ctx.cwd, home: homedir(), agentFolder: agentFolder(), trust, pi, env: process.env } as const;
	return { place, packageRoot: packageRoot() };
}

async function draft(
	scope: Scope,
	{ hasUI, model }: ExtensionCommandContext,
	host: PlanHost,
	words: PlanWords,
	{ signal, show, progress }: BackgroundJob,
): Promise<Plan | undefined> {
	const onProgress = (text: string): void => progress(`plan: ${text}`);
	const request = { ...words, model: model && `${model.provider}/${model.id}`, signal, onProgress };
	const end = await draftPlan(request, host, scope);
	if (end.kind === "drafted") return end.plan;
	if (end.kind === "failed") {
		failWith({ hasUI }, exitCodes.failed);
		show([end.reason, ...end.problems, `${end.remedy} The drafts are in ${end.session}.`].join("\n"), "error");
	}
	return undefined;
}

/** Saves the plan, asks about it, and carries out the user's decision. */
async function settle(
	session: PlanSession,
	ctx: ExtensionCommandContext,
	host: PlanHost,
	plan: Plan,
	uncalled: boolean,
): Promise<void> {
	keepPlan(plan, host.place);
	if (!ctx.hasUI) {
		failWith(ctx, exitCodes.waits);
		return say(
			ctx,
			[...plan.lines, "", "Nothing was started. /plan asks in a session; in a shell: pi-chronicle plan --start."].join(
				"\n",
			),
		);
	}
	// A dialog must not capture the user's typing.
	if (uncalled && ctx.mode === "tui" && ctx.ui.getEditorText() !== "")
		return say(ctx, "The plan is ready. /plan shows it.");
	const decision = await decidePlan(ctx, plan, uncalled);
	if (session.scope.closed) return;
	switch (decision.kind) {
		case "later":
		case "nobody":
			return say(ctx, "The plan waits: /plan shows it again.");
		case "drop":
			removePlan(host.place);
			return say(ctx, "The plan was dropped. Nothing was written.");
		case "edited":
			return settleEdited(session, ctx, host, { ...plan, draft: decision.draft });
		default:
			return acceptPlan(session, ctx, host, plan, decision.kind);
	}
}

/** Examines an edited draft. Shows its problems and keeps the unedited plan if it does not pass. */
async function settleEdited(
	session: PlanSession,
	ctx: ExtensionCommandContext,
	host: PlanHost,
	{ task, draft: edited, usage }: Plan,
): Promise<void> {
	const made = await workOf(session).start(ctx, ({ signal, progress }) => {
		progress("plan: checking and rehearsing");
		return makePlan(task, { kind: "draft", draft: edited }, usage, host, signal);
	});
	if (made === undefined || session.scope.closed) return;
	if (!("problems" in made)) return settle(session, ctx, host, made, false);
	say(
		ctx,
		["The edited draft is invalid:", ...made.problems, "The unedited plan still waits: /plan."].join("\n"),
		"error",
	);
}

async function acceptPlan(
	session: PlanSession,
	ctx: ExtensionCommandContext,
	host: PlanHost,
	{ draft: { kind, ...files }, command, task }: Plan,
	decision: "start" | "save",
): Promise<void> {
	const unsaved = saveDraft({ kind, ...files }, ctx.cwd);
	if (unsaved !== undefined) return say(ctx, `${unsaved} /plan shows the plan again.`, "error");
	removePlan(host.place);
	const line = startLine(kind, command);
	say(ctx, `Saved ${files.files.map(({ path }) => path).join(", ")}. Start it at any time: ${line}`);
	if (decision !== "start") return;
	// A definition that was converted from a file has no task yet.
	if (kind !== "sequence" && task === "") fillLine(ctx, line.replace("<task>", ""));
	else await session.start[kind](ctx, kind === "sequence" ? command : `${command} ${task}`);
}

/** The command that starts a definition in pi. */
export function startLine(kind: DraftKind, command: string): string {
	switch (kind) {
		case "chronicle":
			return `/chronicle start ${command} <task>`;
		case "workflow":
			return `/workflow ${command} <task>`;
		case "sequence":
			return `/sequence run ${command}`;
	}
}
