// A scenario: the messages and calls of the understudy in each phase or state. Data only; scenario-file.ts reads it from a file. The run's own
// rules judge every call.

/** One message of the understudy. */
export interface Cue {
	readonly say: string;
	/** Called together, in this order. */
	readonly calls: readonly ScriptedCall[];
	/** How the message ends the phase or state; `undefined`: it does not. */
	readonly exit: Exit | undefined;
	/** Milliseconds to wait before answering. */
	readonly waitMs: number;
	/** Fail like a provider, with this message, instead of answering. */
	readonly fail: string | undefined;
	/** Of a state that is a command: its exit code; `say` is what it prints. */
	readonly exitCode?: number | undefined;
	/** The user's answer to the next question; `undefined`: yes. */
	readonly person: UserAnswer | undefined;
}

/** Answers of the user other than yes. */
export type UserAnswer =
	/** A rejection, with a message to the agent that asked. */
	| { readonly kind: "reject"; readonly words: string }
	/** The answer to a worker's question. */
	| { readonly kind: "answer"; readonly words: string }
	/** The user sends the run to this state or phase instead. */
	| { readonly kind: "sent"; readonly to: string; readonly words: string };

export interface ScriptedCall {
	readonly tool: string;
	readonly input: Readonly<Record<string, unknown>>;
	/** Call it even if the request does not offer the tool. Only planned scripts have such calls. */
	readonly undeclared?: true;
	/** Its id in pi's conversation; absent: a new one. */
	readonly id?: string;
}

/** Planned messages by visit: `state#2`, `state#2.3` for the third attempt of that visit alone, `workflow/phase#2`. */
export type Script = Readonly<Record<string, readonly Cue[]>>;

export type Exit =
	/** `workflow_step` with this action. */
	| { readonly kind: "step"; readonly action: "next" | "loop" | "cancel"; readonly summary: string }
	/** `workflow_transition` to this state. `data`: the state's output; absent: a sample, if the state has an output. */
	| { readonly kind: "transition"; readonly to: string; readonly summary: string; readonly data?: unknown };

export interface Scenario {
	/** Absolute path of the file it was read from; `undefined` for the automatic one. */
	readonly file: string | undefined;
	/** Messages by phase: `id`, `workflow/id` where ids repeat, `id#2` from the second visit on. */
	readonly phases: ReadonlyMap<string, readonly Cue[]>;
	/** Messages by state, keyed alike; in child runs also `template/id` and `child/id`. */
	readonly states: ReadonlyMap<string, readonly Cue[]>;
	/** Answers, in order, to prompts while nothing runs. */
	readonly idle: readonly Cue[];
}

/** No script: the understudy does its automatic round everywhere. */
export const automaticScenario: Scenario = { file: undefined, phases: new Map(), states: new Map(), idle: [] };

/**
 * The cues for one visit (1-based) of a phase or state; `undefined` if the scenario has none. Of several entries for a name, the greatest
 * `#n` up to the visit counts. `scopes`: names of its workflow or child run, the most exact first; `scope/id` takes precedence over `id`.
 */
export function findCues(
	scripts: ReadonlyMap<string, readonly Cue[]>,
	place: { readonly scopes: readonly string[]; readonly id: string; readonly visit: number },
): readonly Cue[] | undefined {
	for (const name of [...place.scopes.map((scope) => `${scope}/${place.id}`), place.id]) {
		for (let visit = place.visit; visit >= 1; visit--) {
			const cues = scripts.get(`${name}#${visit}`) ?? (visit === 1 ? scripts.get(name) : undefined);
			if (cues) return cues;
		}
	}
	return undefined;
}

const item = / ([1-9]\d*): .*$/s;

/** The names of a child run in a scenario. A child of a list is named by its number too: `part 2` for `part 2: src/latest.js`. */
export function namesOfChild(name: string): readonly string[] {
	return item.test(name) ? [name, name.replace(item, " $1")] : [name];
}

/** One message; `over` sets the fields that differ from an empty one. */
export function cue(over: Partial<Cue>): Cue {
	return { say: "", calls: [], exit: undefined, waitMs: 0, fail: undefined, person: undefined, ...over };
}
