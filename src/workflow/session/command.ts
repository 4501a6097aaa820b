// `/workflow` and `/cancel-workflow`: what a person can do. A first word that is the name of a workflow always means that workflow; the
// verbs can then be reached as `--status` and so on.
import type { ExtensionCommandContext } from "@earendil-works/pi-coding-agent";
import type { AutocompleteItem } from "@earendil-works/pi-tui";
import { exitCodes, pageText, say } from "../../pi/index.ts";
import {
	type Catalogue,
	catalogueCheckLines,
	checkToolNames,
	commandWords,
	listLines,
	usageLines,
	visibleCommands,
} from "../definitions/index.ts";
import {
	earlierPhases,
	reachable,
	type WorkflowAction,
	type WorkflowEvent,
	type WorkflowRun,
} from "../machine/index.ts";
import { abandonedText, movedByPersonText, placeLine, resumeText, workflowRefusalText } from "../prompts/index.ts";
import { contextType, hasPhaseText, reminderType } from "./context-messages.ts";
import { definitionsHash, type HeldRun } from "./entries.ts";
import { type ProjectContext, projectContext } from "./library.ts";
import { notFoundText, rejectedText, statusReport, trustHint, verbsText } from "./report.ts";
import { cancelledType, refuseCommand, startModelTurn, startWorkflow } from "./starting.ts";
import type { Workflows } from "./workflows.ts";

type Verb = (
	workflows: Workflows,
	ctx: ExtensionCommandContext,
	rest: string,
	catalogue: Catalogue,
) => void | Promise<void>;

/** Verbs that take words of their own; behind the others there is nothing to say. */
const talkative: ReadonlySet<string> = new Set(["show", "back"]);

/** Where the rest is checked. */
const checkPointer = "`pi-chronicle check` in a shell checks every definition of the project.";

const verbs: Readonly<Record<string, Verb>> = {
	list: (_workflows, ctx, _rest, catalogue) =>
		pageText(ctx, "Workflows", [...listLines(catalogue, ctx.cwd), ...trustHint(projectContext(ctx))].join("\n")),
	check: ({ pi }, ctx, _rest, catalogue) => {
		const unknown = checkToolNames(
			catalogue,
			pi.getAllTools().map(({ name }) => name),
		);
		const text = [...catalogueCheckLines(catalogue, unknown, ctx.cwd), checkPointer].join("\n");
		if (catalogue.rejected.size > 0 && ctx.mode !== "tui") return refuseCommand(ctx, text);
		return pageText(ctx, "Workflow check", text);
	},
	status: ({ controller }, ctx) => pageText(ctx, "Workflow", statusReport(ctx.sessionManager, controller)),
	show: async (...asked) => (await import("./show.ts")).showWorkflow(...asked),
	pause: (workflows, ctx) => void change(workflows, ctx, { kind: "pause", by: "person" }),
	resume,
	next: (workflows, ctx) => moveTo(workflows, ctx, { kind: "advance", at: Date.now() }),
	skip: (workflows, ctx) => moveTo(workflows, ctx, { kind: "skip", at: Date.now() }),
	back: (workflows, ctx, rest) =>
		moveTo(workflows, ctx, { kind: "back", at: Date.now(), ...(rest === "" ? {} : { to: rest }) }),
	reload,
};

