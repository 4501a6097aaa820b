export { joinChanges } from "./changed-files.ts";
export { credentialFiles, credentialPatterns } from "./credential-files.ts";
export { addOutput, OUTPUT_BYTES, outputBytes, outputsOf, readSnapshotData, unwrapJson } from "./data.ts";
export {
	type Entry,
	entryForList,
	entryForModel,
	entryForPeople,
	entryPart,
	entryText,
	entryValue,
	textNames,
} from "./entry.ts";
export * from "./files.ts";
export { bindToKnown, explainNoRoom, explainSaved, openTasksText, updateSnapshot } from "./knowledge.ts";
export { isSecretFile, type PatchFile, type PatchHunk, type PatchLine, readPatch } from "./patch.ts";
export {
	addChanges,
	addSummary,
	changedFiles,
	closingSummaries,
	cutText,
	EMPTY_SNAPSHOT,
	type Finding,
	keepNewest,
	LONGEST_TEXT,
	type SavedEntry,
	type Snapshot,
	type SnapshotData,
	setChanges,
	summariesText,
	visitsBefore,
} from "./snapshot.ts";
