// The notices that a host of an engine sends: by the channels of its own settings, never by what a submitter names.

import { rm } from "node:fs/promises";
import { type Channel, isCurrent, type ProjectEnvironment, savedChannels } from "../../local/index.ts";
import { openRedaction } from "../../safety/index.ts";
import type { Engine } from "../load-engine.ts";
import { nextTry } from "./deliver.ts";
import { noticesOf } from "./due.ts";
import { noticeOf } from "./notice.ts";
import { claimOf, sendNotice } from "./send.ts";

type Sending = NonNullable<ConstructorParameters<Engine["EngineWorker"]>[0]["notices"]>;
type Order = Parameters<Sending["send"]>[0];

interface HostNotices extends Sending {
	/** One sentence for each channel of the settings that sends nothing here. */
	readonly problems: readonly string[];
}

export interface HostNoticesOptions {
	readonly place: Pick<ProjectEnvironment, "cwd" | "agentFolder" | "trust" | "env">;
	/** A folder of the host, for files that claim an attempt. */
	readonly folder: string;
	/** Returns, or kills the process. */
	readonly crashAt: (point: string) => void;
}

/** Opens the channels of a host. Nobody sits at it: `desktop` and `bell` are left out. */
export function openHostNotices({ place, folder, crashAt }: HostNoticesOptions): HostNotices {
	const { channels, problems } = savedChannels(place);
	const isFar = ({ channel }: Channel): boolean => channel === "webhook" || channel === "command";
	const { PI_CHRONICLE_ENGINE: _, ...env } = place.env ?? process.env;
	const redact = openRedaction(env);
	return {
		channels: channels.filter(isFar),
		problems: [
			...problems,
			...channels.filter((one) => !isFar(one)).map(({ name }) => `${name}: nobody sits at a host of an engine.`),
		],
		async send({ project, ledger, key, channel, attempt, first, starts }: Order) {
			if (!isCurrent(ledger.run, key)) return { state: "outdated", answer: "" };
			const found = (await noticesOf(ledger, key.seq - 1)).find(
				({ kind, seq }) => kind === key.kind && seq === key.seq,
			);
			if (!found) return { state: "failed", answer: "its event tells nothing to this version" };
			crashAt("before notice");
			if (channel.channel === "command" && !(await starts())) return undefined;
			const sent = await sendNotice(channel, noticeOf(found, project, redact), {
				...{ cwd: folder, env, folder, attempt, terminal: undefined },
			});
			// That it was started is recorded: nobody starts it again.
			await rm(claimOf(channel, found, { folder, attempt }), { force: true });
			crashAt("notice sent");
			const next = sent.ok ? undefined : nextTry(sent, { tries: attempt, first, now: Date.now() });
			return { state: sent.ok ? "sent" : next === undefined ? "failed" : "retry", answer: sent.answer, next };
		},
	};
}
