// The tool `propose_run`: the model proposes a run when the user asks for it in plain words. The user starts it, unless a setting names the
// template.
import { join } from "node:path";
import type { ExtensionContext, ExtensionToolContext, ToolDefinition } from "@earendil-works/pi-coding-agent";
import { didYouMean, truncate } from "@pi-chronicle/core/definition";
import { type TSchema, Type } from "typebox";
import { openProject } from "../../local/index.ts";
import { answerKeys, chooseOption, drawDiagram, packageRoot, type Scope, say, shortTask } from "../../pi/index.ts";
import { templateDiagram } from "../../ui/index.ts";
import { planHost, startLine } from "./command.ts";
import { decidePlan } from "./decide.ts";
import { draftOf, type ReadDraft } from "./draft.ts";
import type { PlanHost } from "./examine.ts";
import { makePlan, type Plan, saveDraft } from "./plan.ts";
import { keepPlan, removePlan } from "./waiting.ts";

/** Name of the tool. */
export const proposalTool = "propose_run";

export interface ProposalParts {
	readonly scope: Scope;
	/** Starts a chronicle: `/chronicle start <args>`. */
	readonly start: (ctx: ExtensionContext, args: string) => Promise<void>;
	/** Templates that start without a question. */
	readonly unasked: () => readonly string[];
}

const parameters = Type.Object({
	task: Type.String({
		description: "A complete description of what the run has to achieve: its workers cannot see this conversation",
	}),
	template: Type.Optional(Type.String({ description: "An existing chronicle template, instead of files" })),
	files: Type.Optional(
		Type.Array(Type.Object({ path: Type.String(), text: Type.String() }), {
			description:
				"A new definition, the file to start first: .pi/chronicle/workflows/<name>.yaml, then .pi/agents/<name>.md",
		}),
	),
});

type ToolResult = Awaited<ReturnType<ToolDefinition<typeof parameters>["execute"]>>;

/** Most templates that the description lists, and characters of the line about each. */
const maxListed = 30;
const lineLength = 120;

/** The templates that exist for the session, the package's included, one line each. */
function templateList(ctx: Pick<ExtensionContext, "cwd" | "isProjectTrusted">): string {
	const host = planHost(ctx);
	if (typeof host === "string") return "";
	const loaded = [...openProject(host.place).templates().templates.values()].flatMap(({ key, read }) =>
		read ? [{ key, template: read.template }] : [],
	);
	const lines = loaded.slice(0, maxListed).map(({ key, template: { description, states } }) => {
		const about = description?.trim().split("\n", 1)[0] ?? [...states.keys()].join(" → ");
		return `- ${key}: ${truncate(about, lineLength)}`;
	});
	const more = loaded.length - lines.length;
	return [`Templates:`, ...lines, ...(more > 0 ? [`- and ${more} more`] : [])].join("\n");
}

/** Builds the tool for the session of `ctx`. */
export function proposalToolOf(
	parts: ProposalParts,
	ctx: Pick<ExtensionContext, "cwd" | "isProjectTrusted">,
): ToolDefinition {
	const skill = join(packageRoot(), "skills", "chronicle-authoring", "SKILL.md");
	const tool: ToolDefinition<typeof parameters> = {
		name: proposalTool,
		label: "Propose run",
		description: `Propose a chronicle: long work that fresh agents do state by state, with approvals and limits. Use it only when the user asks for such a run. Name a template that fits, or write a new definition for the task as ${skill} describes. It is checked and rehearsed; the user decides whether it starts.\n${templateList(ctx)}`,
		parameters: parameters as TSchema as typeof parameters,
		exposure: "model-only",
		annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
		async execute(_id, { task, template, files = [] }, signal, onUpdate, ctx) {
			const host = planHost(ctx);
			if (typeof host === "string") throw new Error(host);
			if (host.place.trust !== "trusted")
				throw new Error("The user has not trusted this project, so no run can start in it.");
			if (task.trim() === "") throw new Error("The task is empty.");
			if (template !== undefined) return proposeTemplate(parts, ctx, host, template, task);
			const read = draftOf(files);
			onUpdate?.({ content: [{ type: "text", text: "checking and rehearsing" }], details: undefined });
			return proposeDraft(parts, ctx, host, task, read, signal ?? new AbortController().signal);
		},
	};
	return tool as ToolDefinition;
}

