// What a worker's extension and the launcher say to each other, typed. Both sides check what they read.
import type { LaunchId } from "../../../core/index.ts";

/** Told once, when the session has started and before any message. */
export interface Hello {
	readonly launch: LaunchId;
	/** Hash of the rules that the gate holds. */
	readonly rules: string;
	/** Active tools. */
	readonly tools: readonly string[];
	/** Tools that extensions have registered, given or not; the worker's own are not among them. */
	readonly registered: readonly string[];
	/** `provider/id`. */
	readonly model: string;
	/** Whether a request costs money. */
	readonly priced: boolean;
	readonly thinking: string;
}

/** A call that the worker's extension itself refused. */
export interface RefusedCall {
	readonly call: string;
	readonly rule: "allowance" | "stopping" | "state-ended" | "not-given";
}

export type HostReply = { readonly kind: string; readonly text: string };

/** Custom entry of the session: a move was put to the supervisor and answered. */
export const MOVE_ENTRY = "chronicle:move";

export interface AnsweredMove {
	readonly call: string;
	readonly reply: "accepted" | "refused";
}

/** Names of the tools that exist only in workers. */
export const TRANSITION_TOOL = "workflow_transition";
export const SNAPSHOT_TOOL = "workflow_update_snapshot";

/** Reads a reply of the launcher; `undefined` where it is none. */
export function readHostReply(value: unknown): HostReply | undefined {
	if (typeof value !== "object" || value === null) return undefined;
	const { kind, text } = value as { kind?: unknown; text?: unknown };
	return typeof kind === "string" && typeof text === "string" ? { kind, text } : undefined;
}

/** Reads a hello; `undefined` where it is none. */
export function readHello(value: unknown): Hello | undefined {
	if (typeof value !== "object" || value === null) return undefined;
	const { launch, rules, tools, registered, model, thinking, priced } = value as Partial<Record<keyof Hello, unknown>>;
	if (typeof rules !== "string" || typeof model !== "string" || typeof thinking !== "string") return undefined;
	if (!areNames(tools) || !areNames(registered)) return undefined;
	return { launch: launch as LaunchId, rules, tools, registered, model, thinking, priced: priced !== false };
}

function areNames(value: unknown): value is readonly string[] {
	return Array.isArray(value) && value.every((name) => typeof name === "string");
}
