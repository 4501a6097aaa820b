// Where in a run a request was made, told from the session's branch: so it is right after a resume, a tree move and a compaction, and the
// same session always gives the same place.
import type { SessionEntry } from "@earendil-works/pi-coding-agent";
import type { Place } from "./understudy.ts";

/** The entry type that workflows persist their state in; docs/workflows.md has its shape. */
const workflowEntry = "workflow:state";
/** The one in which a run keeps the definitions that it goes by. */
const definitionEntry = "workflow:definition";

interface Position {
	readonly taskId: string;
	readonly active: boolean;
	readonly cancelled: boolean;
	/** Rises with every move. */
	readonly step: number;
	readonly root: string;
	readonly scope: string;
	readonly id: string;
}

/** How the newest workflow run of a session stands: `none` where there was none, `waits` in a phase that only a person ends. */
export type Standing = "none" | "open" | "waits" | "done" | "cancelled";

export interface SessionPlace {
	readonly place: Place;
	readonly standing: Standing;
}

/** The place in the running workflow, or `idle`; `branch` from the root to the leaf. */
export function placeInSession(branch: readonly SessionEntry[]): SessionPlace {
	let current: Position | undefined;
	const visits = new Map<string, number>();
	const definitions = new Map<string, unknown>();
	let turn = 0;
	for (const entry of branch) {
		if (entry.type === "message") {
			if (entry.message.role === "assistant") turn++;
			if (entry.message.role === "user" && !current?.active) turn = 0;
			continue;
		}
		if (entry.type !== "custom") continue;
		if (entry.customType === definitionEntry) keepDefinitions(definitions, entry.data);
		if (entry.customType !== workflowEntry) continue;
		const position = positionOf(entry.data);
		if (!position) continue;
		if (position.taskId !== current?.taskId) visits.clear();
		const moved = position.taskId !== current?.taskId || position.step !== current.step;
		if (moved || position.active !== current?.active) turn = 0;
		if (moved && position.active) {
			const name = `${position.scope}/${position.id}`;
			visits.set(name, (visits.get(name) ?? 0) + 1);
		}
		current = position;
	}
	if (!current?.active) {
		const standing = current === undefined ? "none" : current.cancelled ? "cancelled" : "done";
		return { place: { kind: "idle", turn }, standing };
	}
	const { root, scope, id } = current;
	const visit = visits.get(`${scope}/${id}`) ?? 1;
	const endedBy = endOf(definitions.get(scope), id);
	const place = { kind: "phase", root, scope, id, visit, turn, endedBy } as const;
	return { place, standing: endedBy === "person" ? "waits" : "open" };
}

/** Keeps the definitions of a run by key; those of a later entry replace those before. */
function keepDefinitions(known: Map<string, unknown>, data: unknown): void {
	const { definitions } = (data ?? {}) as { definitions?: unknown };
	if (!Array.isArray(definitions)) return;
	for (const definition of definitions) known.set(String((definition as { key?: unknown } | null)?.key), definition);
}

/** Who ends the phase `id` of a definition. */
function endOf(definition: unknown, id: string): "agent" | "person" {
	const { entries } = (definition ?? {}) as { entries?: unknown };
	const phases = (Array.isArray(entries) ? entries : []) as ({ id?: unknown; advance?: unknown } | null)[];
	return phases.find((phase) => phase?.id === id)?.advance === "person" ? "person" : "agent";
}

/** Parses one persisted state; `undefined` for what is none. */
function positionOf(data: unknown): Position | undefined {
	if (typeof data !== "object" || data === null) return undefined;
	const {
		active,
		cancelled,
		taskId,
		globalStepCount,
		currentPath,
		workflowKey: root,
	} = data as Record<string, unknown>;
	const last: unknown = Array.isArray(currentPath) ? currentPath.at(-1) : undefined;
	if (typeof taskId !== "string" || typeof root !== "string" || typeof last !== "object" || last === null)
		return undefined;
	const { workflowKey, phaseId, phaseIndex } = last as Record<string, unknown>;
	const id = typeof phaseId === "string" ? phaseId : String(phaseIndex);
	return {
		taskId,
		active: active === true,
		cancelled: cancelled === true,
		step: typeof globalStepCount === "number" ? globalStepCount : 0,
		root,
		scope: String(workflowKey),
		id,
	};
}
