// The readonly posture of one session: a fold over its branch, kept in step with moves in the tree.
// S1 the newest entry of the branch decides, the command line's flag where there is none; S2 the model is told once a change.

import type { ExtensionAPI, ExtensionContext, SessionEntry } from "@earendil-works/pi-coding-agent";
import { customEntries, newestFirst, openBadge, openInstances, openOnce } from "../../pi/index.ts";
import type { Policies, Policy } from "../policy/index.ts";
import { readonlyFlag } from "./flag.ts";

/** Entry of a change; the second name is the one of another package, read for its sessions. */
const postureEntries = ["readonly:posture", "agenticoding-readonly"] as const;
const nudgeMessage = "readonly:nudge";
const statusKey = "chronicle-readonly";

export interface ReadonlyNotice {
	readonly customType: string;
	readonly content: string;
	readonly display: false;
	readonly details: unknown;
}

export interface ReadonlySession {
	readonly on: boolean;
	/** Sets the posture and remembers it on the branch. */
	set(ctx: ExtensionContext, on: boolean): Promise<void>;
	/** Reads the branch again: after a start, a resume, a move in the tree. */
	refresh(ctx: ExtensionContext): Promise<void>;
	/** What the model has not been told yet; `undefined` when it knows. */
	pendingNotice(ctx: ExtensionContext): ReadonlyNotice | undefined;
	/** What a compaction in the middle of a run has taken from the model; `undefined` when it has it. */
	noticeAfterCompaction(ctx: ExtensionContext): ReadonlyNotice | undefined;
	/** What a context that begins anew must be told; `undefined` in a session that may change things. */
	introduction(): ReadonlyNotice | undefined;
	/** Entries that give a session within this one the posture: where this one has it, or another policy forbids changes. */
	share(): { readonly customType: string; readonly data: unknown }[];
	/** Calls `listener` whenever the posture is turned on, until the function that it returns is called. */
	onTurnedOn(listener: () => void): () => void;
	/** How shell commands are kept from writing, for `/readonly`. */
	confinement(): Promise<"sandbox" | "text">;
}

/** Sessions of this process, found again after a replacement. */
const sessions = openInstances<ReadonlySession>("readonly");

/** Sets the posture of the session that `ctx` belongs to. */
export async function setReadonly(ctx: ExtensionContext, on: boolean): Promise<void> {
	await sessions.of(ctx.sessionManager)?.set(ctx, on);
}

/** Turns the posture of the session that `ctx` belongs to round; answers what it is now. */
export async function toggleReadonly(ctx: ExtensionContext): Promise<boolean> {
	const session = sessions.of(ctx.sessionManager);
	await session?.set(ctx, !session.on);
	return session?.on ?? false;
}

/** The posture of the session that `ctx` belongs to. */
export function readonlyOf(ctx: ExtensionContext): ReadonlySession | undefined {
	return sessions.of(ctx.sessionManager);
}

/** Opens the posture of the session that `pi` belongs to. Nothing is read before `refresh`. */
export function openReadonly(pi: ExtensionAPI, policies: Policies): ReadonlySession {
	let on = false;
	let drop: (() => void) | undefined;
	const badge = openBadge(statusKey);
	/** Whether the posture was ever on in this branch: only then can there be news. */
	let used = false;
	const listeners = new Set<() => void>();

	const sandbox = openOnce(async () => (await import("../sandbox/index.ts")).probeSandbox());

	const apply = async (ctx: ExtensionContext, wanted: boolean): Promise<void> => {
		const changed = wanted !== on;
		on = wanted;
		used ||= on;
		if (changed && on) for (const listener of listeners) listener();
		if (changed && ctx.hasUI) ctx.ui.setStatus(statusKey, on ? "readonly" : undefined);
		badge.show(ctx, on ? "readonly" : undefined);
		if (!on) {
			drop?.();
			drop = undefined;
			return;
		}
		if (drop) return;
		// In force at once: until what judges is loaded, calls wait for it, and where it cannot be loaded they are refused.
		const judging = openPolicy(ctx.cwd);
		judging.catch(() => {});
		drop = policies.add({
			name: "readonly",
			judge: async (call, footprint) => (await judging).judge(call, footprint),
			amend: async (call) => (await judging).amend?.(call),
		});
		await judging.catch(() => {});
	};

	const openPolicy = async (cwd: string): Promise<Policy> => {
		const [{ readonlyPolicy }, { temporaryPlaces }, { wrapCommand }, { hostEnvironment }] = await Promise.all([
			import("./judge.ts"),
			import("../temporary-places.ts"),
			import("../sandbox/index.ts"),
			import("../../pi/index.ts"),
		]);
		const places = temporaryPlaces(hostEnvironment(cwd));
		const confine = async (command: string) => {
			const probe = await sandbox();
			return probe && wrapCommand(command, probe, { writable: places.folders, readonly: places.except });
		};
		return readonlyPolicy({ places, confine });
	};

	const self: ReadonlySession = {
		get on() {
			return on;
		},
		async set(ctx, wanted) {
			if (wanted === on) return;
			pi.appendEntry(postureEntries[0], { enabled: wanted });
			await apply(ctx, wanted);
			// A run that is going on hears of it with its next request; otherwise the next run does.
			const news = ctx.isIdle() ? undefined : self.pendingNotice(ctx);
			if (news) pi.sendMessage(news, { deliverAs: "steer" });
		},
		async refresh(ctx) {
			sessions.put(ctx.sessionManager, self);
			const posture = postureOf(ctx);
			used = posture !== undefined;
			await apply(ctx, posture ?? pi.getFlag(readonlyFlag) === true);
		},
		pendingNotice(ctx) {
			// A model that heard nothing takes it that it may write.
			if (!used || (told(ctx) === true) === on) return undefined;
			return { customType: nudgeMessage, content: on ? onText : offText, display: false, details: { enabled: on } };
		},
		noticeAfterCompaction: (ctx) => (on && told(ctx) === "compacted" ? self.introduction() : undefined),
		introduction: () =>
			on ? { customType: nudgeMessage, content: onText, display: false, details: { enabled: true } } : undefined,
		share: () => (on || policies.forbidChanges ? [{ customType: postureEntries[0], data: { enabled: true } }] : []),
		onTurnedOn(listener) {
			listeners.add(listener);
			return () => void listeners.delete(listener);
		},
		confinement: async () => ((await sandbox()) ? "sandbox" : "text"),
	};
	return self;
}

const onText =
	"This session is readonly now: read, search and plan, but change nothing. Tools that would change files, the repository or anything outside are refused; temporary folders may be written.";
const offText = "This session is no longer readonly: changes are allowed again.";

function postureOf({ sessionManager }: ExtensionContext): boolean | undefined {
	for (const { data } of customEntries(sessionManager, postureEntries)) {
		const { enabled } = (data ?? {}) as { enabled?: unknown };
		if (typeof enabled === "boolean") return enabled;
	}
	return undefined;
}

/** What the model was told last on this branch and can still see; a session begins able to write. */
function told({ sessionManager }: ExtensionContext): boolean | "compacted" {
	for (const entry of newestFirst(sessionManager)) {
		const said = toldBy(entry);
		if (said !== undefined) return said;
		if (entry.type !== "compaction") continue;
		const kept = sessionManager.buildContextEntries().map(toldBy);
		return kept.findLast((heard) => heard !== undefined) ?? "compacted";
	}
	return false;
}

function toldBy(entry: SessionEntry): boolean | undefined {
	if (entry.type !== "custom_message" || entry.customType !== nudgeMessage) return undefined;
	return (entry.details as { enabled?: unknown } | undefined)?.enabled === true;
}
