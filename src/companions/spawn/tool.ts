// The tool `spawn`: a child session for the model. Its answer is bounded; what does not fit stands in a file that the answer names.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import {
	DEFAULT_MAX_BYTES,
	DEFAULT_MAX_LINES,
	type ExtensionToolContext,
	getAgentDir,
	type ToolDefinition,
} from "@earendil-works/pi-coding-agent";
import { type TSchema, Type } from "typebox";
import {
	askPerson,
	choosePerson,
	definitionsTrusted,
	findPi,
	inputPerson,
	isPiCommand,
	ownPiSearch,
	packageRoot,
	type RpcAnswer,
	type RpcDialog,
	type Scope,
} from "../../pi/index.ts";
import { type ChildEnd, type ChildWatcher, noUsage, runChild, toolName } from "./child.ts";
import { openQueue } from "./queue.ts";
import { type SeedEntry, writeSeed } from "./seed.ts";
import type { ChildSettings } from "./settings.ts";

const levels = ["off", "minimal", "low", "medium", "high", "xhigh", "max"] as const;

const parameters = Type.Object({
	prompt: Type.String({ description: "The whole task: the child sees nothing of this conversation" }),
	thinking: Type.Optional(Type.Unsafe<(typeof levels)[number]>({ type: "string", enum: [...levels] })),
});

/** What a child shares with its parent. */
export interface Shared {
	/** Entries for the child's session: notebook pages, topic, posture. */
	seed(): readonly SeedEntry[];
	/** Whether a tool of this name is refused in the parent at present. */
	refuses(tool: string): boolean;
	/** Calls `listener` when the parent becomes readonly, until the function that it returns is called. */
	onReadonly(listener: () => void): () => void;
	/** The child wrote an entry: what is shared is taken over. The answer names the notebook page that it was. */
	take(customType: string, data: unknown): string | undefined;
}

/** What a child takes over from its parent as it is when the child starts. */
export interface Parent {
	thinking(): string | undefined;
	/** Names of the tools that its child may have: never more than the parent itself. */
	tools(): readonly string[];
	settings(): ChildSettings;
}

/** Builds the tool over one session's scope. Calls of one message run side by side. */
export function spawnTool(scope: Scope, shared: Shared, parent: Parent): ToolDefinition {
	const queue = openQueue();
	const tool: ToolDefinition<typeof parameters> = {
		name: toolName,
		label: "Spawn",
		description:
			"Give a self-contained task to a child session with an empty context of its own and get its final answer. It has those of your tools that are pi's own, the same rules, shares the notebook, and cannot spawn.",
		parameters: parameters as TSchema as typeof parameters,
		exposure: "model-only",
		// A child may do whatever its tools and the rules allow.
		annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
		async execute(id, { prompt, thinking: wanted }, signal, onUpdate, ctx) {
			if (prompt.trim() === "") throw new Error("The prompt is empty: a child session sees nothing but its prompt.");
			const found = findPi(ownPiSearch());
			if (!isPiCommand(found)) throw new Error(`${found.message} ${found.remedy}`);
			const file = join(getAgentDir(), "chronicle", "children", ctx.sessionManager.getSessionId(), `${safe(id)}.jsonl`);
			const steps: string[] = [];
			const pages = new Set<string>();
			const activity = (text: string) => {
				steps.push(text);
				onUpdate?.({
					content: [{ type: "text", text: steps.slice(-8).join("\n") }],
					details: { outcome: "running", session: file },
				});
			};
			const watcher: ChildWatcher = {
				activity,
				entry(type, data) {
					const page = shared.take(type, data);
					if (page !== undefined) pages.add(page);
				},
				ask: (dialog) => relay(ctx, dialog, signal),
			};
			const { atOnce } = parent.settings();
			const place = queue.enter(atOnce, signal);
			if (queue.waiting > 0) activity(`waiting: ${atOnce} child sessions work at the same time`);
			const leave = await place;
			if (leave === undefined || scope.closed) return report({ kind: "aborted", usage: noUsage }, file, []);
			try {
				// Restrictions hold as they are when the child starts, not as they were when it was asked for.
				const { args, models, ceilings } = launchPlan(ctx, file, wanted, parent);
				const plan = { pi: found, args, cwd: ctx.cwd, prompt, models, ceilings, signal, onReadonly: shared.onReadonly };
				writeSeed(file, ctx.cwd, ctx.sessionManager.getSessionFile(), shared.seed());
				return report(await runChild(plan, scope, watcher), file, [...pages]);
			} finally {
				leave();
			}
		},
	};
	return tool as ToolDefinition;
}

