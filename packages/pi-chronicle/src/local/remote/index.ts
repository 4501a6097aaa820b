// Files of runs that several hosts continue, on the git remote that they share: snapshots, conversations, the branch of a run.
export { Checkout } from "./checkout.ts";
export { fetchConversations, fetchedConversations, readConversations } from "./conversations.ts";
export { resolutionFolder, resolveByHand } from "./resolve-by-hand.ts";
export { RunRefs } from "./run-refs.ts";
export type {
	RecordedSnapshot,
	RunSnapshot,
	RunStart,
	SnapshotName,
	SnapshotRecord,
	StoredSnapshot,
} from "./run-snapshot.ts";
export * from "./shared-workspace.ts";
export { folderIn, isFolderBelow, isObjectName, parseNote } from "./untrusted.ts";
