// What people say to a run that another process holds: one file each, taken by the holder in the order in which they came.
// X1 a file is whole when it has its name; X2 it goes away once it is dealt with, so it may be dealt with twice after a crash and is never lost;
// X3 what the listener does not take (its promise rejects) stays; X4 what cannot be read is kept under another name, and told; X5 a refusal
// lies beside its post before that goes away, for whoever posted it.
import { randomBytes } from "node:crypto";
import { type FSWatcher, watch } from "node:fs";
import { access, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { PersonEvent, Post, PostListener } from "../../core/index.ts";
import { undefinedIfMissing } from "./disk.ts";
import { inheritOwner, makePrivateFolder } from "./owner.ts";

const ending = ".post.json";
const replyEnding = ".refused";
const unreadEnding = ".unread";
/** Characters of one post: larger ones are refused when they are posted. */
const mostBytes = 100_000;

/** Leaves an event. Throws what the disk throws; `too_long` for one that no holder would read. */
export async function postEvent(inbox: string, event: PersonEvent, at: number): Promise<Post | "too_long"> {
	const text = `${JSON.stringify(event)}\n`;
	if (text.length > mostBytes) return "too_long";
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
	/** Resolves once what lay in it at first has been given. */
	readonly emptied: Promise<void>;
	close(): Promise<void>;
}

/**
 * Gives every event in the folder to `listener`, and those that come, until it is closed. No timer runs. Resolves once those that were
 * there have been given. One that the listener rejects stays, and so do those behind it until something new comes.
 */
export async function openInbox(inbox: string, listener: PostListener): Promise<Inbox> {
	await makePrivateFolder(inbox);
	let closed = false;
	let again = false;
	let taking: Promise<void> | undefined;

	const takeAll = async (): Promise<void> => {
		do {
			again = false;
			const names = (await readdir(inbox).catch((): string[] => [])).filter((name) => name.endsWith(ending)).sort();
			for (const name of names) {
				if (closed) return;
				const path = join(inbox, name);
				const read = await readPost(path);
				if (read === undefined) continue;
				if ("why" in read) {
					await rename(path, `${path}${unreadEnding}`);
					await listener.unread(`${path}${unreadEnding}`, read.why);
					continue;
				}
				const refused = await listener.event(read.event, Number(name.split("-", 1)[0]) || 0);
				// Not reached where the listener could not deal with it: the next holder gets it.
				if (refused !== undefined) await writeReply(path, refused);
				await rm(path, { force: true });
			}
		} while (again && !closed);
	};
	const look = (): void => {
		again = true;
		taking ??= takeAll()
			.catch(() => {})
			.finally(() => {
				taking = undefined;
			});
	};
	let watcher: FSWatcher | undefined;
	try {
		watcher = watch(inbox, { persistent: false }, look);
		watcher.on("error", () => watcher?.close());
	} catch {
		// Without a watch (its number is limited on some systems) posts are taken when the run is opened the next time.
	}
	look();
	await taking;
	return {
		emptied: taking ?? Promise.resolve(),
		async close() {
			closed = true;
			watcher?.close();
			await taking;
		},
	};
}

/** Leaves the reason for whoever posted; without it they see only that it was taken. */
async function writeReply(post: string, reason: string): Promise<void> {
	const path = `${post}${replyEnding}`;
	await writeFile(path, `${reason}\n`, { mode: 0o600 })
		.then(() => inheritOwner(path))
		.catch(() => {});
}

/** The event of a post, or why it is none; `undefined` where it was withdrawn. Throws where the disk does not let it be read now. */
async function readPost(path: string): Promise<{ readonly event: PersonEvent } | { readonly why: string } | undefined> {
	const text = await readFile(path, "utf8").catch(undefinedIfMissing);
	if (text === undefined) return undefined;
	if (text.length > mostBytes) return { why: `it has ${text.length} characters, and at most ${mostBytes} are read` };
	try {
		const event: unknown = JSON.parse(text);
		return isPersonEvent(event) ? { event } : { why: "it is nothing that this version knows" };
	} catch {
		return { why: "it is no JSON" };
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
