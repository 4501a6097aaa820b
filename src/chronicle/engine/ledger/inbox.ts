// Commands to a run that another process holds: one file each, taken by the holder in the order of arrival.
// X1 a file is complete when it has its name; X2 it is removed once it is handled, so after a crash it may be handled twice and is never lost;
// X3 what the listener does not take (its promise rejects) stays; X4 what cannot be read is kept under another name and reported; X5 a refusal
// is written beside its post, for the sender, before the post is removed.
import { randomBytes } from "node:crypto";
import { type FSWatcher, watch } from "node:fs";
import { access, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inheritOwner, makePrivateFolder, undefinedIfMissing } from "../../../disk/index.ts";
import type { PersonEvent, Post, PostListener } from "../../core/index.ts";

const ending = ".post.json";
const replyEnding = ".refused";
const unreadEnding = ".unread";
/** Characters of one post: longer ones are refused when they are posted. */
const mostLength = 100_000;

/** Posts an event. Throws what the disk throws; `too_long` for one that no holder would read. */
export async function postEvent(inbox: string, event: PersonEvent, at: number): Promise<Post | "too_long"> {
	const text = `${JSON.stringify(event)}\n`;
	if (text.length > mostLength) return "too_long";
	await makePrivateFolder(inbox);
	const name = `${String(at).padStart(15, "0")}-${randomBytes(6).toString("hex")}`;
	const draft = join(inbox, `.${name}`);
	const path = join(inbox, `${name}${ending}`);
	await writeFile(draft, text, { mode: 0o600, flush: true });
	await inheritOwner(draft);
	await rename(draft, path);
	return {
		async state() {
			const refused = await readReply(`${path}${replyEnding}`);
			if (refused !== undefined) {
				await rm(`${path}${replyEnding}`, { force: true });
				return { kind: "refused", reason: refused };
			}
			return { kind: (await access(path).then(() => true, undefinedIfMissing)) ? "waiting" : "taken" };
		},
		withdraw: () =>
			rm(path).then(
				() => true,
				(error: unknown) => undefinedIfMissing(error) ?? false,
			),
	};
}

async function readReply(path: string): Promise<string | undefined> {
	const text = await readFile(path, "utf8").catch(undefinedIfMissing);
	return text === undefined || !text.endsWith("\n") ? undefined : text.trimEnd();
}

export interface Inbox {
	/** Resolves once what was in it when it was opened has been delivered. */
	readonly emptied: Promise<void>;
	close(): Promise<void>;
}

/**
 * Delivers every event in the folder, and those that arrive, to `listener`, until it is closed. No timer runs. Resolves once those that were there
 * have been delivered. One that the listener rejects stays, and so do those after it until something new arrives.
 */
export async function openInbox(inbox: string, listener: PostListener): Promise<Inbox> {
	await makePrivateFolder(inbox);
	let closed = false;
	let again = false;
	let delivering: Promise<void> | undefined;

	const deliverAll = async (): Promise<void> => {
		do {
			again = false;
			for (const name of await postsIn(inbox)) {
				if (closed) return;
				await deliver(join(inbox, name), Number(name.split("-", 1)[0]) || 0, listener);
			}
		} while (again && !closed);
	};
	const look = (): void => {
		again = true;
		delivering ??= deliverAll()
			.catch(() => {})
			.finally(() => {
				delivering = undefined;
			});
	};
	const watcher = watchFolder(inbox, look);
	look();
	await delivering;
	return {
		emptied: delivering ?? Promise.resolve(),
		async close() {
			closed = true;
			watcher?.close();
			await delivering;
		},
	};
}

async function postsIn(inbox: string): Promise<string[]> {
	const names = await readdir(inbox).catch((): string[] => []);
	return names.filter((name) => name.endsWith(ending)).sort();
}

/** Rejects where the listener could not handle the event: the next holder gets it. */
async function deliver(path: string, at: number, listener: PostListener): Promise<void> {
	const read = await readPost(path);
	if (read === undefined) return;
	if ("why" in read) {
		await rename(path, `${path}${unreadEnding}`);
		return listener.unread(`${path}${unreadEnding}`, read.why);
	}
	const refused = await listener.event(read.event, at);
	if (refused !== undefined) await writeReply(path, refused);
	await rm(path, { force: true });
}

function watchFolder(folder: string, changed: () => void): FSWatcher | undefined {
	try {
		const watcher = watch(folder, { persistent: false }, changed);
		watcher.on("error", () => watcher.close());
		return watcher;
	} catch {
		// Without a watch (some systems limit their number) posts are taken when the run is next opened.
		return undefined;
	}
}

/** Writes the reason for the sender, who without it sees only that the post was taken. */
async function writeReply(post: string, reason: string): Promise<void> {
	const path = `${post}${replyEnding}`;
	await writeFile(path, `${reason}\n`, { mode: 0o600 })
		.then(() => inheritOwner(path))
		.catch(() => {});
}

/** The event of a post, or why it is none; `undefined` if it was withdrawn. Throws where the disk does not let it be read now. */
async function readPost(path: string): Promise<{ readonly event: PersonEvent } | { readonly why: string } | undefined> {
	const text = await readFile(path, "utf8").catch(undefinedIfMissing);
	if (text === undefined) return undefined;
	if (text.length > mostLength) return { why: `it has ${text.length} characters; at most ${mostLength} are read` };
	try {
		const event: unknown = JSON.parse(text);
		return isPersonEvent(event) ? { event } : { why: "it is not a command that this version knows" };
	} catch {
		return { why: "it is not JSON" };
	}
}

type Kind = "number" | "string" | "object";

/** What each word must have besides its kind: another version may have left it. */
const shapes: Readonly<Record<PersonEvent["kind"], Readonly<Record<string, Kind>>>> = {
	approved: { answers: "number", diff: "string" },
	rejected: { answers: "number", words: "string" },
	resumed: { answers: "number" },
	released: { answers: "number" },
	limits_changed: { limits: "object" },
	model_changed: { model: "string" },
	told: { text: "string" },
	pause_requested: { cause: "string", detail: "string" },
	abort_requested: {},
	reopened: { answers: "number", to: "string" },
	rewind_requested: { to: "number", state: "string", tree: "string", snapshot: "object", pairMoves: "object" },
};

function isPersonEvent(value: unknown): value is PersonEvent {
	if (typeof value !== "object" || value === null) return false;
	const event = value as Readonly<Record<string, unknown>>;
	if (typeof event.kind !== "string" || !Object.hasOwn(shapes, event.kind)) return false;
	const wanted = Object.entries(shapes[event.kind as PersonEvent["kind"]]);
	return (
		wanted.every(([field, kind]) => typeof event[field] === kind && event[field] !== null) &&
		["undefined", "string"].includes(typeof event.words) &&
		(event.seen === undefined || isSeen(event.seen))
	);
}

function isSeen(value: unknown): boolean {
	if (typeof value !== "object" || value === null) return false;
	const { visit, attempt } = value as Readonly<Record<string, unknown>>;
	return typeof visit === "number" && ["undefined", "number"].includes(typeof attempt);
}
