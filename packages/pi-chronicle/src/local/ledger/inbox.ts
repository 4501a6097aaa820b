// Commands to a run that another process holds: one file each, processed by the holder in order of arrival.
// A file is complete once it has its name; it is removed after it is handled, so after a crash it may be handled twice, but is never
// lost; what the listener rejects stays; an unreadable file is kept under another name and reported; a refusal is written next to
// the command, for the sender, before the command is removed.
import { randomBytes } from "node:crypto";
import { access, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { anyObject, isNumber, isText, object, oneOf, optional, type Shape } from "@pi-chronicle/core/definition";
import type { UserEvent } from "@pi-chronicle/core/machine";
import type { Post, PostListener } from "@pi-chronicle/core/ports";
import { inheritOwner, makePrivateFolder, undefinedIfMissing, watchFolder } from "../../disk/index.ts";
import { openDeliveryLoop } from "./delivery-loop.ts";

const ending = ".post.json";
const replyEnding = ".refused";
const unreadEnding = ".unread";
/** Maximum characters of one post: longer ones are refused when posted. */
const maxLength = 100_000;

/** The text of a post; `undefined` if no holder would read it, because it is too long. */
export function postText(event: UserEvent): string | undefined {
	const content = `${JSON.stringify(event)}\n`;
	return content.length > maxLength ? undefined : content;
}

/** Posts an event. Throws disk errors; `too_long` for a post that no holder would read. */
export async function postEvent(inbox: string, event: UserEvent, at: number): Promise<Post | "too_long"> {
	const content = postText(event);
	if (content === undefined) return "too_long";
	await makePrivateFolder(inbox);
	const name = `${String(at).padStart(15, "0")}-${randomBytes(6).toString("hex")}`;
	const draft = join(inbox, `.${name}`);
	const path = join(inbox, `${name}${ending}`);
	await writeFile(draft, content, { mode: 0o600, flush: true });
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
	const reply = await readFile(path, "utf8").catch(undefinedIfMissing);
	return reply?.endsWith("\n") ? reply.trimEnd() : undefined;
}

export interface Inbox {
	/** Resolves once the posts present at opening have been delivered. */
	readonly emptied: Promise<void>;
	close(): Promise<void>;
}

/**
 * Delivers every event in the folder, and those that arrive later, to `listener`, until it is closed. Resolves once the existing ones
 * have been delivered. An event that the listener rejects stays, and so do those after it until a new one arrives.
 */
export async function openInbox(inbox: string, listener: PostListener): Promise<Inbox> {
	await makePrivateFolder(inbox);
	const loop = openDeliveryLoop(async (isClosed) => {
		for (const name of await postsIn(inbox)) {
			if (isClosed()) return;
			await deliver(join(inbox, name), Number(name.split("-", 1)[0]) || 0, listener);
		}
	});
	const unwatch = watchFolder(inbox, () => void loop.look());
	const emptied = loop.look();
	await emptied;
	return {
		emptied,
		close() {
			unwatch();
			return loop.close();
		},
	};
}

async function postsIn(inbox: string): Promise<string[]> {
	const names = await readdir(inbox).catch((): string[] => []);
	return names.filter((name) => name.endsWith(ending)).sort();
}

/** Rejects if the listener could not handle the event: the next holder gets it. */
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

/** Writes the reason for the sender, who would otherwise only see that the post was read. */
async function writeReply(post: string, reason: string): Promise<void> {
	const path = `${post}${replyEnding}`;
	await writeFile(path, `${reason}\n`, { mode: 0o600 })
		.then(() => inheritOwner(path))
		.catch(() => {});
}

/** The event of a post, or why it is invalid; `undefined` if it was withdrawn. Throws if it cannot be read now. */
async function readPost(path: string): Promise<PostRead | undefined> {
	const content = await readFile(path, "utf8").catch(undefinedIfMissing);
	return content === undefined ? undefined : parsePost(content);
}

export type PostRead = { readonly event: UserEvent } | { readonly why: string };

/** The event in the text of a post, or why it is invalid. */
export function parsePost(content: string): PostRead {
	if (content.length > maxLength) return { why: `it has ${content.length} characters; at most ${maxLength} are read` };
	try {
		const event: unknown = JSON.parse(content);
		return isUserEvent(event) ? { event: withoutSender(event) } : { why: "this version does not know the command" };
	} catch {
		return { why: "it is not JSON" };
	}
}

/** What a post says about its sender does not count: the store knows it, or nobody. */
function withoutSender({ by: _, ...event }: UserEvent): UserEvent {
	return event as UserEvent;
}

type Seen = NonNullable<Extract<UserEvent, { kind: "approved" }>["seen"]>;

const isSeen = object<Seen>({ visit: isNumber, attempt: optional(isNumber) });

const isReload = object<{ readonly template: object }>({
	template: object({ name: isText, hash: isText, definition: anyObject }),
});

const isDecision = object({
	...{ number: isNumber, seq: isNumber, at: isText, visit: isNumber, state: isText, words: isText },
	did: oneOf("approved", "rejected", "told", "answered", "resumed", "released", "reopened", "aborted"),
	about: optional(isText),
});

/** A tree is handed to git. */
const isTree: Shape<string> = (value): value is string => isText(value) && /^[0-9a-f]{40,64}$/.test(value);

/** Required fields of each command, because another version may have posted it. Every command may have `words`, `seen` and `via`. */
const required: Readonly<Record<UserEvent["kind"], Shape<object>>> = {
	ask_answered: object({ answers: isNumber, verdict: oneOf("answered"), words: isText }),
	approved: object({
		...{
			answers: isNumber,
			diff: isText,
			choice: optional(isText),
			resolved: optional(isTree),
			winner: optional(isText),
		},
	}),
	rejected: object({ answers: isNumber, words: isText }),
	resumed: object({ answers: isNumber, reload: optional(isReload) }),
	released: object({ answers: isNumber }),
	limits_changed: object({ limits: anyObject }),
	model_changed: object({ model: isText }),
	told: object({ text: isText }),
	pause_requested: object({ cause: isText, detail: isText }),
	abort_requested: object({ byParent: optional(isText) }),
	reopened: object({ answers: isNumber, to: isText }),
	rewind_requested: object({
		to: isNumber,
		state: isText,
		tree: isText,
		snapshot: anyObject,
		pairMoves: anyObject,
		reload: optional(isReload),
	}),
	join_requested: object({ answers: isNumber }),
	copy_taken: object({ answers: isNumber, as: oneOf("branch", "patch"), name: isText }),
	copy_discarded: object({ answers: isNumber }),
	child_signaled: object({ child: isText }),
	child_dropped: object({ child: isText }),
	decision_inherited: object({ decision: isDecision }),
};

const isCommand = object<{
	readonly kind: string;
	readonly words?: string;
	readonly via?: string;
	readonly seen?: Seen;
}>({
	kind: isText,
	words: optional(isText),
	via: optional(isText),
	seen: optional(isSeen),
});

function isUserEvent(value: unknown): value is UserEvent {
	if (!isCommand(value) || !Object.hasOwn(required, value.kind)) return false;
	return required[value.kind as UserEvent["kind"]](value);
}
