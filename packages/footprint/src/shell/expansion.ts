// What the files that expand words share: the context of an expansion, and the fragments that one part of a word yields.
import type { ParsedScript, ProcessSubstitutionPart, Word } from "unbash";
import type { HostEnvironment } from "../footprint.ts";
import type { FootprintRecord } from "../record.ts";
import { UNKNOWN_VALUE } from "../text.ts";
import type { State, Value } from "./state.ts";

/** The end of one argument inside a word (`"$@"`, `"${a[@]}"`). */
export const BREAK = Symbol("break");

export type Fragment =
	| typeof BREAK
	| {
			readonly text: string;
			/** Neither split nor globbed. */
			readonly quoted: boolean;
			/** A glob character of the word itself: globbed, not split. */
			readonly active?: true;
	  };

/** What one alternative of a part or word consists of. */
export type Fragments = readonly Fragment[];

/** Expands the words inside `${…}`: each method returns alternatives. */
export interface WordExpansion {
	texts(word: Word, expansion: Expansion): readonly string[];
	patterns(word: Word, expansion: Expansion): readonly string[];
	fragments(word: Word, quoted: boolean, expansion: Expansion): readonly Fragments[];
}

/** The state that words are expanded in, and what an expansion asks of the walk. */
export interface Expansion {
	readonly state: State;
	readonly host: HostEnvironment;
	readonly record: FootprintRecord;
	readonly words: WordExpansion;
	/** Walks the commands of `$(…)` and returns their output without trailing newlines. */
	substitute(script: ParsedScript | undefined): string;
	/** Walks the commands of `<(…)` or `>(…)` and returns the path that represents it. */
	connect(part: ProcessSubstitutionPart): string;
	/** Walks the commands in a text that bash expands as if it stood in double quotes, such as a prompt; returns what it may become. */
	expandAgain(text: string): readonly string[];
	/** Reports that an expansion assigns a variable (`${x:=v}`, `$((x=1))`). */
	assigned(name: string, value: Value): void;
}

/** One alternative: a single unknown fragment. */
export function unknownFragment(quoted: boolean): readonly Fragments[] {
	return [[{ text: UNKNOWN_VALUE, quoted }]];
}
