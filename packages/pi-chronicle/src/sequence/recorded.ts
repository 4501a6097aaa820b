// A recorded sequence: one custom entry of the session per finished recording, never sent to the model. Steps are kept exactly as typed.
// The newest valid snapshot on the branch counts; invalid ones are ignored.

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

/** Reads entry data; `undefined` unless it is a valid snapshot (this version, at least one step, every step non-empty text). */
export function readSnapshot(data: unknown): SequenceSnapshot | undefined {
	if (typeof data !== "object" || data === null) return undefined;
	const { version, sequenceId, steps, updatedAt } = data as Partial<Record<keyof SequenceSnapshot, unknown>>;
	if (version !== 1 || typeof sequenceId !== "string" || sequenceId === "") return undefined;
	if (typeof updatedAt !== "number" || !Number.isFinite(updatedAt)) return undefined;
	if (!Array.isArray(steps) || steps.length === 0) return undefined;
	if (!steps.every((step): step is string => typeof step === "string" && step.trim() !== "")) return undefined;
	return { version, sequenceId, steps: [...steps], updatedAt };
}
