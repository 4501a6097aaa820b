// What a worker is told when its conversation begins, as data. `brief-of-run.ts` fills it in, `first-message.ts` makes the text.
import type { PathList } from "../definition/index.ts";
import type { AwaitedList, RunDecision } from "../machine/index.ts";
import type { WorkerAbilities } from "../ports/index.ts";
import type { Finding, Snapshot } from "../snapshot/index.ts";

export interface FirstMessageBrief {
	readonly run: string;
	/** Counts the visits of the run, to any state. */
	readonly visit: number;
	/** Texts have their references filled in. */
	readonly state: { readonly name: string; readonly description?: string; readonly instructions?: string };
	/** Names of the states from the first to the end, through this one. */
	readonly way: readonly string[];
	/** Absent: the run is no child. */
	readonly child?: ChildRole;
	/** Absent: nothing worked on this visit before, or it is the same conversation. */
	readonly earlier?: EarlierTry;
	/** Absent: no rewind ended the visit before. */
	readonly rewound?: Rewound;
	/** Absent: unknown. */
	readonly abilities?: WorkerAbilities;
	/** Whether its shell commands may change the project even if it edits no files. */
	readonly freeShell: boolean;
	/** Absolute path of the folder that it works in. */
	readonly cwd: string;
	readonly task: Task;
	/** Oldest first. */
	readonly decisions: readonly RunDecision[];
	/** Those that no worker has read yet. */
	readonly unread: ReadonlySet<RunDecision>;
	readonly candidates: readonly CandidateChild[];
	readonly known: Known;
	/** Sentences about files that could not be measured. */
	readonly unmeasured: readonly string[];
	/** Path of the file with everything that is known, unabridged. */
	readonly file: string;
	readonly ending: Ending;
}

export interface ChildRole {
	readonly name: string;
	/** Names of all children of the state, in order. */
	readonly siblings: readonly string[];
	/** Names of the children whose results it builds on. */
	readonly needs: readonly string[];
	readonly files: "own" | "shared";
	/** Template and state of the run that started it. */
	readonly run: string;
	readonly state: string;
	/** The state whose worker reads its results; absent: none. */
	readonly reader?: string;
	/** What its own folder lacks, as sentences. */
	readonly notes: readonly string[];
}

export interface EarlierTry {
	/** One sentence. */
	readonly why: string;
	/** Whether another host took over since the visit began, so that the files were set back to the last snapshot. */
	readonly setBack: boolean;
	/** Its last finished calls. */
	readonly calls: readonly EarlierCall[];
	/** In flight when it ended: their effect is unknown. */
	readonly inFlight: readonly EarlierCall[];
}

export interface EarlierCall {
	readonly tool: string;
	readonly args: string;
	readonly failed: boolean;
	/** The files were set back to before it. */
	readonly undone: boolean;
}

/** Run and files are back at the start of visit `to`, or with `unfinished` as visit `to` had left them when a later rewind set it back. */
export interface Rewound {
	readonly to: number;
	readonly state: string;
	/** The last visit that it undid. */
	readonly last: number;
	/** The last calls that ended in visit `to`. */
	readonly unfinished?: readonly EarlierCall[];
	/** Number of files that could not be restored. */
	readonly left: number;
}

export interface Task {
	readonly text: string;
	/** `template`: made from a template, for a child; `merge`: made by the program. */
	readonly by: "user" | "template" | "merge";
	/** What the user wrote for the whole run; absent if `text` has it. */
	readonly whole?: string;
}

export interface CandidateChild {
	readonly name: string;
	readonly summary: string;
	/** Absolute path of its files; absent: they are in the run's folder. */
	readonly folder?: string;
	/** Number of files that it changed; absent: unknown. */
	readonly files?: number;
}

export interface Known {
	/** In the order in which they were saved. */
	readonly pendingTasks: readonly Finding[];
	/** Open tasks of the run that started this one. */
	readonly parentTasks: readonly Finding[];
	/** Oldest first. */
	readonly findings: readonly Finding[];
	/** Findings and tasks that are done or wrong, the last resolved last. */
	readonly resolved: readonly Finding[];
	readonly outputs: NonNullable<Snapshot["outputs"]>;
	/** Oldest first. */
	readonly summaries: readonly KnownSummary[];
	readonly files: Snapshot["files"];
	/** Uncommitted changes of the user before the run; absent: none, or unknown. */
	readonly uncommitted?: PathList;
	/** Entries that only the ledger has, as a sentence; empty: none. */
	readonly lost: string;
}

export interface KnownSummary {
	readonly state: string;
	readonly visit: number;
	readonly text: string;
	/** `before`: of the state before, and of commands since; `now`: of this visit, as an earlier worker of the state gave it; `merged`: of a child whose files are merged. */
	readonly of: "older" | "before" | "now" | "merged";
	/** It ends with the output of a command. */
	readonly command?: true;
}

export interface Ending {
	readonly targets: readonly Target[];
	/** The lists that states need which may follow. */
	readonly lists: readonly AwaitedList[];
}

/** A state that may follow. */
export interface Target {
	readonly name: string;
	readonly meaning: string;
	/** Whether the move hands over data. */
	readonly data: boolean;
	/** What a worker may do there; absent: unknown, or no worker. */
	readonly abilities?: WorkerAbilities;
	/** Of a state without a worker: its child runs by their names, the list with one for each entry, or a command. */
	readonly children?: string;
	/** Whether the user must approve the move to it. */
	readonly approved: boolean;
}
