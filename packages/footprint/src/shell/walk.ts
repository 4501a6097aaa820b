// What the parts of a walk over shell text share: how a command ends, and what may be asked of the walk. `shell.ts` implements it.
import type { Effect } from "../effects.ts";
import type { HostEnvironment } from "../footprint.ts";
import type { FootprintRecord } from "../record.ts";
import { UNKNOWN_VALUE } from "../text.ts";
import type { Expansion } from "./expansion.ts";
import { assign, type FunctionBody, merge, type State, type Value } from "./state.ts";

/** The outcome of a command: the state after success and after failure, and its output. */
export interface CommandOutcome {
	readonly success: State;
	readonly failure: State;
	/** Its standard output; a placeholder if unknown. */
	readonly output: string;
}

/** One walk over one tool call's shell text. */
export interface ShellWalk {
	readonly host: HostEnvironment;
	readonly record: FootprintRecord;
	/** Parses and walks shell text in a shell that starts with `state`. Running an unknown text is added to `effects`. */
	runText(text: string, state: State, stdin: string, effects?: Set<Effect>): CommandOutcome;
	/** Runs a command given as words: a function, an alias, a builtin or a program. */
	runWords(words: readonly string[], state: State, stdin: string): CommandOutcome;
	/** Runs a builtin or a program given as words; functions of that name are ignored. */
	runProgram(words: readonly string[], state: State, stdin: string): CommandOutcome;
	callFunction(name: string, body: FunctionBody, args: readonly string[], state: State, stdin: string): CommandOutcome;
	/** Opens the expansion of words in `state`; `stdin` is what commands inside the words read. */
	expansion(state: State, stdin: string): Expansion;
	/** The assignments that expansions made since the last call. */
	takeAssigned(): readonly (readonly [string, Value])[];
	/** The text at the path of a process substitution. */
	connected(path: string): string | undefined;
	/** The text that this script itself wrote to a file, if known. */
	written(path: string): string | undefined;
	/** Records the text that the script wrote into a file (absolute path). */
	remember(path: string, text: string): void;
	/** Starts a loop. Returns how often its body is walked before what it changes counts as unknown: less for nested loops. */
	enterLoop(): number;
	leaveLoop(): void;
	/** Adds a command given to `trap`, which runs in the state at the end of the script. */
	addTrap(text: string): void;
	/** Whether there is such a command. */
	readonly hasTraps: boolean;
	/** Walks a command whose failure `set -e` ignores: a condition, or what another operator than the last follows. */
	inCondition<Result>(work: () => Result): Result;
	/** Whether the failure of the command being walked is ignored so. */
	readonly isCondition: boolean;
}

/** What a builtin does, by its arguments. */
export type Builtin = (walk: ShellWalk, args: readonly string[], state: State, stdin: string) => CommandOutcome;

/** The outcome of something that cannot fail in another state than it succeeds in. */
export function settled(state: State, output: string): CommandOutcome {
	return { success: state, failure: state, output };
}

/** The outcome with both of its states changed. */
export function mapStates(outcome: CommandOutcome, change: (state: State) => State): CommandOutcome {
	const success = change(outcome.success);
	const failure = outcome.failure === outcome.success ? success : change(outcome.failure);
	return { success, failure, output: outcome.output };
}

/** The outcome of one of several commands, whichever runs. */
export function either(walk: ShellWalk, first: CommandOutcome, ...others: readonly CommandOutcome[]): CommandOutcome {
	let { success, failure, output } = first;
	for (const other of others) {
		success = merge(success, other.success, walk.host);
		failure = merge(failure, other.failure, walk.host);
		if (other.output !== output) output = UNKNOWN_VALUE;
	}
	return { success, failure, output };
}

/** The state with the assignments made by expansions. */
export function afterExpansions(walk: ShellWalk, state: State): State {
	return walk.takeAssigned().reduce((now, [name, value]) => assign(now, name, value), state);
}
