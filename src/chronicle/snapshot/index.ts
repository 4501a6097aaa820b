export { type DataRead, readSnapshotData } from "./data.ts";
export type { FileChange } from "./files.ts";
export { handoverText } from "./handover.ts";
export {
	addChanges,
	addSummary,
	cutText,
	EMPTY_SNAPSHOT,
	type Finding,
	type Snapshot,
	type SnapshotData,
	type Summary,
	unknownNames,
	updateSnapshot,
} from "./snapshot.ts";
