// Reads the last recording in a pi session file: one JSON entry per line; the recording is a custom entry.
import { readSnapshot, snapshotType } from "../sequence/index.ts";

/** The steps as typed; `undefined` if the session has no recording. */
export function recordedSteps(session: string): readonly string[] | undefined {
	for (const line of session.split("\n").toReversed()) {
		if (!line.includes(snapshotType)) continue;
		try {
			const entry = JSON.parse(line) as { type?: unknown; customType?: unknown; data?: unknown };
			const found = entry.customType === snapshotType ? readSnapshot(entry.data) : undefined;
			if (found) return found.steps;
		} catch {
			// A torn line: an earlier recording counts.
		}
	}
	return undefined;
}