/** Runs `/workflow <args>`. */
export async function runWorkflow(workflows: Workflows, ctx: ExtensionCommandContext, args: string): Promise<void> {
	const [, word = "", rest = ""] = /^\s*(\S*)\s*([\s\S]*?)\s*$/.exec(args) ?? [];
	const place = projectContext(ctx);
	const catalogue = workflows.library.load(place);
	if (word === "") {
		const text = [...usageLines(catalogue, ctx.cwd), ...trustHint(place), "", verbsText].join("\n");
		return pageText(ctx, "Workflows", text);
	}
	const definition = catalogue.commands.get(word);
	const verb = word.startsWith("--") ? word.slice(2) : definition?.show === "user" ? "" : word;
	if (Object.hasOwn(verbs, verb)) {
		const [surplus] = rest.split(/\s+/);
		if (surplus && !talkative.has(verb)) return refuseCommand(ctx, `/workflow ${word} takes no argument "${surplus}".`);
		return verbs[verb]?.(workflows, ctx, rest, catalogue);
	}
	if (definition?.show === "workflows" || catalogue.definitions.get(word)?.show === "workflows")
		return refuseCommand(ctx, `The workflow "${word}" only runs inside others; start one that contains it.`);
	if (!definition) {
		const rejected = catalogue.rejected.get(word);
		return refuseCommand(
			ctx,
			rejected
				? rejectedText(rejected, ctx.cwd)
				: [notFoundText(word, catalogue, commandWords), ...trustHint(place)].join("\n"),
		);
	}
	if (rest === "") return refuseCommand(ctx, `Add the task: /workflow ${word} <task>`, "warning");
	const option = verbAtEnd(rest);
	if (option !== undefined)
		return refuseCommand(
			ctx,
			`${option} is not an option of a task: enter /workflow ${option} alone. If the task ends with it, put -- before the task: /workflow ${word} -- <task>`,
		);
	return startWorkflow(workflows, ctx, catalogue, definition, rest.replace(/^--\s+/, ""));
}

/** A verb written as an option that a task ends in; `--` before the task says that all of it is text. */
function verbAtEnd(task: string): string | undefined {
	if (/^--\s/.test(task)) return undefined;
	const [, verb] = /\s--([a-z]+)$/.exec(task) ?? [];
	return verb !== undefined && commandWords.includes(verb) ? `--${verb}` : undefined;
}

/** Runs `/cancel-workflow`: at once, without a question. */
export function cancelWorkflow(workflows: Workflows, ctx: ExtensionCommandContext, args: string): void {
	const { controller, conversation } = workflows;
	const [surplus] = args.trim().split(/\s+/);
	if (surplus) {
		refuseCommand(ctx, `/cancel-workflow takes no argument "${surplus}".`);
		return;
	}
	const { active } = controller;
	if (!active) {
		refuseCommand(ctx, "No workflow is active.", "warning");
		return;
	}
	const atWork = !ctx.isIdle() && !conversation.countingDown;
	controller.apply(ctx, { kind: "abandon", at: Date.now() });
	letGo(workflows, controller.held ?? active, atWork);
}

/** What follows when a person has ended a run. A model that is at work goes on with what it has read: it has to hear that this no longer holds. */
function letGo({ controller, conversation }: Workflows, held: HeldRun, atWork: boolean, way?: "next" | "skip"): void {
	if (atWork) conversation.send(held, cancelledType, abandonedText(held.run, way));
	else controller.withdrawTool();
}

/** What may follow `/workflow `: names, and the verbs that can do something now; then what the verb takes. Nothing where the words are complete. */
export function completeWorkflow(
	{ library, controller }: Workflows,
	prefix: string,
	place: ProjectContext,
): AutocompleteItem[] | null {
	const catalogue = library.recent(place);
	const run = controller.active?.run;
	const names = visibleCommands(catalogue).map(([command, { name }]) => ({
		value: command,
		label: command,
		description: name,
	}));
	const taken = new Set(names.map(({ label }) => label));
	const spelled = (word: string) => (taken.has(word) || prefix.startsWith("--") ? `--${word}` : word);
	const [, verb, argument = ""] = /^(\S+) +(\S*)$/.exec(prefix) ?? [];
	const behind = (labels: readonly string[]) => labels.map((label) => ({ value: `${verb} ${label}`, label }));
	const earlier = run?.kind === "live" ? earlierPhases(run) : [];
	const offered =
		verb === undefined
			? [
					...(run === undefined ? names : []),
					...commandWords
						.filter((word) => isOfUse(word, run))
						.map((word) => ({ value: spelled(word), label: spelled(word) })),
				]
			: verb === spelled("show")
				? names.map((item) => ({ ...item, value: `${verb} ${item.value}` }))
				: verb === spelled("back")
					? behind(earlier)
					: [];
	const typed = verb === undefined ? prefix : argument;
	const found = offered.filter(({ label }) => label.startsWith(typed));
	// Words that are complete need no list in the way of Enter.
	return found.length === 0 || found.some(({ label }) => label === typed) ? null : found;
}

