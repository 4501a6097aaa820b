export { childWorkFolder } from "./children.ts";
export { type GitCall, type GitResult, runGit } from "./git.ts";
export { type GitWorkspaceOptions, openGitWorkspace } from "./git-workspace.ts";
export { PLACEHOLDER_LIST } from "./placeholders.ts";