/** The options of the child's pi, the models that may take over, and what it may use. */
function launchPlan(ctx: ExtensionToolContext, file: string, wanted: string | undefined, parent: Parent) {
	const level = wanted ?? parent.thinking();
	const tools = parent.tools();
	const { models, ...ceilings } = parent.settings();
	const own = ctx.model === undefined ? [] : [`${ctx.model.provider}/${ctx.model.id}`];
	const [model, ...others] = models.length > 0 ? models : own;
	const args = [
		...["--mode", "rpc", "--session", file, "-ne", "-e", join(packageRoot(), "extension.ts")],
		...(model === undefined ? [] : ["--model", model]),
		...(level === undefined ? [] : ["--thinking", level]),
		...(tools.length === 0 ? ["--no-tools"] : ["--tools", tools.join(",")]),
		...(definitionsTrusted(ctx) ? ["--approve"] : ["--no-approve"]),
	];
	return { args, models: others, ceilings };
}

/** The call's result. What a child has used counts, and what it has written stands, however it ended. */
function report(end: ChildEnd, file: string, pages: readonly string[]) {
	const { cost, ...tokens } = end.usage;
	const usage = { ...tokens, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: cost } };
	const written = pages.length === 0 ? "" : `\n\n[Notebook pages it wrote: ${pages.join(", ")}]`;
	if (end.kind !== "answered") {
		const reason = end.kind === "aborted" ? "The child session was stopped." : end.reason;
		return {
			content: [{ type: "text" as const, text: `${reason} What it did is in ${file}.${written}` }],
			details: { outcome: end.kind, session: file, usage: end.usage },
			usage,
			isError: true,
		};
	}
	let text = headOf(end.text);
	const truncated = text !== end.text;
	if (truncated) {
		const rest = file.replace(/\.jsonl$/, ".md");
		mkdirSync(dirname(rest), { recursive: true, mode: 0o700 });
		writeFileSync(rest, end.text, { mode: 0o600 });
		text += `\n\n[The answer is longer than ${DEFAULT_MAX_BYTES / 1024} KB or ${DEFAULT_MAX_LINES} lines; all of it is in ${rest}]`;
	}
	return {
		content: [{ type: "text" as const, text: text + written }],
		details: { outcome: "success", session: file, truncated, usage: end.usage },
		usage,
	};
}

/** The beginning of an answer that fits: whole lines while there are any, and of a line that is longer than everything its beginning. */
function headOf(text: string): string {
	const bytes = Buffer.from(text);
	const lines = text.split("\n");
	if (bytes.length <= DEFAULT_MAX_BYTES && lines.length <= DEFAULT_MAX_LINES) return text;
	// A character that is cut in its middle is left out.
	const fitting = new TextDecoder().decode(bytes.subarray(0, DEFAULT_MAX_BYTES), { stream: true });
	const head = fitting.split("\n").slice(0, DEFAULT_MAX_LINES).join("\n");
	const lastBreak = head.lastIndexOf("\n");
	// Whole lines, unless that would throw away most of what fits.
	return head.length === fitting.length && lastBreak > head.length / 2 ? head.slice(0, lastBreak) : head;
}

/** Puts a child's question to the user; without one it is dismissed. */
async function relay(
	ctx: ExtensionToolContext,
	dialog: RpcDialog,
	signal: AbortSignal | undefined,
): Promise<RpcAnswer> {
	const title = `Child session: ${dialog.title}`;
	switch (dialog.kind) {
		case "confirm":
			return (await askPerson(ctx, { title, message: dialog.message, signal, uncalled: true })) === "yes";
		case "select":
			return chosenOf(
				await choosePerson(ctx, { title, message: "", options: dialog.options, signal, uncalled: true }),
				dialog.options,
			);
		case "input":
			return inputPerson(ctx, { title, placeholder: dialog.placeholder, signal, uncalled: true });
		case "editor":
			return ctx.hasUI ? ctx.ui.editor(title, dialog.prefill) : undefined;
	}
}

/** The answer as the child gave it a choice of; it may have named one of its own `nobody`. */
function chosenOf(chosen: string | undefined, options: readonly string[]): RpcAnswer {
	return options.find((option) => option === chosen);
}

function safe(id: string): string {
	return id.replace(/[^\w-]/g, "_").slice(0, 80);
}
