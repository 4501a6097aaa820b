// A validated chronicle template with defaults filled in. The file format is defined in `fields.ts`.
// Frozen data; every name in `next` is a key of `states`; `initial` is a key of `states`.

import type { SandboxChoice } from "../definition/index.ts";
import type { OutputSchema } from "./output-schema.ts";

/** How a state names its persona. */
export type PersonaReference =
	/** Must resolve to an agent file. */
	| { readonly kind: "agent"; readonly name: string }
	/** An agent file of this name if there is one, else a role described by this text. */
	| { readonly kind: "persona"; readonly name: string };

export interface CleanupCommand {
	/** Text for the system's shell. */
	readonly command: string;
	readonly timeoutMs: number;
	/** The effect of a non-zero exit or a timeout on the run. */
	readonly onFailure: "continue" | "pause";
}

/** Limits; `undefined` is no limit. USD, tokens as pi counts them, milliseconds of active time. */
export interface SpendLimits {
	readonly costUsd?: number;
	readonly tokens?: number;
	readonly activeMs?: number;
}

export interface RunLimits extends SpendLimits {
	/** Committed moves of a run. */
	readonly moves: number;
	/** Committed moves between two states, in either direction. */
	readonly pairMoves: number;
	/** Exceptions to `pairMoves`, keyed by `pairKey`. */
	readonly pairs: Readonly<Record<string, number>>;
	/** Attempts of one visit before the user must act. */
	readonly attempts: number;
	/** Automatic retries of a visit after a crash. */
	readonly retries: number;
	/** Reminders to a worker that stopped without a transition. */
	readonly nudges: number;
	/** Maximum rejections of one visit; then the run goes to `human_intervention`. */
	readonly rejections: number;
	/** Attempts in a row with the same outcome and files before the run goes to `human_intervention`. */
	readonly noProgress: number;
	/** Requests to the model, and calls of tools, in one visit. */
	readonly requests: number;
	readonly calls: number;
	/** Milliseconds that a pause waits for the message that the model is writing. */
	readonly pauseMs: number;
	/** Whether tokens read from a provider's cache count. */
	readonly countCacheReads: boolean;
	/** Share of a limit, 0 to 1, at which a warning is given. */
	readonly warnAt: number;
}

/** A command that does a state, and where the run goes by its outcome. */
export interface CommandPlan {
	/** Text for the system's shell. */
	readonly line: string;
	/** Tried in order. */
	readonly cases: readonly CommandCase[];
	/** The target where no case applies; `undefined`: then the run waits for the user. */
	readonly otherwise: string | undefined;
	readonly timeoutMs: number;
	/** Tries of a command that exceeds its time or cannot be started. */
	readonly attempts: number;
	/** What its stdout becomes the data of the state as; `undefined`: it is not read. */
	readonly parse: "json" | undefined;
	/** It can safely run twice. */
	readonly repeatable: boolean;
	/** Bytes of its output, from the end, that the next worker gets. */
	readonly tailBytes: number;
}

export type CommandCase =
	| { readonly kind: "code"; readonly code: number; readonly to: string }
	/** The value at `reference` (the part after `output.`) is `value`, or with `negated`, is not. */
	| {
			readonly kind: "when";
			readonly reference: string;
			readonly negated: boolean;
			readonly value: string | number | boolean | null;
			readonly to: string;
	  };

