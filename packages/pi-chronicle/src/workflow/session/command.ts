// `/workflow` and `/cancel-workflow`. A workflow name always takes precedence over a verb of the same name; the verb is then written with
// dashes, such as `--status`.
import type { ExtensionCommandContext } from "@earendil-works/pi-coding-agent";
import type { AutocompleteItem } from "@earendil-works/pi-tui";
import { readModelRoles } from "../../persona/index.ts";
import { chronicleSettings, exitCodes, pageText, rejectCommand, say } from "../../pi/index.ts";
import {
	type Catalogue,
	catalogueCheckLines,
	checkModelNames,
	checkToolNames,
	commandWords,
	listLines,
	usageLines,
	visibleCommands,
} from "../definitions/index.ts";
import { offerWords, verbsWithoutRun } from "../offered-words.ts";
import {
	earlierPhases,
	reachable,
	type WorkflowAction,
	type WorkflowEvent,
	type WorkflowRun,
} from "../phase-machine/index.ts";
import {
	abandonedText,
	answerLine,
	askLine,
	movedByPersonText,
	placeLine,
	resumeText,
	workflowRefusalText,
} from "../prompts/index.ts";
import { cancelledType, contextType, hasPhaseText, reminderType } from "./context-messages.ts";
import { definitionsHash, type HeldRun } from "./entries.ts";
import { awaitsCut } from "./fresh-context.ts";
import { type ProjectContext, projectContext } from "./library.ts";
import { lastWords } from "./phase-message.ts";
import { brokenText, notFoundText, rejectedText, statusReport, trustHint, verbsText } from "./report.ts";
import { restorePhase, undoRestore } from "./restore-files.ts";
import { startModelTurn, startWorkflow } from "./starting.ts";
import type { Workflows } from "./workflows.ts";

type Verb = (
	workflows: Workflows,
	ctx: ExtensionCommandContext,
	rest: string,
	catalogue: Catalogue,
) => void | Promise<void>;

/** Verbs that take an argument. */
const verbsWithArgument: ReadonlySet<string> = new Set(["show", "back", "init"]);

const verbs: Readonly<Record<string, Verb>> = {
	list: (_workflows, ctx, _rest, catalogue) =>
		pageText(ctx, "Workflows", [...listLines(catalogue, ctx.cwd), ...trustHint(projectContext(ctx))].join("\n")),
	check: ({ pi }, ctx, _rest, catalogue) => {
		const unknown = checkToolNames(
			catalogue,
			pi.getAllTools().map(({ name }) => name),
		);
		const unusable = checkModelNames(
			catalogue,
			ctx.modelRegistry.getAvailable(),
			readModelRoles(chronicleSettings(pi).models),
		);
		const pointer = "`pi-chronicle check` in a shell checks every definition of the project.";
		const text = [...catalogueCheckLines(catalogue, [...unknown, ...unusable], ctx.cwd), pointer].join("\n");
		if (catalogue.rejected.size > 0 && ctx.mode !== "tui") return rejectCommand(ctx, text);
		return pageText(ctx, "Workflow check", text);
	},
	status: ({ controller }, ctx) => pageText(ctx, "Workflow", statusReport(ctx, controller)),
	init: async (_workflows, ctx, name) => (await import("./init.ts")).initWorkflow(ctx, name),
	show: async (...asked) => (await import("./show.ts")).showWorkflow(...asked),
	pause: (workflows, ctx) => {
		change(workflows, ctx, { kind: "pause", by: "person" });
	},
	resume: resumeWorkflow,
	next: (workflows, ctx) =>
		moveTo(workflows, ctx, { kind: "advance", at: Date.now(), summary: lastWords(ctx.sessionManager) }),
	skip: (workflows, ctx) => moveTo(workflows, ctx, { kind: "skip", at: Date.now() }),
	back: goBack,
	reload: reloadWorkflow,
};

