// Sends what is due of all runs of a project, until nothing is left to send.
// A notice is sent once on each channel: what has become of it is on disk before the next of its channel is sent, and what a killed sender left
// is done again under the same key; channels do not wait for each other; a notice that is out of date is not sent.
import { join } from "node:path";
import type { Clock, ReadLedger } from "@pi-chronicle/core/ports";
import {
	type Channel,
	type Delivery,
	deliveryKey,
	hasOutbox,
	isCurrent,
	type Outbox,
	type Project,
	pageOfRun,
	readChannels,
	readOutbox,
	readWake,
	recordDelivery,
	savedChannels,
	wakeOf,
} from "../../local/index.ts";
import { projectTrust } from "../../pi/index.ts";
import { openRedaction } from "../../safety/index.ts";
import { noticesOf } from "./due.ts";
import { type NoticeSource, noticeOf } from "./notice.ts";
import { sendNotice } from "./send.ts";
import type { SendResult } from "./send-result.ts";

/** The first wait after a failure, the longest, and how long a notice is tried, in ms. */
const retry = { firstMs: 1000, mostMs: 600_000, allMs: 24 * 3_600_000 } as const;

export interface DeliveryOptions {
	readonly clock: Pick<Clock, "now" | "sleep">;
	readonly signal: AbortSignal;
	/** Returns, or kills the process. */
	readonly crashAt: (point: string) => void;
	/** Replaced in tests. */
	readonly send?: typeof sendNotice;
}

/** One notice for one channel that is not settled. */
interface Due {
	readonly ledger: ReadLedger;
	readonly source: NoticeSource;
	readonly channel: Channel;
	readonly outbox: Outbox;
	readonly before: Delivery | undefined;
}

/** Resolves once everything is sent, given up or out of date, or `signal` aborts. */
export async function deliverNotices(project: Project, options: DeliveryOptions): Promise<void> {
	const { clock, signal } = options;
	const busy = new Map<string, Promise<void>>();
	let woken: string | undefined;
	let dues: readonly Due[] = [];
	let isStale = true;
	const unrecorded = new Set<string>();
	while (!signal.aborted) {
		const now = await readWake(project.place);
		isStale ||= now !== woken;
		woken = now;
		while (isStale) {
			// What ends meanwhile must not be sent again.
			isStale = false;
			dues = (await findDue(project)).filter((due) => !unrecorded.has(nameOf(due)));
		}
		for (const due of dues) {
			const { id } = due.channel;
			if (busy.has(id) || waitOf(due, clock.now()) > 0) continue;
			const done = deliverNotice(project, due, options)
				// Without a record it would be sent again and again: another sender tries later.
				.catch(() => void unrecorded.add(nameOf(due)))
				.then(() => {
					busy.delete(id);
					isStale = true;
				});
			busy.set(id, done);
		}
		if (busy.size === 0 && dues.length === 0) return;
		await rest(busy, dues, { ...options, place: project.place, woken });
	}
	await Promise.all(busy.values());
}

function nameOf({ ledger, source, channel }: Due): string {
	return `${ledger.run.id} ${deliveryKey(source, channel.id)}`;
}

/** Milliseconds until the next try; none if the clock was set back since the last one. */
function waitOf({ before }: Due, now: number): number {
	return before?.next === undefined || Date.parse(before.at) > now ? 0 : before.next - now;
}

/** Until a delivery has ended, the next is due, or the sender is woken. */
async function rest(
	busy: ReadonlyMap<string, Promise<void>>,
	dues: readonly Due[],
	{ clock, signal, place, woken }: DeliveryOptions & Pick<Project, "place"> & { readonly woken: string | undefined },
): Promise<void> {
	const over = new AbortController();
	const any = AbortSignal.any([signal, over.signal]);
	const waits = dues.filter(({ channel }) => !busy.has(channel.id)).map((due) => waitOf(due, clock.now()));
	const timer = waits.length === 0 ? [] : [clock.sleep(Math.max(0, Math.min(...waits)), any)];
	const wake = wakeOf(place, any);
	// One that came before the watch began.
	if ((await readWake(place)) === woken) await Promise.race([...busy.values(), ...timer, wake]);
	over.abort();
}

/** What is to be sent, oldest first in each run. */
async function findDue(project: Project): Promise<readonly Due[]> {
	const all: Due[] = [];
	for (const id of await project.store.ids()) all.push(...(await dueOf(project, id)));
	return all;
}

async function dueOf(project: Project, id: string): Promise<readonly Due[]> {
	if (!hasOutbox(join(project.sessions, id))) return [];
	const read = await project.store.read(id);
	if (!read.ok) return [];
	const ledger = read.value;
	const outbox = readOutbox(ledger.folder);
	if (!outbox) return [];
	const { channels } = outbox.channels ? readChannels(outbox.channels) : savedChannels(project.place);
	const sources = channels.length === 0 ? [] : await noticesOf(ledger, outbox.after);
	return sources.flatMap((source) =>
		channels
			.filter(({ kinds }) => kinds.has(source.kind))
			.map((channel) => ({
				ledger,
				source,
				channel,
				outbox,
				before: outbox.deliveries.get(deliveryKey(source, channel.id)),
			}))
			.filter(({ before }) => before === undefined || before.state === "retry"),
	);
}

async function deliverNotice(
	project: Project,
	{ ledger, source, channel, outbox, before }: Due,
	options: DeliveryOptions,
): Promise<void> {
	const { clock, crashAt, send = sendNotice } = options;
	const { cwd, env = process.env } = project.place;
	const tries = (before?.tries ?? 0) + 1;
	const first = before?.first ?? new Date(clock.now()).toISOString();
	const settle = (
		state: Delivery["state"],
		{ answer, next, tried = tries }: { answer: string; next?: number; tried?: number },
	): void => {
		const at = new Date(clock.now()).toISOString();
		recordDelivery(ledger.folder, deliveryKey(source, channel.id), {
			state,
			first,
			at,
			tries: tried,
			answer,
			next,
			name: channel.name,
		});
	};
	const current = await project.store.read(ledger.run.id);
	if (!current.ok) return;
	if (!isCurrent(current.value.run, source)) return settle("outdated", { answer: "", tried: tries - 1 });
	crashAt("before notice");
	const notice = noticeOf(source, cwd, openRedaction(env), {
		link: pageOfRun(project.sessions, source.run.id),
		trust: project.place.trust === "trusted" && projectTrust(project.place) === "untrusted" ? "--approve " : "",
	});
	const sent = await send(channel, notice, {
		cwd,
		env,
		folder: ledger.folder,
		attempt: tries,
		terminal: outbox.terminal,
	});
	crashAt("notice sent");
	const next = sent.ok ? undefined : nextTry(sent, { tries, first: Date.parse(first), now: clock.now() });
	settle(sent.ok ? "sent" : next === undefined ? "failed" : "retry", { answer: sent.answer, next });
	crashAt("notice recorded");
}

/** When a notice is tried again, in ms since the epoch; `undefined`: never. */
export function nextTry(
	{ retryMs = 0 }: SendResult,
	{ tries, first, now }: { readonly tries: number; readonly first: number; readonly now: number },
): number | undefined {
	const wait = Math.min(retry.mostMs, Math.max(retry.firstMs * 2 ** Math.min(tries - 1, 20), retryMs));
	return now + wait - first > retry.allMs ? undefined : now + wait;
}
