// The position of a request in a workflow run, computed only from the session's branch, so that it is correct after a resume, a tree move and
// a compaction.
import type { SessionEntry } from "@earendil-works/pi-coding-agent";
import type { RunPosition } from "./understudy.ts";

/** The entry type that workflows persist their state in; docs/workflows.md has its shape. */
const workflowEntry = "workflow:state";
/** The entry type in which a run pins its definitions. */
const definitionEntry = "workflow:definition";

interface WorkflowState {
	readonly taskId: string;
	readonly active: boolean;
	readonly cancelled: boolean;
	/** Increases with every move. */
	readonly step: number;
	readonly root: string;
	readonly scope: string;
	readonly id: string;
}

/** Progress of a session's newest workflow run: `none` if there was none, `waits` in a phase that only the user ends. */
export type WorkflowProgress = "none" | "open" | "waits" | "done" | "cancelled";

export interface SessionPosition {
	readonly position: RunPosition;
	readonly progress: WorkflowProgress;
}

/** The position in the running workflow, or `idle`; `branch` from the root to the leaf. */
export function positionInSession(branch: readonly SessionEntry[]): SessionPosition {
	const fold = new BranchFold();
	for (const entry of branch) fold.add(entry);
	return fold.position();
}

/** Follows a branch from entry to entry. */
class BranchFold {
	private current: WorkflowState | undefined;
	private readonly visits = new Map<string, number>();
	private readonly definitions = new Map<string, unknown>();
	private turn = 0;

	add(entry: SessionEntry): void {
		if (entry.type === "message") this.addMessage(entry.message.role);
		if (entry.type !== "custom") return;
		if (entry.customType === definitionEntry) keepDefinitions(this.definitions, entry.data);
		const state = entry.customType === workflowEntry ? readState(entry.data) : undefined;
		if (state) this.addState(state);
	}

	position(): SessionPosition {
		const { current, turn } = this;
		if (!current) return { position: { kind: "idle", turn }, progress: "none" };
		if (!current.active)
			return { position: { kind: "idle", turn }, progress: current.cancelled ? "cancelled" : "done" };
		const { root, scope, id } = current;
		const visit = this.visits.get(`${scope}/${id}`) ?? 1;
		const endedBy = endOf(this.definitions.get(scope), id);
		return {
			position: { kind: "phase", root, scope, id, visit, turn, endedBy },
			progress: endedBy === "person" ? "waits" : "open",
		};
	}

	private addMessage(role: string): void {
		if (role === "assistant") this.turn++;
		if (role === "user" && !this.current?.active) this.turn = 0;
	}

	private addState(state: WorkflowState): void {
		const before = this.current;
		this.current = state;
		const isNewRun = state.taskId !== before?.taskId;
		const hasMoved = isNewRun || state.step !== before.step;
		if (isNewRun) this.visits.clear();
		if (hasMoved || state.active !== before?.active) this.turn = 0;
		if (!hasMoved || !state.active) return;
		const name = `${state.scope}/${state.id}`;
		this.visits.set(name, (this.visits.get(name) ?? 0) + 1);
	}
}

/** Adds a run's definitions by key; later ones replace earlier ones. */
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

/** Parses one persisted state; `undefined` if the data is not one. */
function readState(data: unknown): WorkflowState | undefined {
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
