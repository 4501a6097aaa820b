// The tool `spawn`: a child session for the model. Its answer is bounded; a longer answer is saved in a file that the result names.
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
	askForLine,
	askUser,
	chooseOption,
	definitionsTrusted,
	findPi,
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

/** State that a child shares with its parent. */
export interface Shared {
	/** Entries for the child's session: notebook pages, topic, posture. */
	seed(): readonly SeedEntry[];
	/** Whether the parent currently refuses a tool of this name. */
	refuses(tool: string): boolean;
	/** Calls `listener` when the parent becomes readonly. The returned function unsubscribes. */
	onReadonly(listener: () => void): () => void;
	/** Merges shared state from an entry that the child wrote. Returns the notebook page's name if the entry is a page. */
	take(customType: string, data: unknown): string | undefined;
}

/** Settings that a child inherits from its parent at the moment it starts. */
export interface Parent {
	thinking(): string | undefined;
	/** Names of the tools that the child may have: never more than the parent has. */
	tools(): readonly string[];
	settings(): ChildSettings;
}

/** Builds the tool for one session's scope. Calls in one message run concurrently. */
export function spawnTool(scope: Scope, shared: Shared, parent: Parent): ToolDefinition {
	const queue = openQueue();
	const tool: ToolDefinition<typeof parameters> = {
		name: toolName,
		label: "Spawn",
		description:
			"Give a self-contained task to a child session with an empty context and get its final answer. It has your built-in pi tools, obeys the same rules, shares the notebook, and cannot spawn.",
		parameters: parameters as TSchema as typeof parameters,
		exposure: "model-only",
		// A child may do everything that its tools and the rules allow.
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
				ask: (dialog) => relayQuestion(ctx, dialog, signal),
			};
			const { atOnce } = parent.settings();
			const place = queue.enter(atOnce, signal);
			if (queue.waiting > 0) activity(`waiting: ${atOnce} child sessions are running`);
			const leave = await place;
			if (leave === undefined || scope.closed) return endOfChild({ kind: "aborted", usage: noUsage }, file, []);
			try {
				// The restrictions in force when the child starts apply, not those in force when the call was made.
				const { args, models, ceilings } = launchPlan(ctx, file, wanted, parent);
				const plan = { pi: found, args, cwd: ctx.cwd, prompt, models, ceilings, signal, onReadonly: shared.onReadonly };
				writeSeed(file, ctx.cwd, ctx.sessionManager.getSessionFile(), shared.seed());
				return endOfChild(await runChild(plan, scope, watcher), file, [...pages]);
			} finally {
				leave();
			}
		},
	};
	return tool as ToolDefinition;
}

/** The options for the child's pi, its fallback models, and its ceilings. */
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

/** The call's result. The child's usage and its notebook pages are reported whichever way it ended. */
function endOfChild(end: ChildEnd, file: string, pages: readonly string[]) {
	const { cost, ...tokens } = end.usage;
	const usage = { ...tokens, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: cost } };
	const written = pages.length === 0 ? "" : `\n\n[Notebook pages it wrote: ${pages.join(", ")}]`;
	if (end.kind !== "answered") {
		const reason = end.kind === "aborted" ? "The child session was stopped." : end.reason;
		return {
			content: [{ type: "text" as const, text: `${reason} Its session is in ${file}.${written}` }],
			details: { outcome: end.kind, session: file, usage: end.usage },
			usage,
			isError: true,
		};
	}
	let text = answerHead(end.text);
	const truncated = text !== end.text;
	if (truncated) {
		const rest = file.replace(/\.jsonl$/, ".md");
		mkdirSync(dirname(rest), { recursive: true, mode: 0o700 });
		writeFileSync(rest, end.text, { mode: 0o600 });
		text += `\n\n[The answer is longer than ${DEFAULT_MAX_BYTES / 1024} KB or ${DEFAULT_MAX_LINES} lines; the full answer is in ${rest}]`;
	}
	return {
		content: [{ type: "text" as const, text: text + written }],
		details: { outcome: "success", session: file, truncated, usage: end.usage },
		usage,
	};
}

/** The part of an answer that fits: whole lines if possible, otherwise the start of a single long line. */
function answerHead(text: string): string {
	const bytes = Buffer.from(text);
	const lines = text.split("\n");
	if (bytes.length <= DEFAULT_MAX_BYTES && lines.length <= DEFAULT_MAX_LINES) return text;
	// Streaming mode drops an incomplete character at the end.
	const fitting = new TextDecoder().decode(bytes.subarray(0, DEFAULT_MAX_BYTES), { stream: true });
	const head = fitting.split("\n").slice(0, DEFAULT_MAX_LINES).join("\n");
	const lastBreak = head.lastIndexOf("\n");
	// Keep whole lines, unless that would discard most of the text that fits.
	return head.length === fitting.length && lastBreak > head.length / 2 ? head.slice(0, lastBreak) : head;
}

/** Asks the user a child's question; without a user, the question is dismissed. */
async function relayQuestion(
	ctx: ExtensionToolContext,
	dialog: RpcDialog,
	signal: AbortSignal | undefined,
): Promise<RpcAnswer> {
	const title = `Child session: ${dialog.title}`;
	switch (dialog.kind) {
		case "confirm":
			return (await askUser(ctx, { title, message: dialog.message, signal, uncalled: true })) === "yes";
		case "select":
			return chosenOf(
				await chooseOption(ctx, { title, message: "", options: dialog.options, signal, uncalled: true }),
				dialog.options,
			);
		case "input":
			return askForLine(ctx, { title, placeholder: dialog.placeholder, signal, uncalled: true });
		case "editor":
			return askForLine(ctx, { title, text: dialog.prefill ?? "", signal, uncalled: true });
	}
}

/** The chosen option. The child's own options may include one named `nobody`. */
function chosenOf(chosen: string | undefined, options: readonly string[]): RpcAnswer {
	return options.find((option) => option === chosen);
}

function safe(id: string): string {
	return id.replace(/[^\w-]/g, "_").slice(0, 80);
}
