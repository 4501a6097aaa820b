// Sends one notice on one channel, once.
import { join } from "node:path";
import { errorMessage } from "@pi-chronicle/core/definition";
import { type Channel, deliveryKey, type NoticeKey, type NoticeTerminal } from "../../local/index.ts";
import { bodyOf } from "./body.ts";
import type { Notice } from "./notice.ts";
import { sendByCommand } from "./send-command.ts";
import { desktopCommand, notifyInTerminal, ringBell } from "./send-desktop.ts";
import type { SendResult } from "./send-result.ts";
import { sendWebhook } from "./send-webhook.ts";

export interface SendPlace {
	readonly cwd: string;
	readonly env: NodeJS.ProcessEnv;
	/** For files that claim an attempt. */
	readonly folder: string;
	/** Number of the attempt, from 1. */
	readonly attempt: number;
	readonly terminal: NoticeTerminal | undefined;
}

/** The file that claims the attempt. */
export function claimOf(
	channel: Channel,
	notice: NoticeKey,
	{ folder, attempt }: Pick<SendPlace, "folder" | "attempt">,
) {
	return join(folder, "notices", `${deliveryKey(notice, channel.id).replaceAll(":", "-")}-${attempt}`);
}

/** Sends the notice. Never rejects. */
export async function sendNotice(channel: Channel, notice: Notice, place: SendPlace): Promise<SendResult> {
	const { cwd, env, terminal } = place;
	const claim = claimOf(channel, notice, place);
	const run = (command: readonly string[], body: string): Promise<SendResult> =>
		sendByCommand({ command, body, notice, cwd, env, claim });
	try {
		switch (channel.channel) {
			case "bell":
				return ringBell(terminal, claim);
			case "desktop":
				return notifyInTerminal(terminal, notice, claim) ?? (await run(desktopCommand(notice), ""));
			case "command":
				return await run(channel.command, `${bodyOf(notice, channel.body)}\n`);
			case "webhook":
				return await sendWebhook(channel, bodyOf(notice, channel.body), `${notice.id}:${channel.id}`, env);
		}
	} catch (error) {
		return { ok: false, answer: errorMessage(error) };
	}
}
