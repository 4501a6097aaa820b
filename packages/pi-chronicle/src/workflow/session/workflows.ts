// Connects the parts of workflows for one session. Imported when a workflow command first runs, or when the session contains a run.
import { type ExtensionAPI, type ExtensionContext, getAgentDir } from "@earendil-works/pi-coding-agent";
import { type ExitCode, exitCodes, foreignTools, openExitCode, type Scope, say } from "../../pi/index.ts";
import type { Policies, SessionBox } from "../../safety/index.ts";
import { stepTool } from "../limits/index.ts";
import { reachable, rootOf, waitsForUser } from "../phase-machine/index.ts";
import { answerLine, askLine, pauseLine, personLine, placeLine, workflowRefusalText } from "../prompts/index.ts";
import type { Rows } from "../rows.ts";
import { WorkflowConversation } from "./conversation.ts";
import { definitionsHash } from "./entries.ts";
import { runGate } from "./gate-command.ts";
import { type Library, openLibrary, projectContext } from "./library.ts";
import { openRows } from "./notices.ts";
import { type OpenRunFiles, PhaseFiles } from "./phase-files.ts";
import type { phaseMessage } from "./phase-message.ts";
import { PhaseModels } from "./phase-model.ts";
import { brokenText } from "./report.ts";
import { RunController } from "./run-controller.ts";
import { offerStepTool } from "./tool.ts";

export interface Workflows {
	readonly pi: ExtensionAPI;
	readonly scope: Scope;
	readonly library: Library;
	readonly controller: RunController;
	readonly conversation: WorkflowConversation;
	readonly rows: Rows;
	readonly files: PhaseFiles;
	/** Calls `read` when earlier calls have returned, so that of two commands the one that was given first continues first. */
	inOrder<T>(read: () => Promise<T>): Promise<T>;
	/** A description of the active run, for the user; `undefined` without one. */
	live(): string | undefined;
	/** The text of the current phase, for a context that has nothing of the session; `undefined` without a running workflow. */
	introduction(): ReturnType<typeof phaseMessage> | undefined;
	/** Runs a command of a sequence as the gate of a phase is run. */
	test(ctx: ExtensionContext, command: string, signal: AbortSignal): ReturnType<typeof runGate>;
	/** Reflects the state of the run when pi has no UI. */
	readonly exit: ExitCode;
	/** Restores the run of the session's branch. `greet`: the user opens this session and sees the state of its run. */
	restore(ctx: ExtensionContext, greet: "greet" | "silently"): void;
}

export function openWorkflows(
	pi: ExtensionAPI,
	{ scope, policies, box, openFiles }: { scope: Scope; policies: Policies; box: SessionBox; openFiles: OpenRunFiles },
): Workflows {
	const library = openLibrary(getAgentDir());
	const files = new PhaseFiles(pi, openFiles);
	const controller: RunController = new RunController({
		pi,
		policies,
		box,
		library,
		models: new PhaseModels(pi),
		files,
		offer: (offered) => offerStepTool(pi, () => controller, offered),
	});
	const conversation = new WorkflowConversation({ pi, scope, controller });
	const exit = openExitCode();
	controller.changed = (actions, rewritten) => {
		conversation.onChange(actions, rewritten);
		// The user ended a run that an earlier message left waiting, so clear its exit code.
		if (actions.some(({ kind }) => kind === "ended")) exit.set(undefined);
	};
	conversation.settled = (ctx, ended) => {
		if (!ctx.hasUI) conclude(ctx, exit, controller, ended);
	};
	let last: Promise<unknown> = Promise.resolve();
	return {
		pi,
		scope,
		library,
		controller,
		conversation,
		exit,
		files,
		inOrder(read) {
			const result = last.then(read);
			last = result.catch(() => undefined);
			return result;
		},
		rows: openRows((state) => controller.describe(state)),
		live() {
			const run = controller.active?.run;
			return run && `the workflow "${run.kind === "live" ? rootOf(run).name : run.workflowKey}"`;
		},
		introduction: () => controller.introduction(),
		test(ctx, command, signal) {
			const title = "Run the command that can end the sequence?";
			return runGate({ command }, { policies, box, library, title }, ctx, signal);
		},
		restore(ctx, greet) {
			const problem = controller.restore(ctx, greet === "greet" ? "opened" : "moved");
			if (problem !== undefined)
				say(ctx, `The workflow state in this session cannot be read (${problem}), so it is ignored.`, "warning");
			if (greet === "greet" && ctx.hasUI) welcome(pi, ctx, controller, library);
		},
	};
}

/** Without a UI, reports the state of the workflow through a message and pi's exit code. */
function conclude(ctx: ExtensionContext, exit: ExitCode, { held, active }: RunController, ended: boolean): void {
	if (!held) return;
	// Recompute the exit code after each message: a later one may have continued a run that waited.
	const over = ended && held.run.status.kind === "cancelled" ? exitCodes.failed : undefined;
	exit.set(active ? exitCodes.waits : over);
	if (!active) return;
	const { run } = active;
	// A pause and a question have already been reported.
	if (run.kind !== "live" || run.status.kind !== "running" || run.question !== undefined) return;
	const how = waitsForUser(run) ? ": /workflow next continues it" : ": your next message continues it";
	say(
		ctx,
		`The workflow "${rootOf(run).name}" is not finished; it waits for you in ${placeLine(run)}${how}.`,
		"warning",
	);
}

/** Informs a user who returns to a session with an active workflow. */
function welcome(pi: ExtensionAPI, ctx: ExtensionContext, { active }: RunController, library: Library): void {
	if (!active) return;
	const foreign = foreignTools(pi, [stepTool], "a workflow");
	if (foreign !== undefined) say(ctx, foreign, "warning");
	const { run, pinned } = active;
	const catalogue = library.load(projectContext(ctx));
	const broken = brokenText(run, catalogue, ctx.cwd);
	if (run.kind === "stale") {
		const lost = workflowRefusalText({ kind: "stale", missing: run.missing });
		say(ctx, [lost, broken].filter(Boolean).join("\n"), "warning");
		return;
	}
	const { status } = run;
	const question = run.question === undefined ? "" : `\n${askLine(run.question)}\n${answerLine()}.`;
	const waits = waitsForUser(run) ? personLine : "It waits for you: send a message, or enter /workflow resume.";
	const state = status.kind === "paused" ? pauseLine(status) : question === "" ? waits : "";
	const now = reachable(catalogue.definitions, run.workflowKey);
	const keeps = "the run keeps the one it was started with";
	const differs =
		broken !== undefined
			? `\nIts definition has changed since; ${keeps}. ${broken}`
			: pinned !== undefined && definitionsHash(now) !== pinned.hash
				? `\nIts definition has changed since; ${keeps}. /workflow reload switches to the new one.`
				: "";
	say(ctx, `This session is in a workflow: ${placeLine(run)}. ${state}${question}${differs}`);
}
