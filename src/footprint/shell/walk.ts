// What the parts of a walk over shell text share: how a command ends, and what may be asked of the walk. The walk itself is opened in `shell.ts`.
import type { Effect } from "../effects.ts";
import type { HostEnvironment } from "../footprint.ts";
import type { FootprintRecord } from "../record.ts";
import { assign, type FunctionBody, type State, type Value } from "./state.ts";
import type { Expansion } from "./words.ts";

/** How a command ends: the state after success and after failure, and what it prints. */
export interface CommandOutcome {
	readonly success: State;
	readonly failure: State;
	/** Its standard output; a hole where unknown. */
	readonly output: string;
}

/** One walk over one tool call's shell text. */
export interface ShellWalk {
	readonly host: HostEnvironment;
	readonly record: FootprintRecord;
	/** Shell text run by a command: parsed and walked in a child shell that starts with `state`. An unknown text is an effect. */
	runText(text: string, state: State, stdin: string, effects: Set<Effect>): CommandOutcome;
	/** A command given as words. */
	runWords(words: readonly string[], state: State, stdin: string): CommandOutcome;
	/** A function called with arguments. */
	callFunction(name: string, body: FunctionBody, args: readonly string[], state: State, stdin: string): CommandOutcome;
	/** What a program prints, where its words tell. */
	print(name: string, args: readonly string[], state: State, stdin: string): string;
	recordCode(text: string, state: State, by: string): void;
	/** The text behind the path of a process substitution. */
	connected(path: string): string | undefined;
	/** The text that this script itself wrote into a file, so far as it is known. */
	written(path: string): string | undefined;
	remember(path: string, text: string): void;
	/** How often a loop's body is walked before what it changes is given up as unknown: less the deeper loops nest. */
	enterLoop(): number;
	leaveLoop(): void;
	/** Names that an assignment inside an expansion changed since the last call. */
	takeAssigned(): readonly (readonly [string, Value])[];
	readonly expansion: (stdin: string) => Expansion;
	/** Commands given to `trap`, run with what is known at the end. */
	later(text: string): void;
}

/** Both outcomes of something that changes nothing and prints something. */
export function settled(state: State, output: string): CommandOutcome {
	return { success: state, failure: state, output };
}

/** The state with the assignments that expansions made meanwhile. */
export function afterExpansions(walk: ShellWalk, state: State): State {
	return walk.takeAssigned().reduce((now, [name, value]) => assign(now, name, value), state);
}
