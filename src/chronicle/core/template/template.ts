// A chronicle template as the rest of the house trusts it: read, checked, every default filled in. Its file format is in fields.ts.
// T1 frozen data; T2 every name in `next` is a key of `states`; T3 `initial` is a key of `states`.

/** How a state names who does it. */
export type PersonaReference =
	/** Must resolve to an agent file. */
	| { readonly kind: "agent"; readonly name: string }
	/** An agent file if one answers to the name, else a role described by these words. */
	| { readonly kind: "persona"; readonly name: string };

export interface CleanupCommand {
	/** Text for the system's shell. */
	readonly command: string;
	readonly timeoutMs: number;
	/** What a non-zero exit or a timeout does to the run. */
	readonly onFailure: "continue" | "pause";
}

/** Ceilings; `undefined` is no ceiling. USD, tokens as pi counts them, milliseconds of active time. */
export interface SpendLimits {
	readonly costUsd?: number;
	readonly tokens?: number;
	readonly activeMs?: number;
}

export interface RunLimits extends SpendLimits {
	/** Committed moves of a run. */
	readonly moves: number;
	/** Committed moves between two states, whichever the direction. */
	readonly pairMoves: number;
	/** Exceptions to `pairMoves`, keyed as `pairKey` makes them. */
	readonly pairs: Readonly<Record<string, number>>;
	/** Workers that may try one visit without a person's word. */
	readonly attempts: number;
	/** Automatic retries of a visit after a crash. */
	readonly retries: number;
	/** Reminders to a worker that stopped without a transition. */
	readonly nudges: number;
	/** Rejections of one visit before a person must decide otherwise. */
	readonly rejections: number;
	/** Attempts in a row with the same outcome and the same files before a person must look. */
	readonly noProgress: number;
	/** Requests to the model, and calls of tools, in one visit. */
	readonly requests: number;
	readonly calls: number;
	/** Milliseconds that a pause waits for the message that the model is writing. */
	readonly pauseMs: number;
	/** Whether tokens read from a provider's cache count. */
	readonly countCacheReads: boolean;
	/** Share of a ceiling, 0 to 1, at which a warning is given. */
	readonly warnAt: number;
}

export interface StatePlan {
	readonly name: string;
	readonly description?: string;
	/** `undefined`: the state has no worker. */
	readonly persona?: PersonaReference;
	/** Name of the team in which the agent is looked for. */
	readonly team?: string;
	/** Targets a worker may choose, in the order written. */
	readonly next: readonly string[];
	/** The run ends here. */
	readonly terminal: boolean;
	/** It was named as a target and never defined. */
	readonly implicit: boolean;
	readonly approval: { readonly entry: boolean; readonly exit: boolean };
	/** Tools of the worker in place of the persona's; the workflow tools come on top. */
	readonly tools?: readonly string[];
	readonly model?: string;
	/** After `model`: those that take over where a provider fails. */
	readonly models?: readonly string[];
	readonly thinking?: string;
	readonly instructions?: string;
	readonly skills: readonly string[];
	/** Extensions of the person that the worker loads beside ours. */
	readonly extensions: readonly string[];
	readonly limits: SpendLimits & { readonly attempts?: number; readonly requests?: number; readonly calls?: number };
	/** Milliseconds one worker may take, and may be silent. */
	readonly wallMs: number;
	readonly idleMs: number;
	readonly cleanup: readonly CleanupCommand[];
	/** The state repeats itself on purpose: sameness of attempts is no reason to stop. */
	readonly polling: boolean;
}

export interface Template {
	readonly name: string;
	readonly description?: string;
	readonly initial: string;
	/** Defined states in file order, then implicit ones. */
	readonly states: ReadonlyMap<string, StatePlan>;
	readonly limits: RunLimits;
	/** Written the way of another implementation (`initial` and `agent`): approvals without a mode are asked on entry. */
	readonly dialect: "chronicle" | "ae";
	/** Whose files are kept and brought back: those of the run's folder, or of the whole repository that it lies in. */
	readonly files: "folder" | "repository";
	/** Whether the contents of files that are secret by their name are kept. */
	readonly secretFiles: "left out" | "kept";
}

/** Name of the state that only a person leaves. A template may define it to list where a person can go from there. */
export const HUMAN_INTERVENTION = "human_intervention";

/** Key of an unordered pair of states. */
export function pairKey(one: string, other: string): string {
	return one < other ? `${one} <-> ${other}` : `${other} <-> ${one}`;
}
