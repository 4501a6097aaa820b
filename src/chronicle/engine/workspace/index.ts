export { readBlobs } from "./blobs.ts";
export type { EndedElsewhere } from "./child-ends.ts";
export { childFolderName, childrenFolders, outsideFolder, readOwner, removeOutsideFolder } from "./child-places.ts";
export { type EndingChild, readRest } from "./child-rest.ts";
export { childFilesFolder, findChildPlace, findCopy } from "./children.ts";
export { agentExclusions, openExclusions } from "./exclusions.ts";
export { type GitCall, type GitResult, runGit } from "./git.ts";
export { type GitWorkspace, type GitWorkspaceOptions, openGitWorkspace } from "./git-workspace.ts";
export { isPlaceholder, PLACEHOLDER_LIST } from "./placeholders.ts";
