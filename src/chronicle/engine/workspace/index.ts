export { readBlobs } from "./blobs.ts";
export type { EndedElsewhere } from "./child-ends.ts";
export {
	childFolderName,
	childrenFolders,
	findOutsideFolder,
	outsideFolder,
	readOwner,
	removeOutsideFolder,
} from "./child-places.ts";
export { type EndingChild, readRest } from "./child-rest.ts";
export { childFilesFolder, findChildPlace, findCopy } from "./children.ts";
export { parseRawChanges, type RawChange } from "./compare.ts";
export { agentExclusions, containsFile, openExclusions } from "./exclusions.ts";
export { isDiskFull } from "./failures.ts";
export {
	answersOf,
	type GitCall,
	type GitResult,
	isNothing,
	modes,
	nulled,
	revParse,
	runGit,
	type TreeEntry,
} from "./git.ts";
export { type GitWorkspace, type GitWorkspaceOptions, openGitWorkspace } from "./git-workspace.ts";
export { linksFor } from "./lacks.ts";
export { parseNested } from "./nested-repository.ts";
export { fromRaw, toRaw } from "./paths.ts";
export { isPlaceholder, PLACEHOLDER_LIST } from "./placeholders.ts";
export { editTree } from "./private-index.ts";
