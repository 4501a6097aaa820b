// One child session: a separate pi process that gets one prompt and answers once. It ends with the call, the abort or the session, and so
// does every process it started. Its questions reach the user. An end without an answer is an error, never an empty success. Its prompt is
// text for the model, never a command. A child whose turn does not start is stopped.

import type { Usage } from "@earendil-works/pi-ai";
import { errorMessage } from "@pi-chronicle/core/definition";
import {
	contentText,
	linkRpc,
	orderReadonly,
	type PiCommand,
	type RpcAnswer,
	type RpcDialog,
	type RpcRecord,
	type Scope,
	sendLiteral,
	takeNextModel,
	takeoverText,
} from "../../pi/index.ts";
import { childTagPrefix, RUN_TAG, startChild, stopOrphans } from "../../process/index.ts";
import { watchCeilings } from "./ceilings.ts";
import type { ChildCeilings } from "./settings.ts";

/** Set in every process of a child session, because children cannot spawn children. */
export const childVariable = "PI_CHRONICLE_CHILD";

/** Name of the tool that starts a child. */
export const toolName = "spawn";

export interface ChildPlan {
	readonly pi: PiCommand;
	/** pi's options. The prompt is sent over the pipe. */
	readonly args: readonly string[];
	readonly cwd: string;
	readonly prompt: string;
	/** Fallback models as `provider/id`, in order, for a provider failure. */
	readonly models: readonly string[];
	readonly ceilings: ChildCeilings;
	readonly signal: AbortSignal | undefined;
	/** Calls `listener` when the parent becomes readonly. The returned function unsubscribes. */
	readonly onReadonly: (listener: () => void) => () => void;
}

export interface ChildWatcher {
	/** Reports the child's current activity as a short text. */
	activity(text: string): void;
	/** The child wrote a custom entry into its own session. */
	entry(customType: string, data: unknown): void;
	ask(dialog: RpcDialog): Promise<RpcAnswer>;
}

export interface ChildUsage {
	readonly input: number;
	readonly output: number;
	readonly cacheRead: number;
	readonly cacheWrite: number;
	readonly totalTokens: number;
	/** USD. */
	readonly cost: number;
}

export const noUsage: ChildUsage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: 0 };

export type ChildEnd =
	| { readonly kind: "answered"; readonly text: string; readonly usage: ChildUsage }
	| { readonly kind: "aborted"; readonly usage: ChildUsage }
	| { readonly kind: "failed"; readonly reason: string; readonly usage: ChildUsage };

const graceMs = 2_000;
/** Milliseconds that a run may take to start after its prompt was accepted, for a pi that does not report how it handled the prompt. */
const beginMs = 30_000;

/** Runs a child until it ends. Never rejects. */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: the ends of a child in the order in which they count
export async function runChild(plan: ChildPlan, scope: Scope, watcher: ChildWatcher): Promise<ChildEnd> {
	const tag = `${childTagPrefix}${crypto.randomUUID()}`;
	const child = startChild({
		command: plan.pi.command,
		args: [...plan.pi.args, ...plan.args],
		cwd: plan.cwd,
		env: { ...process.env, [RUN_TAG]: tag, [childVariable]: "1" },
	});
	const run = followChild(plan, watcher, () => void stop());
	const link = linkRpc(child, {
		activity() {},
		event: run.onEvent,
		dialog: (dialog) =>
			void run.ask(dialog).then(
				(answer) => link.answer(dialog, answer),
				// Nobody can be asked: the session of the parent has ended.
				() => link.answer(dialog, undefined),
			),
		oversized() {},
	});
	// A running child becomes readonly with its parent; lifting readonly does not affect it.
	const unfollow = plan.onReadonly(() => orderReadonly(link));
	let stopping: Promise<unknown> | undefined;
	const stop = () => {
		stopping ??= child.stop(graceMs).then(() => stopOrphans(tag, graceMs));
		return stopping;
	};
	const release = scope.own(async () => void (await stop()));
	const onAbort = () => void stop();
	plan.signal?.addEventListener("abort", onAbort, { once: true });
	const failed = (reason: string): ChildEnd => ({ kind: "failed", reason, usage: run.usage });
	try {
		const models = [...plan.models];
		let text = plan.prompt;
		while (true) {
			const turn = run.await();
			const sent = await sendLiteral(link, text);
			if (sent.kind === "taken") run.expect();
			const end = sent.kind === "taken" ? await Promise.race([turn, child.exited]) : undefined;
			if (plan.signal?.aborted || scope.closed) return { kind: "aborted", usage: run.usage };
			if (run.reached !== undefined) return failed(ceilingReached(run.reached));
			if (typeof end === "object") return failed(exitReason(end, child.stderr()));
			if (end === "unbegun") return failed("The child session started no turn for its prompt.");
			if (end === "aborted") return { kind: "aborted", usage: run.usage };
			const trouble = sent.kind === "refused" ? sent.reason : run.trouble;
			const next = trouble === undefined ? undefined : await takeNextModel(link, models);
			if (next === undefined)
				return sent.kind === "taken"
					? concluded(run.answer, run.usage)
					: failed(`${sent.reason} ${lastLine(child.stderr())}`.trim());
			watcher.activity(`${next} takes over: ${startOfText(trouble ?? "")}`);
			// A refused prompt is not in the conversation, so the next model gets it again.
			if (sent.kind === "taken") text = takeoverText;
		}
	} finally {
		run.close();
		unfollow();
		plan.signal?.removeEventListener("abort", onAbort);
		await stop();
		await release();
	}
}

