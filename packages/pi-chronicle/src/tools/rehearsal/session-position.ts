// The position of a request in a workflow run, computed only from the session's branch, so that it is correct after a resume, a tree move and
// a compaction.
import type { SessionEntry } from "@earendil-works/pi-coding-agent";
import {
	type Definitions,
	definitionType,
	readPinned,
	readState,
	type StoredState,
	stateType,
} from "../../workflow/index.ts";
import type { RunPosition } from "./understudy.ts";

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
	private current: StoredState | undefined;
	private readonly visits = new Map<string, number>();
	private definitions: Definitions = new Map();
	private turn = 0;

	add(entry: SessionEntry): void {
		if (entry.type === "message") this.addMessage(entry.message.role);
		if (entry.type !== "custom") return;
		if (entry.customType === definitionType) this.definitions = readPinned(entry.data)?.definitions ?? this.definitions;
		const read = entry.customType === stateType ? readState(entry.data) : undefined;
		if (read?.kind === "state") this.addState(read.state);
	}

	position(): SessionPosition {
		const { current, turn } = this;
		if (!current) return { position: { kind: "idle", turn }, progress: "none" };
		if (!current.active)
			return { position: { kind: "idle", turn }, progress: current.cancelled ? "cancelled" : "done" };
		const { scope, id } = storedPlace(current);
		const visit = this.visits.get(`${scope}/${id}`) ?? 1;
		const phase = this.definitions.get(scope)?.entries.find((entry) => entry.kind === "phase" && entry.id === id);
		const endedBy = phase?.kind === "phase" && phase.advance === "person" ? "person" : "agent";
		return {
			position: { kind: "phase", root: current.workflowKey, scope, id, visit, turn, endedBy },
			progress: endedBy === "person" ? "waits" : "open",
		};
	}

	private addMessage(role: string): void {
		if (role === "assistant") this.turn++;
		if (role === "user" && !this.current?.active) this.turn = 0;
	}

	private addState(state: StoredState): void {
		const before = this.current;
		this.current = state;
		const isNewRun = state.taskId !== before?.taskId;
		const hasMoved = isNewRun || state.globalStepCount !== before.globalStepCount;
		if (isNewRun) this.visits.clear();
		if (hasMoved || state.active !== before?.active) this.turn = 0;
		if (!hasMoved || !state.active) return;
		const { scope, id } = storedPlace(state);
		this.visits.set(`${scope}/${id}`, (this.visits.get(`${scope}/${id}`) ?? 0) + 1);
	}
}

/** The innermost workflow of a state, and its phase. */
function storedPlace({ currentPath, workflowKey }: StoredState): { readonly scope: string; readonly id: string } {
	const { workflowKey: scope = workflowKey, phaseId, phaseIndex } = currentPath.at(-1) ?? {};
	return { scope, id: phaseId ?? String(phaseIndex) };
}