/** Runs `/workflow <args>`. */
export async function runWorkflow(workflows: Workflows, ctx: ExtensionCommandContext, args: string): Promise<void> {
	const [, word = "", rest = ""] = /^\s*(\S*)\s*([\s\S]*?)\s*$/.exec(args) ?? [];
	const catalogue = workflows.library.load(projectContext(ctx));
	if (word === "") {
		const text = [...usageLines(catalogue, ctx.cwd), ...trustHint(projectContext(ctx)), "", verbsText].join("\n");
		return pageText(ctx, "Workflows", text);
	}
	const definition = catalogue.commands.get(word);
	const verb = word.startsWith("--") ? word.slice(2) : definition?.show === "user" ? "" : word;
	if (Object.hasOwn(verbs, verb)) {
		const [surplus] = rest.split(/\s+/);
		if (surplus && !verbsWithArgument.has(verb))
			return rejectCommand(ctx, `/workflow ${word} takes no arguments, but got "${surplus}".`);
		return verbs[verb]?.(workflows, ctx, rest, catalogue);
	}
	if (definition?.show !== "user") return rejectCommand(ctx, notStartableText(word, catalogue, ctx));
	if (rest === "") return rejectCommand(ctx, `Add the task: /workflow ${word} <task>`, { tone: "warning" });
	const option = verbAtEnd(rest);
	if (option !== undefined)
		return rejectCommand(
			ctx,
			`${option} is not an option of a task: enter /workflow ${option} alone. If the task ends with it, put -- before the task: /workflow ${word} -- <task>`,
		);
	return startWorkflow(workflows, ctx, catalogue, definition, rest.replace(/^--\s+/, ""));
}

/** Explains why `word` does not start a workflow. */
function notStartableText(word: string, catalogue: Catalogue, ctx: ExtensionCommandContext): string {
	const known = catalogue.commands.get(word) ?? catalogue.definitions.get(word);
	if (known?.show === "workflows") return `The workflow "${word}" only runs inside others; start one that contains it.`;
	const rejected = catalogue.rejected.get(word);
	if (rejected) return rejectedText(rejected, ctx.cwd);
	return [notFoundText(word, catalogue, commandWords), ...trustHint(projectContext(ctx))].join("\n");
}

/** The verb, written as an option, at the end of a task; a leading `--` turns the whole task into plain text. */
function verbAtEnd(task: string): string | undefined {
	if (/^--\s/.test(task)) return undefined;
	const [, verb] = /\s--([a-z]+)$/.exec(task) ?? [];
	return verb !== undefined && commandWords.includes(verb) ? `--${verb}` : undefined;
}

/** Runs `/cancel-workflow`, without confirmation. */
export function cancelWorkflow(workflows: Workflows, ctx: ExtensionCommandContext, args: string): void {
	const { controller, conversation } = workflows;
	const [surplus] = args.trim().split(/\s+/);
	if (surplus) {
		rejectCommand(ctx, `/cancel-workflow takes no arguments, but got "${surplus}".`);
		return;
	}
	const { active } = controller;
	if (!active) {
		rejectCommand(ctx, "No workflow is active.", { tone: "warning" });
		return;
	}
	const working = conversation.isWorking(ctx);
	controller.apply(ctx, { kind: "abandon", at: Date.now() });
	reportEnd(workflows, controller.held ?? active, working);
}

/** After the user has ended a run: informs a working model that the workflow's instructions no longer apply. */
function reportEnd({ conversation }: Workflows, held: HeldRun, working: boolean, way?: "next" | "skip"): void {
	// A model at rest learns it with the user's next message.
	if (working) conversation.send(held, cancelledType, abandonedText(held.run, way));
}

/** Completions for `/workflow `: names and the verbs that apply now, then the argument of the verb. `null` if the input is complete. */
export function completeWorkflow(
	{ library, controller, files }: Workflows,
	prefix: string,
	place: ProjectContext,
): AutocompleteItem[] | null {
	const run = controller.active?.run;
	const words = {
		names: visibleCommands(library.recent(place)).map(([command, { name }]) => [command, name] as const),
		startable: run === undefined,
		verbs: commandWords.filter((word) => isApplicable(word, run)),
		earlier: run?.kind === "live" ? [...earlierPhases(run), ...(files.isOn ? ["--files", "--undo"] : [])] : [],
	};
	return offerWords(words, prefix);
}

/** Whether a verb applies now: most verbs require a run in a certain state. */
function isApplicable(verb: string, run: WorkflowRun | undefined): boolean {
	if (verbsWithoutRun.includes(verb)) return true;
	if (run === undefined) return false;
	switch (verb) {
		case "pause":
			return run.status.kind === "running";
		case "next":
		case "skip":
			return run.kind === "live";
		case "back":
			return run.kind === "live" && earlierPhases(run).length > 0;
		default:
			return true;
	}
}

/** Applies an event to the run and reports a refusal to the user. */
function change(
	{ controller }: Workflows,
	ctx: ExtensionCommandContext,
	event: WorkflowEvent,
): readonly WorkflowAction[] {
	if (!controller.active) {
		rejectCommand(ctx, "No workflow is active.");
		return [];
	}
	const actions = controller.apply(ctx, event);
	for (const action of actions) if (action.kind === "refused") rejectCommand(ctx, workflowRefusalText(action.refusal));
	return actions;
}