type TurnEnd = "settled" | "aborted" | "unbegun";

/** Follows a child's events. Calls `overspent` when the child reaches a ceiling. */
function followChild(plan: ChildPlan, watcher: ChildWatcher, overspent: () => void) {
	let usage = noUsage;
	let answer: ChildAnswer | undefined;
	let reached: string | undefined;
	let dialogs = 0;
	let settle: (end: TurnEnd) => void = () => {};
	let begun = false;
	let begin: NodeJS.Timeout | undefined;
	const watch = watchCeilings(plan.ceilings, (ceiling) => {
		reached = ceiling;
		overspent();
	});
	return {
		get usage() {
			return usage;
		},
		get answer() {
			return answer;
		},
		/** The reached ceiling, as text. */
		get reached() {
			return reached;
		},
		/** The provider's error, if the last message is one. */
		get trouble() {
			return answer?.stop === "error" ? (answer.error ?? "The provider reported an error.") : undefined;
		},
		/** Resolves at the end of the next turn. */
		await(): Promise<TurnEnd> {
			begun = false;
			return new Promise((resolve) => {
				settle = resolve;
			});
		},
		/** Starts the time limit for the turn of an accepted prompt. */
		expect(): void {
			if (!begun) begin = setTimeout(() => settle("unbegun"), beginMs);
		},
		async ask(dialog: RpcDialog): Promise<RpcAnswer> {
			watch.asking(++dialogs);
			try {
				return await watcher.ask(dialog);
			} finally {
				watch.asking(--dialogs);
			}
		},
		// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: the ends of a child in the order in which they count
		onEvent(record: RpcRecord): void {
			if (record.type === "agent_start") {
				begun = true;
				clearTimeout(begin);
			}
			if (record.type === "tool_execution_start") watcher.activity(String(record.toolName));
			if (record.type === "entry_appended") {
				const entry = record.entry as { type?: unknown; customType?: unknown; data?: unknown } | undefined;
				if (entry?.type === "custom" && typeof entry.customType === "string")
					watcher.entry(entry.customType, entry.data);
			}
			if (record.type === "message_end") {
				const message = readAssistant(record.message);
				if (message === undefined) return;
				usage = addUsage(usage, message.usage);
				answer = { text: message.text, stop: message.stopReason, error: message.errorMessage };
				if (message.text !== "") watcher.activity(startOfText(message.text));
				// A final answer is already paid for, so it counts even above a ceiling.
				if (message.stopReason === "toolUse") watch.used(usage.totalTokens, usage.cost);
			}
			if (record.type === "agent_settled") settle(record.aborted === true ? "aborted" : "settled");
		},
		close() {
			clearTimeout(begin);
			watch.close();
		},
	};
}

interface ChildAnswer {
	readonly text: string;
	readonly stop: string;
	readonly error: string | undefined;
}

function ceilingReached(ceiling: string): string {
	return `The child session was stopped at its limit of ${ceiling} (setting \`chronicle.children\`).`;
}

function concluded(answer: ChildAnswer | undefined, usage: ChildUsage): ChildEnd {
	if (answer === undefined) return { kind: "failed", reason: "The child session ended without an answer.", usage };
	if (answer.stop === "error")
		return { kind: "failed", reason: answer.error ?? "The child's provider reported an error.", usage };
	if (answer.stop === "length")
		return { kind: "failed", reason: "The child's answer was truncated by the model's output limit.", usage };
	if (answer.text.trim() === "")
		return { kind: "failed", reason: "The child session ended with an empty answer.", usage };
	return { kind: "answered", text: answer.text, usage };
}

function exitReason(exit: { kind: string; code?: number; signal?: string; error?: unknown }, stderr: string): string {
	const how =
		exit.kind === "killed"
			? `was killed (${exit.signal})`
			: exit.kind === "exited"
				? `exited with code ${exit.code}`
				: `did not start (${errorMessage(exit.error)})`;
	return `The child session ${how} before it answered. ${lastLine(stderr)}`.trim();
}

interface AssistantRecord {
	readonly text: string;
	readonly stopReason: string;
	readonly errorMessage: string | undefined;
	readonly usage: Usage | undefined;
}

function readAssistant(message: unknown): AssistantRecord | undefined {
	if (typeof message !== "object" || message === null) return undefined;
	const { role, content, stopReason, errorMessage, usage } = message as Record<string, unknown>;
	if (role !== "assistant" || !Array.isArray(content)) return undefined;
	return {
		text: contentText(content),
		stopReason: String(stopReason),
		errorMessage: typeof errorMessage === "string" ? errorMessage : undefined,
		usage: usage as Usage | undefined,
	};
}

function addUsage(sum: ChildUsage, usage: Usage | undefined): ChildUsage {
	if (usage === undefined) return sum;
	return {
		input: sum.input + usage.input,
		output: sum.output + usage.output,
		cacheRead: sum.cacheRead + usage.cacheRead,
		cacheWrite: sum.cacheWrite + usage.cacheWrite,
		totalTokens: sum.totalTokens + usage.totalTokens,
		cost: sum.cost + usage.cost.total,
	};
}

function startOfText(text: string): string {
	return text.trim().split("\n", 1)[0]?.slice(0, 100) ?? "";
}

function lastLine(text: string): string {
	return text.trim().split("\n").at(-1)?.slice(0, 300) ?? "";
}
