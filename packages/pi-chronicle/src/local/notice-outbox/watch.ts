// Tells the sender about the notices of the runs that this process supervises.
// Nothing here delays the run: it looks at events that are on disk, and its own failures are none of the run's; without channels, it is never
// called.
import { execFileSync } from "node:child_process";
import { mkdirSync, readlinkSync } from "node:fs";
import type { ReadLedger, Supervision } from "@pi-chronicle/core/ports";
import { attempt } from "../../disk/index.ts";
import type { ProjectEnvironment } from "../worker/index.ts";
import { type Channel, readChannels, savedChannels } from "./channel.ts";
import { noticeKind } from "./kind.ts";
import { type NoticeTerminal, openOutbox, readOutbox } from "./outbox.ts";
import { folderOf, wakeSender } from "./sender.ts";

/** Watches a supervision that begins. Does nothing where the run has no channels. */
export function watchNotices(
	place: ProjectEnvironment,
	{ folder, run }: Pick<ReadLedger, "folder" | "run">,
	supervision: Supervision,
): void {
	const channels = attempt(() => openChannels(place, folder, run.seq)) ?? [];
	if (channels.length === 0) return;
	const wanted = new Set(channels.flatMap(({ kinds }) => [...kinds]));
	const wake = (): void => void wakeSender(place).catch(() => {});
	supervision.watch((now, event, before) => {
		const kind = noticeKind(now, event, before);
		if (kind !== undefined && wanted.has(kind)) wake();
	});
	// What an earlier supervisor has left.
	if (run.seq > 1) wake();
}

/** The channels of the run in `folder`, whose events after `seq` are told. */
function openChannels(place: ProjectEnvironment, folder: string, seq: number): readonly Channel[] {
	const own = readOutbox(folder)?.channels;
	const { channels } = own ? readChannels(own) : savedChannels(place);
	if (channels.length === 0) return [];
	const usesTerminal = channels.some(({ channel }) => channel === "bell" || channel === "desktop");
	const terminal = usesTerminal ? ownTerminal() : undefined;
	mkdirSync(folderOf(place), { recursive: true, mode: 0o700 });
	openOutbox(folder, { after: seq, ...(terminal ? { terminal } : {}) });
	return channels;
}

/** The terminal of this process; `undefined`: it has none. */
export function ownTerminal(env: NodeJS.ProcessEnv = process.env): NoticeTerminal | undefined {
	const stream = [process.stdout, process.stderr, process.stdin].find(({ isTTY }) => isTTY);
	const device = stream && deviceOf(stream.fd);
	if (device === undefined) return undefined;
	const sequence = sequenceOf(env);
	return { device, ...(sequence ? { sequence } : {}) };
}

function deviceOf(fd: number): string | undefined {
	if (process.platform === "win32") return undefined;
	try {
		if (process.platform === "linux") return readlinkSync(`/proc/self/fd/${fd}`);
		return execFileSync("tty", { stdio: [fd, "pipe", "ignore"], encoding: "utf8", timeout: 1000 }).trim();
	} catch {
		return undefined;
	}
}

/** Terminals that show notifications, by the documentation of each. Inside tmux and screen, none is reached. */
function sequenceOf({
	TERM = "",
	TERM_PROGRAM = "",
	TMUX,
	STY,
	KITTY_WINDOW_ID,
}: NodeJS.ProcessEnv): NoticeTerminal["sequence"] {
	if (TMUX || STY) return undefined;
	if (KITTY_WINDOW_ID || TERM === "xterm-kitty") return "osc99";
	if (/^(?:iTerm\.app|WezTerm|ghostty)$/.test(TERM_PROGRAM) || TERM === "xterm-ghostty") return "osc9";
	return /^(?:foot|rxvt-unicode)/.test(TERM) ? "osc777" : undefined;
}
