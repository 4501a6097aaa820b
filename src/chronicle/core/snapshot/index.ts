export { LONGEST_TEXT, readSnapshotData, unwrapJson } from "./data.ts";
export { type ChangeTotals, type FileChange, type FileLeft, pathOnLine, totalChanges } from "./files.ts";
export { handoverText } from "./handover.ts";
export { isSecretFile, type PatchFile, type PatchHunk, type PatchLine, readPatch } from "./patch.ts";
export {
	addChanges,
	addSummary,
	cutText,
	EMPTY_SNAPSHOT,
	explainSaved,
	type Finding,
	type Snapshot,
	type SnapshotData,
	unknownNames,
	updateSnapshot,
} from "./snapshot.ts";
export { addOutput, OUTPUT_BYTES, outputBytes, outputsOf } from "./state-output.ts";