/** Whether a verb can do something now: most of them need a run, and a run that stands as they want it. */
function isOfUse(verb: string, run: WorkflowRun | undefined): boolean {
	if (verb === "list" || verb === "check" || verb === "show") return true;
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

/** Lets something happen to the run and says why it could not. */
function change(
	{ controller }: Workflows,
	ctx: ExtensionCommandContext,
	event: WorkflowEvent,
): readonly WorkflowAction[] {
	if (!controller.active) {
		refuseCommand(ctx, "No workflow is active.");
		return [];
	}
	const actions = controller.apply(ctx, event);
	for (const action of actions) if (action.kind === "refused") refuseCommand(ctx, workflowRefusalText(action.refusal));
	return actions;
}

function did(actions: readonly WorkflowAction[], kind: WorkflowAction["kind"]): boolean {
	return actions.some((action) => action.kind === kind);
}

async function resume(workflows: Workflows, ctx: ExtensionCommandContext): Promise<void> {
	const { controller, conversation } = workflows;
	const paused = controller.active?.run.status.kind === "paused";
	// A run that only waits, because a person held it or its phase asks for one, is set to work again as well.
	const actions = paused || !ctx.isIdle() ? change(workflows, ctx, { kind: "resume" }) : [];
	if (paused ? !did(actions, "resumed") : !ctx.isIdle()) return;
	const { active } = controller;
	if (!active) return refuseCommand(ctx, "No workflow is active.");
	const { run } = active;
	if (run.kind === "stale") return refuseCommand(ctx, workflowRefusalText({ kind: "stale", missing: run.missing }));
	await startModelTurn(workflows, ctx, () => {
		// The model at work may have been moved while the run was paused: it has not read its phase yet.
		if (!ctx.isIdle() && !hasPhaseText(ctx.sessionManager, active)) conversation.sendPhase(ctx, active);
		conversation.send(active, reminderType, resumeText(run));
	});
}

async function moveTo(workflows: Workflows, ctx: ExtensionCommandContext, event: WorkflowEvent): Promise<void> {
	const { controller, conversation } = workflows;
	const atWork = !ctx.isIdle() && !conversation.countingDown;
	const actions = change(workflows, ctx, event);
	const moved = actions.find((action) => action.kind === "moved");
	const held = controller.held;
	if (held?.run.kind !== "live") return;
	const { run } = held;
	if (did(actions, "ended")) return letGo(workflows, held, atWork, event.kind === "advance" ? "next" : "skip");
	if (moved?.kind !== "moved") return;
	// A paused run is only moved; what its phase asks is told when it goes on.
	if (run.status.kind !== "running") {
		say(ctx, `The workflow is in ${placeLine(run)} now. It is paused: /workflow resume continues it.`);
		if (!ctx.hasUI) workflows.exit.set(exitCodes.waits);
		return;
	}
	if (ctx.mode !== "tui") say(ctx, `The workflow is in ${placeLine(run)} now.`);
	await startModelTurn(workflows, ctx, () =>
		conversation.send(held, contextType, movedByPersonText(run, moved.from, moved.way)),
	);
}

function reload(workflows: Workflows, ctx: ExtensionCommandContext, _rest: string, catalogue: Catalogue): void {
	const { controller, conversation } = workflows;
	const { active } = controller;
	if (!active) {
		refuseCommand(ctx, "No workflow is active; definitions are read again whenever one starts.");
		return;
	}
	const definitions = reachable(catalogue.definitions, active.run.workflowKey);
	if (active.run.kind === "live" && definitionsHash(definitions) === active.pinned?.hash) {
		say(ctx, "The workflow already uses this definition.");
		return;
	}
	if (!did(change(workflows, ctx, { kind: "reload", definitions }), "reloaded")) return;
	const { held } = controller;
	if (held?.run.kind !== "live") return;
	if (!ctx.isIdle()) conversation.sendPhase(ctx, held);
	say(ctx, `The workflow continues with the new definition, in ${placeLine(held.run)}.`);
}