export interface StatePlan {
	readonly name: string;
	readonly description?: string;
	/** `undefined`: the state has no worker. */
	readonly persona?: PersonaReference;
	/** The child runs that do the state; only in a state without a worker. */
	readonly children?: ChildrenPlan;
	/** The command that does the state; only in a state without a worker and without children. */
	readonly command?: CommandPlan;
	/** Labels that a host of an engine must offer to do the state; `undefined`: any host. */
	readonly host?: readonly string[];
	/** The team in which to look up the agent. */
	readonly team?: string;
	/** Targets a worker may choose, or that follow a command, in the order written. */
	readonly next: readonly string[];
	/** The run ends here. */
	readonly terminal: boolean;
	/** The state is named as a target but not defined. */
	readonly implicit: boolean;
	readonly approval: { readonly entry: boolean; readonly exit: boolean };
	/** Tools of the worker, replacing the persona's; the workflow tools are added. */
	readonly tools?: readonly string[];
	/**
	 * Calls that are refused to a worker without tools for writing: `judged` those known to change the project, `strict` also those with
	 * unknown effects, `free` none.
	 */
	readonly shell: "judged" | "strict" | "free";
	/** How its worker's shell commands are contained; `undefined`: as the settings say. */
	readonly sandbox?: SandboxChoice;
	readonly model?: string;
	/** After `model`: models that take over if a provider fails. */
	readonly models?: readonly string[];
	/** After those: models that take over, those of the persona included. */
	readonly fallback?: readonly string[];
	readonly thinking?: string;
	/** `none`: its worker cannot ask the user. */
	readonly questions?: "none";
	readonly instructions?: string;
	/** JSON Schema of the data that its worker hands over, or that its command's output is parsed as. */
	readonly output?: OutputSchema;
	readonly skills: readonly string[];
	/** The user's extensions that the worker loads besides ours. */
	readonly extensions: readonly string[];
	readonly limits: SpendLimits & { readonly attempts?: number; readonly requests?: number; readonly calls?: number };
	/** Milliseconds that one worker may run, and may be silent. */
	readonly wallMs: number;
	readonly idleMs: number;
	readonly cleanup: readonly CleanupCommand[];
	/** The state repeats itself on purpose: repetition is no reason to stop. */
	readonly polling: boolean;
}

/** A state that is done by child runs. */
export interface ChildrenPlan {
	/** The children to start; with `forEach` exactly one, which is started once for each item. */
	readonly branches: readonly Branch[];
	/** `pendingTasks`, `findings`, the key of a saved list, or `output.<state>.<path>`. */
	readonly forEach?: string;
	/** `forEach` is the path of a file with the list, relative to the run's folder. Absent: it is not. */
	readonly fromFile?: true;
	/** Name of the variable with the item. */
	readonly as: string;
	/** `chain`: each child needs the one before it. */
	readonly order?: "chain";
	readonly maxParallel: number;
	/** `undefined`: `own` if a child can write. */
	readonly files?: "own" | "shared";
	/** Run in each own folder before the child's first worker. */
	readonly setup: readonly CleanupCommand[];
	/** Ignored paths that each own folder gets too. */
	readonly links: readonly string[];
	/** Patterns of ignored files that count as files of the run. */
	readonly keep: readonly string[];
	/** `one`: the worker of the next state chooses the child whose files are joined. */
	readonly take: "all" | "one";
	/** How many children must be done. */
	readonly join: "all" | "any" | number;
	readonly onFailed: "wait" | "continue" | "fail";
	readonly onConflict: "worker" | "person" | "fail";
	/** Persona or agent of the worker that resolves conflicts. */
	readonly mergeBy?: string;
}

export interface Branch {
	readonly name: string;
	readonly template: ChildTemplate;
	/** Text with variables; `undefined`: the item, or the task of the run. */
	readonly task?: string;
	/** Names of the branches that it needs; absent: none. */
	readonly needs?: readonly string[];
}

export type ChildTemplate =
	| { readonly kind: "named"; readonly name: string }
	| { readonly kind: "inline"; readonly definition: unknown; readonly template: Template };

export interface Template {
	readonly name: string;
	readonly description?: string;
	readonly initial: string;
	/** Defined states in file order, then implicit ones. */
	readonly states: ReadonlyMap<string, StatePlan>;
	readonly limits: RunLimits;
	/** `ae`: written for another implementation (`initial` and `agent`); approvals without a mode are asked on entry. */
	readonly dialect: "chronicle" | "ae";
	/** Which files are kept and restored: those of the run's folder, or of the enclosing repository. */
	readonly files: "folder" | "repository";
	/** Milliseconds that the run waits for a provider that fails; `undefined`: as the settings say. */
	readonly providerWaitMs?: number;
	/** Whether the contents of files with secret names are kept. */
	readonly secretFiles: "left out" | "kept";
}

/** Name of the state that only the user can leave. A template may define it to list the states to which the user can send the run. */
export const HUMAN_INTERVENTION = "human_intervention";

/** Key of an unordered pair of states. */
export function pairKey(one: string, other: string): string {
	return one < other ? `${one} <-> ${other}` : `${other} <-> ${one}`;
}
