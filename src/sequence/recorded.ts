// A recorded sequence and how it lives in the session: one custom entry per finished recording, never sent to the model.
// Q1 steps are kept exactly as typed; Q2 the newest valid snapshot on the branch wins; Q3 a bad entry is passed over.

/** Custom entry type of a snapshot. */
export const snapshotType = "sequence:snapshot";

/** Data of a snapshot entry. */
export interface SequenceSnapshot {
	readonly version: 1;
	readonly sequenceId: string;
	/** One step per entry, exactly as typed. Never empty. */
	readonly steps: readonly string[];
	/** Milliseconds since the epoch. */
	readonly updatedAt: number;
}

/** Reads entry data; `undefined` for anything that is no valid snapshot (another version, no steps, a step that is no text). */
export function readSnapshot(data: unknown): SequenceSnapshot | undefined {
	if (typeof data !== "object" || data === null) return undefined;
	const { version, sequenceId, steps, updatedAt } = data as Partial<Record<keyof SequenceSnapshot, unknown>>;
	if (version !== 1 || typeof sequenceId !== "string" || sequenceId === "") return undefined;
	if (typeof updatedAt !== "number" || !Number.isFinite(updatedAt)) return undefined;
	if (!Array.isArray(steps) || steps.length === 0) return undefined;
	if (!steps.every((step): step is string => typeof step === "string" && step.trim() !== "")) return undefined;
	return { version, sequenceId, steps: [...steps], updatedAt };
}
