// Sends one notice on one channel, once.
import { join } from "node:path";
import { errorMessage } from "@pi-chronicle/core/definition";
import { type Channel, deliveryKey, type NoticeTerminal } from "../../local/index.ts";
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

/** Sends the notice. Never rejects. */
export async function sendNotice(channel: Channel, notice: Notice, place: SendPlace): Promise<SendResult> {
	const { cwd, env, folder, attempt, terminal } = place;
	const run = (command: readonly string[], body: string): Promise<SendResult> => {
		const claim = join(folder, "notices", `${deliveryKey(notice, channel.id).replaceAll(":", "-")}-${attempt}`);
		return sendByCommand({ command, body, notice, cwd, env, claim });
	};
	try {
		switch (channel.channel) {
			case "bell":
				return ringBell(terminal);
			case "desktop":
				return notifyInTerminal(terminal, notice) ?? (await run(desktopCommand(notice), ""));
			case "command":
				return await run(channel.command, `${bodyOf(notice, channel.body)}\n`);
			case "webhook":
				return await sendWebhook(channel, bodyOf(notice, channel.body), `${notice.id}:${channel.id}`, env);
		}
	} catch (error) {
		return { ok: false, answer: errorMessage(error) };
	}
}
