// The named harms and kinds of change that a command can cause, beyond the paths that it accesses. A vocabulary without rules: policies
// decide how to treat each one; the program table (`programs/`) maps commands to them.

/** Harms, each with a one-line description for users. Rules and messages use the keys as names. */
export const effects = {
	"recursive-delete": "removes directories with everything in them",
	"force-delete": "removes without asking or reporting",
	"destroy-content": "overwrites content so that it cannot be recovered",
	"git-reset-hard": "throws away uncommitted changes and moves the branch",
	"git-clean": "removes untracked files",
	"git-discard-changes": "throws away uncommitted changes",
	"git-amend-history": "replaces recent commits or moves a branch or tag; the old ones stay in the reflog",
	"git-rewrite-history": "replaces the commits of whole branches",
	"git-force-push": "replaces history on a remote, whatever is there",
	"git-force-push-with-lease": "replaces history on a remote if nobody else has pushed",
	"git-remote-delete": "deletes a branch or tag on a remote",
	"git-branch-force-delete": "deletes a branch even if it is not merged",
	"git-stash-drop": "deletes a stash",
	"git-stash-clear": "deletes all stashes",
	"git-lose-objects": "removes what lost commits could be recovered from",
	"open-permissions": "lets everyone write",
	"change-owner": "gives files to another owner, directories with everything in them",
	"device-write": "writes to a device or partition directly",
	"format-disk": "makes a new file system or partition table",
	"kill-all": "ends many processes at once, whatever they do",
	"power-off": "stops or restarts the machine",
	"sql-drop": "drops or empties tables or databases",
	"sql-delete-all": "deletes every row of a table",
	"sql-delete": "deletes or changes rows",
	"store-flush": "empties a data store",
	"run-unknown-text": "runs text as a program that cannot be known beforehand",
	"run-download": "runs something just downloaded",
	"nested-agent": "starts another coding agent, outside of these rules",
	publish: "publishes a package or release",
	deploy: "changes what runs in an environment that others use",
	"delete-infrastructure": "deletes cloud or cluster resources",
	"delete-containers": "removes containers, images or volumes",
	privilege: "acts with another user's rights",
	"clear-history": "erases the shell's or system's record of what was done",
	"change-what-runs": "makes other commands run something else: hooks, settings of git",
	"system-service": "changes services, schedules or settings of the machine",
	"fork-bomb": "starts copies of itself without end",
} as const satisfies Record<string, string>;

export type Effect = keyof typeof effects;

/** Changes that do not show as single paths, each with a one-line description for users. */
export const changes = {
	worktree: "files of the project, not named one by one",
	repository: "the repository's commits, branches, index or settings",
	packages: "installed packages and their lock files",
	system: "the machine: processes, services, users, settings, software",
	remote: "something on another machine or service",
	containers: "containers, images, volumes",
	database: "data in a database or store",
} as const satisfies Record<string, string>;

export type ChangeKind = keyof typeof changes;
