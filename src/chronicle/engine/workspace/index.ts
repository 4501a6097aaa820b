export { type GitWorkspaceOptions, openGitWorkspace } from "./git-workspace.ts";
