// What people say to a run that another process holds: one file each, taken by the holder in the order in which they came.
// X1 a file is whole when it has its name; X2 it goes away once it is dealt with, so it may be dealt with twice after a crash and is never lost;
// X3 what the listener does not take (its promise rejects) stays.
import { randomBytes } from "node:crypto";
import { type FSWatcher, watch } from "node:fs";
import { readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { PersonEvent } from "../machine/index.ts";
import { keepOwner, makeFolder } from "./owner.ts";

const ending = ".post.json";
/** Larger ones are not ours. */
const mostBytes = 100_000;

export async function postEvent(inbox: string, event: PersonEvent, at: number): Promise<void> {
	await makeFolder(inbox);
	const name = `${String(at).padStart(15, "0")}-${randomBytes(6).toString("hex")}`;
	const draft = join(inbox, `.${name}`);
	await writeFile(draft, `${JSON.stringify(event)}\n`, { mode: 0o600, flush: true });
	await keepOwner(draft);
	await rename(draft, join(inbox, `${name}${ending}`));
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
export async function openInbox(inbox: string, listener: (event: PersonEvent) => Promise<void>): Promise<Inbox> {
	await makeFolder(inbox);
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
				const event = await readPost(path);
				if (event) await listener(event);
				// Not reached where the listener could not deal with it: the next holder gets it.
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

async function readPost(path: string): Promise<PersonEvent | undefined> {
	try {
		const text = await readFile(path, "utf8");
		if (text.length > mostBytes) return undefined;
		const event: unknown = JSON.parse(text);
		return isPersonEvent(event) ? event : undefined;
	} catch {
		return undefined;
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
		["undefined", "string"].includes(typeof event.words)
	);
}
