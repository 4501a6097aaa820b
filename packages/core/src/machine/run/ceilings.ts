// What a run, a state or one worker may spend.

export interface Ceilings {
	readonly costUsd?: number;
	readonly tokens?: number;
	readonly activeMs?: number;
	readonly moves?: number;
}

/** The maximum that one worker may spend. */
export interface Allowance extends Omit<Ceilings, "moves"> {
	/** Limits of the visit; they do not change while the worker runs. */
	readonly requests?: number;
	readonly calls?: number;
}
