// What has become of a run's notices: `notices.jsonl` in its folder. What is to be sent is derived from the ledger; here is what was sent.
// Lines are only appended, each durable before the next delivery of its channel; a torn line does not count; a run without this file
// has no notices, so that new settings tell nothing of old runs.
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { anyObject, isNumber, isText, object, oneOf, optional, type Shape } from "@pi-chronicle/core/definition";
import { attempt, inheritOwnerSync } from "../../disk/index.ts";
import type { NoticeKey } from "./kind.ts";

const fileName = "notices.jsonl";

/** The terminal of the process that supervises the run, for the bell and for its own notifications. */
export interface NoticeTerminal {
	/** Path of its device. */
	readonly device: string;
	/** Which sequence shows a notification; absent: none. */
	readonly sequence?: "osc9" | "osc99" | "osc777";
}

interface Opening {
	/** Events up to this one are not told. */
	readonly after: number;
	/** Channels of `--notify`, as the settings write them; absent: those of the settings. */
	readonly channels?: readonly object[];
	readonly terminal?: NoticeTerminal;
}

type DeliveryState =
	/** The receiver has it. */
	| "sent"
	/** It failed, and is tried again. */
	| "retry"
	/** It failed for a day. */
	| "failed"
	/** Somebody had answered before. */
	| "outdated";

/** The last that is known of one notice on one channel. */
export interface Delivery {
	readonly state: DeliveryState;
	/** ISO 8601: of the first attempt and of the last. */
	readonly first: string;
	readonly at: string;
	readonly tries: number;
	/** What the receiver answered. */
	readonly answer: string;
	/** When it is tried again, in ms since the epoch. */
	readonly next?: number;
	/** The channel, for people. */
	readonly name: string;
}

export interface Outbox extends Opening {
	/** By notice and channel, see `deliveryKey`. */
	readonly deliveries: ReadonlyMap<string, Delivery>;
}

export function deliveryKey({ kind, seq }: NoticeKey, channel: string): string {
	return `${seq}:${kind}:${channel}`;
}

/** Whether the run in `folder` has notices. */
export function hasOutbox(folder: string): boolean {
	return existsSync(join(folder, fileName));
}

const isObjects: Shape<readonly object[]> = (value): value is readonly object[] =>
	Array.isArray(value) && value.every(anyObject);
const isTerminal = object<NoticeTerminal>({ device: isText, sequence: optional(oneOf("osc9", "osc99", "osc777")) });
const isOpening = object<Opening>({ after: isNumber, channels: optional(isObjects), terminal: optional(isTerminal) });
const isDelivery = object<Delivery & { readonly notice: string }>({
	...{ notice: isText, first: isText, at: isText, tries: isNumber, answer: isText, name: isText },
	state: oneOf("sent", "retry", "failed", "outdated"),
	next: optional(isNumber),
});

/** Reads it; `undefined`: the run has no notices. */
export function readOutbox(folder: string): Outbox | undefined {
	const text = attempt(() => readFileSync(join(folder, fileName), "utf8"));
	if (text === undefined) return undefined;
	let opening: Opening = { after: Number.POSITIVE_INFINITY };
	const deliveries = new Map<string, Delivery>();
	for (const line of text.split("\n")) {
		const read: unknown = attempt(() => JSON.parse(line));
		if (isOpening(read)) opening = { ...opening, ...read, after: Math.min(opening.after, read.after) };
		else if (isDelivery(read)) deliveries.set(read.notice, read);
	}
	return { ...opening, deliveries };
}

/** From here on, the run's events are told. Throws disk errors. */
export function openOutbox(folder: string, opening: Opening): void {
	mkdirSync(folder, { recursive: true, mode: 0o700 });
	appendNotice(folder, opening);
}

/** Records what has become of a notice. Durable when this returns. Throws disk errors. */
export function recordDelivery(folder: string, notice: string, delivery: Delivery): void {
	appendNotice(folder, { notice, ...delivery });
}

function appendNotice(folder: string, line: object): void {
	const path = join(folder, fileName);
	// After a torn line, the next one begins on a line of its own.
	appendFileSync(path, `\n${JSON.stringify(line)}\n`, { mode: 0o600, flush: true });
	inheritOwnerSync(path);
}
