// The named harms and kinds of change that a command can cause, beyond the paths that it accesses. A vocabulary without rules: policies
// decide how to treat each one; the program table (`programs/`) maps commands to them.

/** Harms, each with a one-line description for users. Rules and messages use the keys as names. */
export const effects = {
	"recursive-delete": "removes folders recursively",
	"delete-found": "removes the files that a search or a glob finds",
	"force-delete": "removes without confirmation or report",
	"destroy-content": "overwrites content irrecoverably",
	"git-reset-hard": "discards uncommitted changes and moves the branch",
	"git-clean": "removes untracked files",
	"git-discard-changes": "discards uncommitted changes",
	"git-amend-history": "replaces recent commits or moves a branch or tag; the old ones stay in the reflog",
	"git-rewrite-history": "replaces the commits of whole branches",
	"git-force-push": "replaces history on a remote unconditionally",
	"git-force-push-with-lease": "replaces history on a remote if nobody else has pushed",
	"git-remote-delete": "deletes a branch or tag on a remote",
	"git-branch-force-delete": "deletes a branch even if it is not merged",
	"git-stash-drop": "deletes a stash",
	"git-stash-clear": "deletes all stashes",
	"git-lose-objects": "removes the data from which lost commits could be recovered",
	"open-permissions": "gives everyone write permission",
	"change-owner": "changes the owner of files, recursively for folders",
	"device-write": "writes to a device or partition directly",
	"format-disk": "makes a new file system or partition table",
	"kill-all": "ends many processes indiscriminately",
	"end-programs": "ends programs that it did not start, found by name",
	"power-off": "stops or restarts the machine",
	"sql-drop": "drops or empties tables or databases",
	"sql-delete-all": "deletes every row of a table",
	"sql-delete": "deletes or changes rows",
	"store-flush": "empties a data store",
	"run-unknown-text": "runs program text that is unknown until it runs",
	"run-download": "runs something just downloaded",
	"unseen-removal": "is program text that removes files or runs commands that cannot be seen",
	"remote-shell": "gives another machine control of a shell",
	"container-escape": "gives a container the files or the rights of the whole machine",
	"nested-agent": "starts another coding agent that these rules do not reach",
	publish: "publishes a package or release",
	deploy: "changes what runs in an environment that others use",
	"delete-infrastructure": "deletes cloud or cluster resources",
	"delete-containers": "removes containers, images or volumes",
	privilege: "acts with another user's rights",
	"show-login": "prints or sends a password, a token or a private key",
	"clear-history": "erases the history of the shell or the logs of the system",
	"change-what-runs": "changes what other commands run: hooks, git settings, startup files",
	"system-service": "changes the machine's services, schedules or settings",
	"security-settings": "changes accounts, passwords, firewalls, networks or access control",
	"fork-bomb": "starts copies of itself endlessly",
	"new-dependency": "adds a package that the project does not have yet",
	"large-tree": "goes through more files than are looked at for protected ones",
} as const satisfies Record<string, string>;

export type Effect = keyof typeof effects;

/** Changes that do not show as single paths, each with a one-line description for users. */
export const changes = {
	worktree: "files of the project, not named individually",
	repository: "the repository's commits, branches, index or settings",
	packages: "installed packages and their lock files",
	system: "the machine: processes, services, users, settings, software",
	remote: "what another machine or service has, or can read here",
	containers: "containers, images, volumes",
	database: "data in a database or store",
} as const satisfies Record<string, string>;

export type ChangeKind = keyof typeof changes;

/** What is unknown about a call, each as a clause for users. */
export const unknownParts = {
	program: "the effect of this program is unknown",
	command: "the program that this runs is unknown",
	operand: "the path that this refers to is unknown",
	script: "the effect of this program text is unknown",
	file: "the effect of this program file is unknown",
	project: "the effect of this project task is unknown",
	tool: "the effect of this tool is unknown",
	syntax: "this cannot be parsed as a command",
} as const satisfies Record<string, string>;
