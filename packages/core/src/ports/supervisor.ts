// The ports of a supervisor: workers, files, users, commands, time. Local files and processes are one set of implementations; an
// engine for many machines can be another. Every implementation passes the port's contract suite.
import type {
	ApprovalQuestion,
	CleanupEnded,
	CommandEnded,
	ConflictChoice,
	Opened,
	Run,
	TreeCeilings,
	UserQuestion,
} from "../machine/index.ts";
import type { StatePlan, Template } from "../template/index.ts";
import type { ChildRuns } from "./supervision.ts";
import type { WorkerAnswer, WorkerLauncher, WorkerQuestion } from "./worker.ts";
import type { ForbiddenChanges, Workspace } from "./workspace.ts";

export interface Approver {
	/** Where its user answers, as in the user's events: `pi`; absent: nobody answers here. */
	readonly via?: string;
	/** Shows the question if a user is present. `undecided`: nobody is present, or the user postponed it; it is asked again later. */
	approve(question: ApprovalQuestion, run: Run, signal: AbortSignal): Promise<Approval>;
	/** Shows a question of `ask_user`. Resolves to the answer; `undefined`: nobody is present, or the user postponed it. */
	ask(question: UserQuestion, run: Run, signal: AbortSignal): Promise<string | undefined>;
	/** Shows a question of a rule. */
	answer(question: WorkerQuestion, run: Run, signal: AbortSignal): Promise<WorkerAnswer>;
}

/** `by`: on an engine, the database login that has given it. `via`: from where. */
export type Approval = { readonly by?: string; readonly via?: string } & Verdict;

type Verdict =
	/** `choice`: how conflicts of a join are resolved; `resolved`: the tree with what was resolved by hand on another machine. `winner`: the child to take, whichever the worker has named. */
	| {
			readonly kind: "approved";
			readonly words?: string;
			readonly choice?: ConflictChoice;
			readonly resolved?: string;
			readonly winner?: string;
	  }
	| { readonly kind: "rejected"; readonly words: string }
	/** To a state other than the requested one. */
	| { readonly kind: "sent"; readonly to: string; readonly words?: string }
	| { readonly kind: "undecided" };

export interface CommandRunner {
	/**
	 * Runs a cleanup command in the run's folder, in its own process group; the output is truncated and redacted. `approval`: hash of all
	 * cleanup commands of the run's template.
	 */
	run(
		command: string,
		cwd: string,
		timeoutMs: number,
		signal: AbortSignal,
		approval: string | null,
	): Promise<ShellResult>;
}

/** Runs the command of a state, until it ends, its time is over, or `signal` aborts. */
type StateCommandRunner = (order: StateCommandOrder, signal: AbortSignal) => Promise<CommandReport>;

export interface StateCommandOrder {
	readonly state: StatePlan;
	readonly line: string;
	/** The folder that it runs in. */
	readonly cwd: string;
	readonly timeoutMs: number;
	/** Hash of all commands of the run's template, if the user has approved them for the run; else `null`. */
	readonly approval: string | null;
	/** Absolute path of the file that gets its whole output, redacted. */
	readonly file: string;
	/** How often the run has entered the state, and the number of the try, both from 1. */
	readonly visits: number;
	readonly attempt: number;
	/** Of a child: its name and that of its template; otherwise empty. */
	readonly names: readonly string[];
	/** Folder of the run's own files. */
	readonly folder: string;
	/** `repository`: the run's files are those of the whole repository. */
	readonly files: Template["files"];
	/** Called with the line that runs when nothing forbids it, before it starts. It starts only if this resolves to `true`. */
	starts(line: string): Promise<boolean>;
}

/** How the command of a state ended; never `lost`. `command`: the line that ran; absent: that of the order. */
export type CommandReport = Pick<
	CommandEnded,
	"command" | "result" | "ms" | "bytes" | "output" | "isCut" | "print" | "data" | "problems"
>;

export interface ShellResult {
	readonly result: CleanupEnded["result"];
	readonly output: string;
}

export interface Clock {
	/** Milliseconds since the epoch. */
	now(): number;
	/** Starts a clock that only advances while this process runs; absent if `now` measures durations too. */
	awake?(): { now(): number; close(): void };
	/** Resolves after `ms`, or immediately when `signal` aborts. */
	sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** All ports of a supervisor except the ledger that it holds. */
export interface SupervisorPorts {
	readonly launcher: WorkerLauncher;
	/** The files that the run works on. */
	readonly workspace: Workspace;
	/** Of a run that works in a copy: the user's files, which it is joined into, and what that join must not change. */
	readonly userFiles?: { readonly workspace: Workspace; readonly forbidden: ForbiddenChanges };
	readonly approver: Approver;
	readonly commands: CommandRunner;
	readonly runStateCommand: StateCommandRunner;
	readonly clock: Clock;
	/** Absent: the runs cannot have children. */
	readonly children?: ChildRuns;
	/** Whether the folders of children stay after their files are joined. */
	readonly keepChildFolders?: boolean;
	/** What a join must not change; absent: nothing. */
	readonly forbidden?: ForbiddenChanges;
	/** Milliseconds that the process of a worker is kept while its question waits for the user; absent: 0. */
	readonly questionMs?: number;
	/** How long to wait for a provider that fails, in ms: the first wait, and all together; absent: the defaults. */
	readonly providerWait?: { readonly firstMs?: number; readonly maxMs?: number };
	/** A run that waits for its provider is given back, to be continued when that is due; absent: it stays here. */
	readonly givesBackWaits?: true;
	/** Labels that this host of an engine offers; absent: it does every state. */
	readonly labels?: readonly string[];
	/** What the parents leave the run, as of a moment; absent, or `undefined`: there are no parents, or they have no limits. */
	readonly ceilings?: () => TreeCeilings | undefined;
	/** This process, as recorded in the ledger. */
	readonly self: Omit<Opened, "kind">;
}
