// One child session: a pi process of its own that gets one prompt and answers once. C1 it ends with the call, the abort or the session,
// and so does everything it started; C2 its questions reach the person; C3 an end without an answer is an error, never an empty success.
import type { Usage } from "@earendil-works/pi-ai";
import {
	childTagPrefix,
	linkRpc,
	type PiCommand,
	type RpcAnswer,
	type RpcDialog,
	type RpcRecord,
	RUN_TAG,
	type Scope,
	startChild,
	stopStrays,
} from "../../pi/index.ts";

/** Set in every process of a child session: there are no grandchildren. */
export const childVariable = "PI_CHRONICLE_CHILD";

/** The tool that starts one. */
export const toolName = "spawn";

export interface ChildPlan {
	readonly pi: PiCommand;
	/** pi's options, without the prompt: it goes over the pipe. */
	readonly args: readonly string[];
	readonly cwd: string;
	readonly prompt: string;
	readonly signal: AbortSignal | undefined;
}

export interface ChildWatcher {
	/** What the child is doing, in a few words. */
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

export type ChildEnd =
	| { readonly kind: "answered"; readonly text: string; readonly usage: ChildUsage }
	| { readonly kind: "aborted"; readonly usage: ChildUsage }
	| { readonly kind: "failed"; readonly reason: string; readonly usage: ChildUsage };

const graceMs = 2_000;

/** Runs a child to its end. Never rejects. */
export async function runChild(plan: ChildPlan, scope: Scope, watcher: ChildWatcher): Promise<ChildEnd> {
	const tag = `${childTagPrefix}${crypto.randomUUID()}`;
	const child = startChild({
		command: plan.pi.command,
		args: [...plan.pi.args, ...plan.args],
		cwd: plan.cwd,
		env: { ...process.env, [RUN_TAG]: tag, [childVariable]: "1" },
	});
	let usage: ChildUsage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: 0 };
	let answer: { text: string; stop: string; error: string | undefined } | undefined;
	let settle: (aborted: boolean) => void = () => {};
	const settled = new Promise<boolean>((resolve) => {
		settle = resolve;
	});
	const onEvent = (record: RpcRecord) => {
		if (record.type === "tool_execution_start") watcher.activity(String(record.toolName));
		if (record.type === "entry_appended") {
			const entry = record.entry as { type?: unknown; customType?: unknown; data?: unknown } | undefined;
			if (entry?.type === "custom" && typeof entry.customType === "string") watcher.entry(entry.customType, entry.data);
		}
		if (record.type === "message_end") {
			const message = readAssistant(record.message);
			if (message === undefined) return;
			usage = addUsage(usage, message.usage);
			answer = { text: message.text, stop: message.stopReason, error: message.errorMessage };
			if (message.text !== "") watcher.activity(firstLine(message.text));
		}
		if (record.type === "agent_settled") settle(record.aborted === true);
	};
	const link = linkRpc(child, {
		activity() {},
		event: onEvent,
		dialog: (dialog) => void watcher.ask(dialog).then((said) => link.answer(dialog, said)),
		oversized() {},
	});
	let stopping: Promise<unknown> | undefined;
	const stop = () => {
		stopping ??= child.stop(graceMs).then(() => stopStrays(tag, graceMs));
		return stopping;
	};
	const release = scope.own(async () => void (await stop()));
	const onAbort = () => void stop();
	plan.signal?.addEventListener("abort", onAbort, { once: true });
	try {
		const accepted = await link.send({ type: "prompt", message: plan.prompt });
		if (plan.signal?.aborted || scope.closed) return { kind: "aborted", usage };
		if (!accepted.ok) return { kind: "failed", reason: `${accepted.error} ${lastLine(child.stderr())}`.trim(), usage };
		const end = await Promise.race([settled, child.exited]);
		if (plan.signal?.aborted || scope.closed) return { kind: "aborted", usage };
		if (typeof end === "object") return { kind: "failed", reason: exitReason(end, child.stderr()), usage };
		if (end) return { kind: "aborted", usage };
		return concluded(answer, usage);
	} finally {
		plan.signal?.removeEventListener("abort", onAbort);
		await stop();
		await release();
	}
}

function concluded(
	answer: { text: string; stop: string; error: string | undefined } | undefined,
	usage: ChildUsage,
): ChildEnd {
	if (answer === undefined) return { kind: "failed", reason: "The child session ended without an answer.", usage };
	if (answer.stop === "error")
		return { kind: "failed", reason: answer.error ?? "The child's provider reported an error.", usage };
	if (answer.stop === "length")
		return { kind: "failed", reason: "The child's answer was cut off by the model's output limit.", usage };
	if (answer.text.trim() === "")
		return { kind: "failed", reason: "The child session ended with an empty answer.", usage };
	return { kind: "answered", text: answer.text, usage };
}

function exitReason(exit: { kind: string; code?: number; signal?: string; reason?: string }, stderr: string): string {
	const how =
		exit.kind === "killed"
			? `was killed (${exit.signal})`
			: exit.kind === "exited"
				? `exited with code ${exit.code}`
				: `did not start (${exit.reason})`;
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
	const text = content
		.filter((part): part is { type: "text"; text: string } => part?.type === "text" && typeof part.text === "string")
		.map((part) => part.text)
		.join("\n");
	return {
		text,
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

function firstLine(text: string): string {
	return text.trim().split("\n", 1)[0]?.slice(0, 100) ?? "";
}

function lastLine(text: string): string {
	return text.trim().split("\n").at(-1)?.slice(0, 300) ?? "";
}
