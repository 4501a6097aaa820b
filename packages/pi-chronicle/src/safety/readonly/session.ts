// Whether a session is readonly: a fold over its branch that follows moves in the tree.
// Invariants: the newest entry of the branch decides; without one, the command line's flag decides; the model gets one notice per change.

import type { ExtensionAPI, ExtensionContext, SessionEntry } from "@earendil-works/pi-coding-agent";
import { customEntries, newestFirst, openBadge, openInstances } from "../../pi/index.ts";
import type { Policies, Policy } from "../policy/index.ts";
import type { SessionBox } from "../session-box.ts";
import { readonlyFlag } from "./flag.ts";

/** Entry types. The second belongs to another package; it is read so that sessions of that package can be continued. */
const postureEntries = ["readonly:posture", "agenticoding-readonly"] as const;
const nudgeMessage = "readonly:nudge";
const statusKey = "chronicle-readonly";

interface ReadonlyNotice {
	readonly customType: string;
	readonly content: string;
	readonly display: false;
	readonly details: unknown;
}

export interface ReadonlySession {
	readonly on: boolean;
	/** Turns readonly on or off and records it on the branch. */
	set(ctx: ExtensionContext, on: boolean): Promise<void>;
	/** Rereads the branch after a start, a resume or a move in the tree. */
	refresh(ctx: ExtensionContext): Promise<void>;
	/** The notice that the model has not received yet; `undefined` if it has received it. */
	pendingNotice(ctx: ExtensionContext): ReadonlyNotice | undefined;
	/** The notice again, if a compaction during a run removed it; `undefined` if the model still has it. */
	noticeAfterCompaction(ctx: ExtensionContext): ReadonlyNotice | undefined;
	/** The notice for a new context; `undefined` if the session is writable. */
	introduction(): ReadonlyNotice | undefined;
	/** Entries that make a child session readonly, if this session is readonly or a policy forbids changes. */
	share(): { readonly customType: string; readonly data: unknown }[];
	/** Calls `listener` whenever readonly is turned on. The returned function unsubscribes. */
	onTurnedOn(listener: () => void): () => void;
	/** How shell commands are prevented from writing: by a sandbox, or by judging their text. */
	confinement(): Promise<"sandbox" | "text">;
}

/** The sessions of this process, by their session manager. */
const sessions = openInstances<ReadonlySession>("readonly");

/** Turns readonly on or off in the session that `ctx` belongs to. */
export async function setReadonly(ctx: ExtensionContext, on: boolean): Promise<void> {
	await sessions.of(ctx.sessionManager)?.set(ctx, on);
}

/** Toggles readonly in the session that `ctx` belongs to; returns the new state. */
export async function toggleReadonly(ctx: ExtensionContext): Promise<boolean> {
	const session = sessions.of(ctx.sessionManager);
	await session?.set(ctx, !session.on);
	return session?.on ?? false;
}

/** The readonly state of the session that `ctx` belongs to. */
export function readonlyOf(ctx: ExtensionContext): ReadonlySession | undefined {
	return sessions.of(ctx.sessionManager);
}

/** Opens the readonly state of the session that `pi` belongs to. Reads nothing before `refresh`. */
export function openReadonly(pi: ExtensionAPI, policies: Policies, box: SessionBox): ReadonlySession {
	let on = false;
	let policy: AddedPolicy | undefined;
	const badge = openBadge(statusKey);
	/** Whether the session was ever readonly on this branch; a notice is possible only then. */
	let used = false;
	const listeners = new Set<() => void>();

	const apply = async (ctx: ExtensionContext, wanted: boolean): Promise<void> => {
		const changed = wanted !== on;
		on = wanted;
		used ||= on;
		if (changed && on) listeners.forEach((listener) => void listener());
		const label = on ? "readonly" : undefined;
		if (changed && ctx.hasUI) ctx.ui.setStatus(statusKey, label);
		badge.show(ctx, label);
		if (!on) {
			policy?.remove();
			policy = undefined;
		} else if (!policy) {
			policy = addPolicy(policies, ctx.cwd, box);
			await policy.loaded;
		}
	};

	const self: ReadonlySession = {
		get on() {
			return on;
		},
		async set(ctx, wanted) {
			if (wanted === on) return;
			pi.appendEntry(postureEntries[0], { enabled: wanted });
			await apply(ctx, wanted);
			// A current run gets the notice with its next request; otherwise the next run gets it.
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
			// Without a notice the model assumes that it may write.
			if (!used || (lastNotice(ctx) === true) === on) return undefined;
			return { customType: nudgeMessage, content: on ? onText : offText, display: false, details: { enabled: on } };
		},
		noticeAfterCompaction: (ctx) => (on && lastNotice(ctx) === "compacted" ? self.introduction() : undefined),
		introduction: () =>
			on ? { customType: nudgeMessage, content: onText, display: false, details: { enabled: true } } : undefined,
		share: () => (on || policies.forbidChanges ? [{ customType: postureEntries[0], data: { enabled: true } }] : []),
		onTurnedOn(listener) {
			listeners.add(listener);
			return () => void listeners.delete(listener);
		},
		confinement: async () => ((await box.works()) ? "sandbox" : "text"),
	};
	return self;
}

interface AddedPolicy {
	remove(): void;
	/** Resolves when the policy's code is loaded or cannot be. */
	readonly loaded: Promise<void>;
}

/** Enforces the policy immediately: calls wait until its code is loaded, and are refused if it cannot be loaded. */
function addPolicy(policies: Policies, cwd: string, box: SessionBox): AddedPolicy {
	const opening = openPolicy(cwd, box);
	const remove = policies.add({
		name: "readonly",
		judge: async (call, footprint) => (await opening).judge(call, footprint),
		confines: async (call, footprint) => (await opening).confines?.(call, footprint),
	});
	return {
		remove,
		loaded: opening.then(
			() => {},
			() => {},
		),
	};
}

async function openPolicy(cwd: string, box: SessionBox): Promise<Policy> {
	const [{ readonlyPolicy }, { temporaryPlaces }, { hostEnvironment }] = await Promise.all([
		import("./judge.ts"),
		import("../places.ts"),
		import("../../pi/index.ts"),
	]);
	return readonlyPolicy({ places: temporaryPlaces(hostEnvironment(cwd)), contains: box.works });
}

const onText =
	"This session is now readonly: read, search and plan, but change nothing. Tools that would change files, the repository or anything outside are refused; temporary folders may be written.";
const offText = "This session is no longer readonly: changes are allowed again.";

function postureOf({ sessionManager }: ExtensionContext): boolean | undefined {
	for (const { data } of customEntries(sessionManager, postureEntries)) {
		const { enabled } = (data ?? {}) as { enabled?: unknown };
		if (typeof enabled === "boolean") return enabled;
	}
	return undefined;
}

/** The last notice on this branch that the model can still see; a session starts writable. */
function lastNotice({ sessionManager }: ExtensionContext): boolean | "compacted" {
	for (const entry of newestFirst(sessionManager)) {
		const on = noticeIn(entry);
		if (on !== undefined) return on;
		if (entry.type !== "compaction") continue;
		const kept = sessionManager.buildContextEntries().map(noticeIn);
		return kept.findLast((on) => on !== undefined) ?? "compacted";
	}
	return false;
}

function noticeIn(entry: SessionEntry): boolean | undefined {
	if (entry.type !== "custom_message" || entry.customType !== nudgeMessage) return undefined;
	return (entry.details as { enabled?: unknown } | undefined)?.enabled === true;
}
