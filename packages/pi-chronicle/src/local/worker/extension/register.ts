// The extension inside a worker's pi: it reports the worker's state, passes moves and findings to the supervisor, and ends the turn.
// Its only judgment is whether the turn has ended: the guard owns the rules; an error refuses a call, it never allows one.

import { chmodSync } from "node:fs";
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { errorMessage, isNumber, object, optional, parseUntrusted } from "@pi-chronicle/core/definition";
import { launchKey } from "@pi-chronicle/core/machine";
import type { Type } from "typebox";
import { type Answer, askHost, HOST_COMMAND, type Question, tellHost } from "../../../pi/index.ts";
import { readAdoption, type WorkerBrief } from "../brief.ts";
import { registerAskTool } from "./ask-user.ts";
import { briefAfterCompactions, saveRequest } from "./compaction.ts";
import { openGivenTools } from "./given-tools.ts";
import { GO_ON, GO_ON_TEXT, type Hello, type RefusedCall, readHostReply } from "./protocol.ts";
import { reportResets } from "./refused-requests.ts";
import { recordPrompt } from "./sent-prompt.ts";
import { registerSnapshotTool } from "./snapshot-tool.ts";
import { registerTransitionTool } from "./transition-tool.ts";
import { openTurn, type Turn } from "./turn.ts";

/** The rules that a worker enforces. */
interface ArmedRules {
	readonly hash: string;
	/** Loads the code that judges calls, unless it is loaded. */
	load(): Promise<unknown>;
}

interface WorkerParts {
	readonly brief: WorkerBrief;
	/** pi's TypeBox. */
	readonly schemas: typeof Type;
}

/** Registers everything of a worker except its guard. `arm` enforces the rules; the worker reports ready only afterward. */
export async function registerWorker(
	pi: ExtensionAPI,
	{ brief, schemas }: WorkerParts,
	arm: (ctx: ExtensionContext) => Promise<ArmedRules>,
): Promise<void> {
	const turn = openTurn();
	registerTransitionTool(pi, brief, turn, schemas);
	registerSnapshotTool(pi, brief, schemas);
	if (brief.questions !== "none") registerAskTool(pi, schemas, (ctx, call) => tellHost(ctx, "refused", call));
	const given = openGivenTools(pi, brief.tools);
	const idle = openIdleWork();
	let rules: ArmedRules | undefined;

	pi.on("session_start", async (_event, ctx) => {
		try {
			rules = await arm(ctx);
		} catch (error) {
			tellHost(ctx, "unable", errorMessage(error));
		}
	});

	// Emitted after every extension has handled `session_start`, in which some register their tools.
	pi.on("resources_discover", (_event, ctx) => {
		if (rules === undefined) return;
		given.apply();
		tellHost(
			ctx,
			"hello",
			helloOf(pi, ctx, { launch: brief.launch, rules: rules.hash, registered: given.registered() }),
		);
		// Does not delay a worker that is adopted at once.
		const { model } = ctx;
		const { load } = rules;
		idle.plan(async () => {
			await warmUpModel(model);
			await load();
		});
	});

	// The first request follows the first entries, which pi writes into a file that it creates itself.
	let isPrivate = false;
	pi.on("context", (_event, ctx) => {
		// While the model answers, the process has nothing else to do.
		if (rules) idle.plan(rules.load);
		if (!isPrivate) keepPrivate(ctx.sessionManager.getSessionFile());
		isPrivate = true;
	});

	// When an extension registers a tool later, pi activates every tool again.
	pi.on("before_agent_start", () => given.apply());
	pi.on("turn_end", () => given.apply());

	pi.on("tool_call", (event, ctx) => {
		const refused = turn.refuse(event.toolName) ?? given.refuse(event.toolName);
		if (!refused) return undefined;
		tellHost(ctx, "refused", { call: event.toolCallId, rule: refused.rule } satisfies RefusedCall);
		return { block: true, reason: refused.reason };
	});

	pi.on("message_end", ({ message }) => {
		if (message.role === "assistant") idle.cancel();
		if (message.role === "assistant" && isAnswered(message)) turn.count("request");
		if (message.role === "assistant" || message.role === "toolResult") turn.spend(message.usage);
	});
	pi.on("tool_execution_end", () => turn.count("call"));
	pi.on("session_compact", ({ compactionEntry }) => turn.spend(compactionEntry.usage));

	recordPrompt(pi);
	reportResets(pi);
	briefAfterCompactions(pi, turn);
	pi.on("turn_end", (event, ctx) => {
		// Other tools' results of the message would cause another request.
		if (!turn.over) return saveRequest(event, ctx);
		ctx.abort();
		return undefined;
	});

	takeOrders(pi, brief, turn, idle.cancel);
}

