export { type BranchFiles, branchTree, treeOver, withoutUnstored } from "./branch-tree.ts";
export type { EndedElsewhere } from "./child-ends.ts";
export {
	childFolderName,
	childrenFolders,
	findOutsideFolder,
	forgetOutsideFolder,
	outsideFolder,
	readOwner,
	removeOutsideFolder,
} from "./child-places.ts";
export { type EndingChild, readRest } from "./child-rest.ts";
export { childFilesFolder, findChildPlace, findCopy } from "./children.ts";
export type { ConvertedObjects } from "./committed-files.ts";
export { agentExclusions, containsFile, openExclusions } from "./exclusions.ts";
export { isDiskFull, toResult, WorkspaceError } from "./failures.ts";
export { addFileModes, type FileMode, readFileModes } from "./file-modes.ts";
export {
	answersOf,
	type GitResult,
	revParse,
	runGit,
} from "./git.ts";
export { commitTree, committerEmail, explainGit, type GitPlace, gitAt, gitText } from "./git-place.ts";
export { type GitWorkspace, type GitWorkspaceOptions, openGitWorkspace } from "./git-workspace.ts";
export { linksFor } from "./lacks.ts";
export { killOrphanedGit, removeLocks } from "./locks.ts";
export { toRaw } from "./paths.ts";
export { addPlaceholders, readPlaceholders } from "./placeholders.ts";
export { inspectRepository, type RepositoryInfo } from "./repository.ts";
