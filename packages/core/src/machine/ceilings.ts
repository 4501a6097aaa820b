// What a run, a state or one worker may spend.

export interface Ceilings {
	readonly costUsd?: number;
	readonly tokens?: number;
	readonly activeMs?: number;
	readonly moves?: number;
}

/** The maximum that one worker may spend. */
export interface Allowance extends Omit<Ceilings, "moves"> {
	/** For this visit. */
	readonly requests?: number;
	readonly calls?: number;
}