/** Proposes a template that exists. */
async function proposeTemplate(
	{ start, unasked }: ProposalParts,
	ctx: ExtensionToolContext,
	{ place }: PlanHost,
	name: string,
	task: string,
): Promise<ToolResult> {
	const { templates } = openProject(place).templates();
	const template = templates.get(name)?.read?.template;
	if (!template) throw new Error(`There is no template ${name} that loads.${didYouMean(name, templates.keys())}`);
	if (!unasked().includes(name)) {
		const no = "No, start nothing";
		const yes = "Yes, start it";
		const answer = await chooseOption(ctx, {
			title: `The model proposes to start ${name}`,
			message: [
				`Task: ${shortTask(task, "the call of the model has all of it")}`,
				"",
				...(await drawDiagram(templateDiagram(template))),
			].join("\n"),
			options: [no, yes],
			keys: { [no]: answerKeys.no, [yes]: answerKeys.yes },
			leave: "Esc: no",
			uncalled: true,
		});
		if (answer === "nobody")
			return toolResult(
				`The user cannot be asked here, so nothing was started. The user starts it with /chronicle start ${name} <task>.`,
			);
		if (answer !== yes) return toolResult("The user does not want this run. Nothing was started.");
	}
	await start(ctx, `${name} ${task}`);
	return toolResult(`Started ${name}. Its workers do the task in separate processes; do not do it yourself.`);
}

/** Examines a new definition and asks the user about it. Problems go back to the model. */
async function proposeDraft(
	parts: ProposalParts,
	ctx: ExtensionToolContext,
	host: PlanHost,
	task: string,
	read: ReadDraft,
	signal: AbortSignal,
): Promise<ToolResult> {
	const plan = await makePlan(task, read, { tokens: 0, costUsd: 0 }, host, signal);
	if ("problems" in plan) throw new Error(plan.problems.join("\n"));
	keepPlan(plan, host.place);
	const decision = await decidePlan(ctx, plan, true);
	if (parts.scope.closed) return toolResult("The session ended. The plan waits.");
	switch (decision.kind) {
		case "drop":
			removePlan(host.place);
			return toolResult("The user dropped the proposal. Nothing was written.");
		case "edited":
			return proposeDraft(parts, ctx, host, task, draftOf(decision.draft.files), signal);
		case "start":
		case "save":
			return accept(parts, ctx, host, plan, decision.kind);
		default:
			return toolResult("The user has not decided. The proposal waits: /plan shows it.");
	}
}

async function accept(
	{ start }: ProposalParts,
	ctx: ExtensionToolContext,
	{ place }: PlanHost,
	{ draft, command, task }: Plan,
	decision: "start" | "save",
): Promise<ToolResult> {
	const unsaved = saveDraft(draft, place.cwd);
	if (unsaved !== undefined) throw new Error(unsaved);
	removePlan(place);
	if (decision === "save") return toolResult("The user saved the definition and started nothing.");
	if (draft.kind === "chronicle") {
		await start(ctx, `${command} ${task}`);
		return toolResult(`Started ${command}. Its workers do the task in separate processes; do not do it yourself.`);
	}
	// A workflow or a sequence runs in this session, so it starts when this turn has ended, with the user's Enter.
	ctx.ui.setEditorText(startLine(draft.kind, command).replace("<task>", () => task));
	say(ctx, `The ${draft.kind} is saved. Press Enter to start it when the model has finished.`);
	return toolResult(`The user saved the ${draft.kind} and starts it. End your turn now.`);
}

function toolResult(text: string): ToolResult {
	return { content: [{ type: "text", text }], details: undefined };
}
