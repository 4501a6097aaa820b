import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { completeWords, hasEnded, registerOwnCommand, rejectCommand, say } from "../../pi/index.ts";
import type { Policies } from "../policy/index.ts";
import type { SessionBox } from "../session-box.ts";
import { registerReadonlyFlag } from "./flag.ts";
import type { ReadonlyRequest } from "./front-matter.ts";
import { openReadonly, type ReadonlySession, readonlyOf, setReadonly, toggleReadonly } from "./session.ts";

export type { ReadonlySession } from "./session.ts";

/** Registers `/readonly`, the flag, and the handlers that follow the branch and the front matter of templates and skills. */
export function registerReadonly(pi: ExtensionAPI, policies: Policies, box: SessionBox): ReadonlySession {
	const session = openReadonly(pi, policies, box);
	registerReadonlyFlag(pi, process.argv);
	registerOwnCommand(pi, "readonly", {
		description: "Turn readonly on or off: /readonly [on|off]",
		getArgumentCompletions: (prefix) => completeWords(["on", "off"], prefix),
		handler: async (args, ctx) => void (await runReadonlyCommand(ctx, args)),
	});
	pi.on("session_start", (_event, ctx) => session.refresh(ctx));
	pi.on("session_tree", (_event, ctx) => session.refresh(ctx));
	pi.on("input", async (event, ctx) => {
		// Text sent by an extension is never a command.
		if (event.source !== "extension" && event.text.startsWith("/")) {
			const { findReadonlyRequest } = await import("./front-matter.ts");
			await followRequest(ctx, findReadonlyRequest(pi, event.text));
		}
		return undefined;
	});
	pi.on("before_agent_start", (_event, ctx) => {
		if (hasEnded(ctx)) return undefined;
		const news = session.pendingNotice(ctx);
		return news && { message: news };
	});
	pi.on("turn_end", ({ entries, outcome, toolResults }, ctx) => {
		if (!session.on || outcome !== "completed" || toolResults.length === 0) return;
		const lost = session.noticeAfterCompaction(ctx);
		return lost && { entries: [...entries, { type: "custom_message" as const, ...lost }] };
	});
	return session;
}

/** Runs `/readonly`, typed or as a step of a sequence. */
export async function runReadonlyCommand(
	ctx: ExtensionContext,
	args: string,
): Promise<{ readonly kind: "completed" } | { readonly kind: "failed"; readonly reason: string }> {
	const word = args.trim().toLowerCase();
	switch (word) {
		case "":
			await toggleReadonly(ctx);
			break;
		case "on":
		case "off":
			await setReadonly(ctx, word === "on");
			break;
		default: {
			const reason = `Unknown: \`/readonly ${word}\`. Use \`/readonly\`, \`/readonly on\` or \`/readonly off\`.`;
			rejectCommand(ctx, reason);
			return { kind: "failed", reason };
		}
	}
	const session = readonlyOf(ctx);
	const text = session?.on
		? `Readonly: nothing is changed except temporary files. ${(await session.confinement()) === "sandbox" ? "Shell commands run in a sandbox." : "Shell commands are judged by their text; no sandbox works here."}`
		: "Readonly is off.";
	say(ctx, text);
	return { kind: "completed" };
}

/**
 * Reads the `readonly` request in the front matter of a template or skill, and returns the function that applies it. A sequence reads all
 * its files before its first step, so removing a file before its step cannot loosen anything.
 */
export async function prepareReadonlyRequest(file: string): Promise<(ctx: ExtensionContext) => Promise<void>> {
	const { readReadonlyRequest } = await import("./front-matter.ts");
	const asked = readReadonlyRequest(file);
	return (ctx) => followRequest(ctx, asked);
}

async function followRequest(ctx: ExtensionContext, asked: ReadonlyRequest): Promise<void> {
	if (asked.kind === "unclear") {
		say(ctx, `${asked.file}:${asked.line}: \`readonly\` is neither true nor false, so it is ignored.`, "warning");
	}
	if (asked.kind === "posture") await setReadonly(ctx, asked.on);
}