function did(actions: readonly WorkflowAction[], kind: WorkflowAction["kind"]): boolean {
	return actions.some((action) => action.kind === kind);
}

async function resumeWorkflow(workflows: Workflows, ctx: ExtensionCommandContext): Promise<void> {
	const { controller, conversation } = workflows;
	const before = controller.active?.run;
	const paused = before?.status.kind === "paused";
	const asked = before?.question !== undefined;
	// Also continues a run that is not paused but waiting: the user held the countdown, or the user ends the phase.
	const actions = paused || asked || !ctx.isIdle() ? change(workflows, ctx, { kind: "resume" }) : [];
	if (paused || asked ? !did(actions, "resumed") : !ctx.isIdle()) return;
	const { active } = controller;
	if (!active) return rejectCommand(ctx, "No workflow is active.");
	const { run } = active;
	if (run.question !== undefined) return say(ctx, `${askLine(run.question)}\n${answerLine()}.`);
	if (run.kind === "stale") return rejectCommand(ctx, workflowRefusalText({ kind: "stale", missing: run.missing }));
	await startModelTurn(workflows, ctx, () => {
		// If the run moved while it was paused, the working model has not read the current phase yet.
		if (!ctx.isIdle() && !hasPhaseText(ctx.sessionManager, active)) conversation.sendPhase(ctx, active);
		conversation.send(active, reminderType, resumeText(run, asked));
	});
}

/** `/workflow back [phase] [--files]`, or `--undo`. */
async function goBack(workflows: Workflows, ctx: ExtensionCommandContext, rest: string): Promise<void> {
	const words = rest.split(/\s+/);
	if (words.includes("--undo")) return undoRestore(workflows, ctx);
	const to = words.filter((word) => word !== "--files").join(" ");
	const event = { kind: "back" as const, at: Date.now(), summary: lastWords(ctx.sessionManager), ...(to && { to }) };
	if (words.includes("--files") && !(await restorePhase(workflows, ctx, event))) return;
	await moveTo(workflows, ctx, event);
}

async function moveTo(workflows: Workflows, ctx: ExtensionCommandContext, event: WorkflowEvent): Promise<void> {
	const { controller, conversation } = workflows;
	const working = conversation.isWorking(ctx);
	const actions = change(workflows, ctx, event);
	const moved = actions.find((action) => action.kind === "moved");
	const held = controller.held;
	if (held?.run.kind !== "live") return;
	const { run } = held;
	if (did(actions, "ended")) return reportEnd(workflows, held, working, event.kind === "advance" ? "next" : "skip");
	if (moved?.kind !== "moved") return;
	// A paused run only moves; the model receives the phase when the run resumes.
	if (run.status.kind !== "running") {
		say(ctx, `The workflow is now in ${placeLine(run)}. It is paused: /workflow resume continues it.`);
		if (!ctx.hasUI) workflows.exit.set(exitCodes.waits);
		return;
	}
	if (ctx.mode !== "tui") say(ctx, `The workflow is now in ${placeLine(run)}.`);
	await startModelTurn(workflows, ctx, () =>
		awaitsCut(ctx.sessionManager, held)
			? conversation.sendPhase(ctx, held)
			: conversation.send(held, contextType, movedByPersonText(run, moved.from, moved.way)),
	);
}

function reloadWorkflow(workflows: Workflows, ctx: ExtensionCommandContext, _rest: string, catalogue: Catalogue): void {
	const { controller, conversation } = workflows;
	const { active } = controller;
	if (!active) {
		rejectCommand(ctx, "No workflow is active; definitions are read each time a workflow starts.");
		return;
	}
	const definitions = reachable(catalogue.definitions, active.run.workflowKey);
	if (active.run.kind === "live" && definitionsHash(definitions) === active.pinned?.hash) {
		say(ctx, "The workflow already uses this definition.");
		return;
	}
	const broken = brokenText(active.run, catalogue, ctx.cwd);
	if (broken !== undefined) {
		rejectCommand(ctx, `${broken}\nThe run keeps the definition that it was started with.`);
		return;
	}
	if (!did(change(workflows, ctx, { kind: "reload", definitions }), "reloaded")) return;
	const { held } = controller;
	if (held?.run.kind !== "live") return;
	if (!ctx.isIdle()) conversation.sendPhase(ctx, held);
	say(ctx, `The workflow continues with the new definition, in ${placeLine(held.run)}.`);
}
