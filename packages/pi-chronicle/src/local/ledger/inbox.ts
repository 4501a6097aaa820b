// Commands to a run that another process holds: one file each, processed by the holder in order of arrival.
// A file is complete once it has its name; it is removed after it is handled, so after a crash it may be handled twice, but is never
// lost; what the listener rejects stays; an unreadable file is kept under another name and reported; a refusal is written next to
// the command, for the sender, before the command is removed.
import { randomBytes } from "node:crypto";
import { access, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
	anyObject,
	type Checks,
	isFlag,
	isNumber,
	isText,
	listOf,
	object,
	oneOf,
	optional,
	type Shape,
} from "@pi-chronicle/core/definition";
import type { RunDecision, RunTemplate, Seen, TemplateReload, UserEvent } from "@pi-chronicle/core/machine";
import type { Post, PostListener } from "@pi-chronicle/core/ports";
import { inheritOwner, makePrivateFolder, replaceFile, undefinedIfMissing, watchFolder } from "../../disk/index.ts";
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
	const path = join(inbox, `${name}${ending}`);
	await replaceFile(path, content);
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
			await deliverPost(join(inbox, name), Number(name.split("-", 1)[0]) || 0, listener);
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
async function deliverPost(path: string, at: number, listener: PostListener): Promise<void> {
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

const isSeen = object<Seen>({ visit: isNumber, attempt: optional(isNumber) });

const isTemplate = object<RunTemplate>({
	name: isText,
	hash: isText,
	definition: anyObject,
	file: optional(isText),
	children: optional(anyObject),
	readOnlyAgents: optional(listOf(isText)),
});

const isReload = object<TemplateReload>({ template: isTemplate, cleanupApproval: optional(isText) });

const isDecision = object<RunDecision>({
	...{ number: isNumber, seq: isNumber, at: isText, visit: isNumber, state: isText, words: isText },
	did: oneOf("approved", "rejected", "told", "answered", "resumed", "released", "reopened", "aborted"),
	child: optional(isText),
	above: optional(oneOf(true)),
	about: optional(isText),
	undone: optional(isNumber),
});

/** A tree is handed to git. */
const isTree: Shape<string> = (value): value is string => isText(value) && /^[0-9a-f]{40,64}$/.test(value);

/** What any command may have. `by` does not count; see `withoutSender`. */
const common = { words: optional(isText), seen: optional(isSeen), via: optional(isText) };
type CommonField = "kind" | "by" | keyof typeof common;

/** The fields of each command, because another version, or somebody else, may have posted it. */
const commands: {
	readonly [K in UserEvent["kind"]]: Checks<Omit<Extract<UserEvent, { kind: K }>, CommonField>>;
} = {
	ask_answered: { answers: isNumber, verdict: oneOf("answered") },
	approved: {
		answers: isNumber,
		diff: isText,
		choice: optional(oneOf("ours", "theirs", "worker", "hand")),
		resolved: optional(isTree),
		winner: optional(isText),
	},
	rejected: { answers: isNumber },
	resumed: { answers: isNumber, reload: optional(isReload), otherBranch: optional(oneOf(true)) },
	released: { answers: isNumber, to: optional(isText), done: optional(isFlag) },
	limits_changed: {
		limits: object({
			costUsd: optional(isNumber),
			tokens: optional(isNumber),
			activeMs: optional(isNumber),
			moves: optional(isNumber),
		}),
		state: optional(isText),
	},
	model_changed: { model: isText },
	told: { text: isText },
	pause_requested: { cause: isText, detail: isText },
	abort_requested: { byParent: optional(isText) },
	reopened: { answers: isNumber, to: isText },
	rewind_requested: {
		to: isNumber,
		state: isText,
		tree: isText,
		snapshot: anyObject,
		pairMoves: anyObject,
		kept: optional(isNumber),
		reload: optional(isReload),
	},
	join_requested: { answers: isNumber, otherBranch: optional(oneOf(true)) },
	copy_taken: { answers: isNumber, as: oneOf("branch", "patch"), name: isText },
	copy_discarded: { answers: isNumber },
	child_signaled: { child: isText },
	child_dropped: { child: isText, ends: optional(oneOf(true)) },
	decision_inherited: { decision: isDecision },
};

/** Commands that need their words. */
const worded: ReadonlySet<string> = new Set(["ask_answered", "rejected"]);

const isCommand = object<{ readonly kind: string; readonly words?: string }>({ kind: isText, words: optional(isText) });

function isUserEvent(value: unknown): value is UserEvent {
	if (!isCommand(value) || !Object.hasOwn(commands, value.kind)) return false;
	if (worded.has(value.kind) && value.words === undefined) return false;
	const fields = commands[value.kind as UserEvent["kind"]];
	// What is no answer must not stand in the place of one.
	return "answers" in value === "answers" in fields && object<object>({ ...common, ...fields })(value);
}