/** Whether a message was requested and answered: what a provider refuses counts for no limit. */
function isAnswered({ stopReason, usage }: { stopReason: string; usage: { totalTokens: number } }): boolean {
	return stopReason !== "aborted" && (stopReason !== "error" || usage.totalTokens > 0);
}

/** The ready report. */
function helloOf(
	pi: ExtensionAPI,
	{ model }: ExtensionContext,
	known: Pick<Hello, "launch" | "rules" | "registered">,
): Hello {
	return {
		...known,
		tools: pi.getActiveTools(),
		model: model ? `${model.provider}/${model.id}` : "",
		priced: Object.values(model?.cost ?? {}).some((price) => typeof price === "number" && price > 0),
		thinking: pi.getThinkingLevel(),
	};
}

/** Executes the supervisor's orders; the first is the adoption. */
function takeOrders(pi: ExtensionAPI, brief: WorkerBrief, turn: Turn, adopted: () => void): void {
	pi.registerCommand(HOST_COMMAND, {
		description: "Reserved for the supervisor of a chronicle",
		handler: async (args, ctx) => {
			const [verb, json = ""] = args.trim().split(/ (.*)/s);
			if (verb === "stop") turn.stop();
			if (verb === "continue")
				pi.sendMessage({ customType: GO_ON, content: GO_ON_TEXT, display: false }, { triggerTurn: true });
			const allowance = verb === "allow" ? parseUntrusted(json, isAllowance) : undefined;
			if (allowance) turn.allow(allowance);
			const adoption = verb === "adopt" ? readAdoption(json) : undefined;
			if (!adoption || launchKey(adoption.launch) !== launchKey(brief.launch)) return;
			adopted();
			turn.begin(adoption.allowance);
			tellHost(ctx, "adopted", adoption.launch);
		},
	});
}

/** Asks the user through the supervisor, which distinguishes a no from a missing answer. */
export async function askThroughHost(ctx: ExtensionContext, { title, message, signal }: Question): Promise<Answer> {
	const reply = readHostReply(await askHost(ctx, "ask", { title, text: message }, signal));
	return reply?.kind === "yes" || reply?.kind === "no" ? reply.kind : "nobody";
}

/** Milliseconds without work before a worker loads what it will need later. */
const idleMs = 100;

/** Work for a moment in which the worker waits for its adoption or for the model. A failure occurs again where the work is needed. */
function openIdleWork(): { plan(work: () => Promise<unknown>): void; cancel(): void } {
	let timer: NodeJS.Timeout | undefined;
	return {
		plan(work) {
			clearTimeout(timer);
			timer = setTimeout(() => void work().catch(() => {}), idleMs);
		},
		cancel: () => clearTimeout(timer),
	};
}

async function warmUpModel(model: ExtensionContext["model"]): Promise<void> {
	try {
		if (model) await (await import("./warm-up.ts")).warmUp(model);
	} catch {
		// The first request loads it then.
	}
}

/** Makes the conversation private to the user, in a private folder. */
function keepPrivate(file: string | undefined): void {
	try {
		if (file !== undefined) chmodSync(file, 0o600);
	} catch {
		// There is none, or the file system knows no modes.
	}
}

interface SpendAllowance {
	readonly costUsd?: number;
	readonly tokens?: number;
}

const isAllowance = object<SpendAllowance>({ costUsd: optional(isNumber), tokens: optional(isNumber) });
