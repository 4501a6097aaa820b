// Finds the command rules that match a call. Every expression is tried on the canonical forms of every simple command, and on the text with
// literals masked if the rule is about several commands.
// Invariants: everything runs under a time limit; a rule that exceeds it counts as matching, and a repeated call gets the same verdict.
import type { CommandRun, Footprint } from "@pi-chronicle/footprint";
import { canonicalForms, canonicalFormsWithoutLiterals, takesLiteralOperands } from "./canonical-forms.ts";
import type { CommandPattern } from "./command-pattern.ts";
import { maskLiterals, singleBlanks } from "./mask-literals.ts";
import type { TimedRuns } from "./timed-runs.ts";

export interface Match {
	readonly pattern: CommandPattern;
	/** The command that matched, in canonical form; `undefined` if no answer came in time. */
	readonly by: string | undefined;
}

/** One attempt to match an expression. */
interface Attempt {
	readonly pattern: CommandPattern;
	readonly text: string;
	/** The command that the text represents. */
	readonly by: string;
	/** Whether only a match at the start of the text counts. */
	readonly atStart?: true;
}

/** Runs attempts, and remembers those that exceeded the time limit. */
export interface CommandTrials {
	readonly runs: TimedRuns;
	readonly slow: Set<string>;
}

const maxRemembered = 200;

/** Patterns by what they are tried on. */
export interface PatternGroups {
	readonly byHead: ReadonlyMap<string, readonly CommandPattern[]>;
	/** Tried on every simple command, without its literal arguments. */
	readonly anywhere: readonly CommandPattern[];
	/** Tried on the masked text of the whole call. */
	readonly whole: readonly CommandPattern[];
	readonly all: readonly CommandPattern[];
}

export function groupPatterns(patterns: readonly CommandPattern[]): PatternGroups {
	const byHead = new Map<string, CommandPattern[]>();
	for (const pattern of patterns) {
		const { head } = pattern;
		if (head !== undefined) byHead.set(head, [...(byHead.get(head) ?? []), pattern]);
	}
	return {
		byHead,
		anywhere: patterns.filter(({ head }) => head === undefined),
		whole: patterns.filter(({ spansCommands }) => spansCommands),
		all: patterns,
	};
}

/** `command` is the text of a shell call; `undefined` for other tools, whose commands are only in the footprint. */
export function matchCommands(
	groups: PatternGroups,
	command: string | undefined,
	footprint: Footprint,
	trials: CommandTrials,
): Match[] {
	const found = new Map<CommandPattern, Match>();
	tryAll(
		footprint.runs.flatMap((run) => [...attemptsOnRun(groups, run)]),
		trials,
		found,
	);
	if (command === undefined) return [...found.values()];
	const flat = singleBlanks(command);
	// Every rule is tried on unparsable text verbatim.
	if (footprint.unknowns.some(({ what }) => what === "syntax"))
		tryAll([...attemptsOf(groups.all, flat, command)], trials, found);
	else if (groups.whole.length > 0) {
		// Masking parses the text once more and only removes text, so it is done for patterns that match the unmasked text.
		const unmasked = new Map<CommandPattern, Match>();
		tryAll([...attemptsOf(groups.whole, flat, command)], trials, unmasked);
		if (unmasked.size > 0) tryAll([...attemptsOf([...unmasked.keys()], maskLiterals(command), command)], trials, found);
	}
	return [...found.values()];
}

/** Adds the patterns that match. The first one that exceeds the limit ends the search, because it refuses the call, unless on trial. */
function tryAll(attempts: readonly Attempt[], { runs, slow }: CommandTrials, found: Map<CommandPattern, Match>): void {
	const act = ({ pattern, text, by, atStart }: Attempt): void => {
		if (found.has(pattern)) return;
		const match = pattern.expression.exec(text);
		if (match && (!atStart || match.index === 0)) found.set(pattern, { pattern, by });
	};
	const late = (attempt: Attempt): "go on" | "stop" => {
		const { pattern } = attempt;
		if (slow.size >= maxRemembered) slow.clear();
		slow.add(attemptKey(attempt));
		found.set(pattern, { pattern, by: undefined });
		return pattern.rule.dryRun ? "go on" : "stop";
	};
	const known = slow.size === 0 ? [] : attempts.filter((attempt) => slow.has(attemptKey(attempt)));
	if (known.some((attempt) => late(attempt) === "stop")) return;
	const rest = known.length === 0 ? attempts : attempts.filter((attempt) => !known.includes(attempt));
	runs.each(rest, act, late);
}

function attemptKey({ pattern: { rule }, text }: Attempt): string {
	return JSON.stringify([rule.pattern, rule.flags, text]);
}

function* attemptsOnRun(groups: PatternGroups, run: CommandRun): Generator<Attempt> {
	const own = run.program === null ? groups.all : (groups.byHead.get(run.program) ?? []);
	for (const text of canonicalFormsWithoutLiterals(run)) {
		yield* attemptsOf(own, text, run.text);
		yield* attemptsOf(groups.anywhere, text, run.text);
	}
	// A rule about `echo` itself also covers its output.
	if (own.length === 0 || !takesLiteralOperands(run)) return;
	for (const text of canonicalForms(run))
		for (const attempt of attemptsOf(own, text, run.text)) yield { ...attempt, atStart: true };
}

function* attemptsOf(patterns: readonly CommandPattern[], text: string, by: string): Generator<Attempt> {
	for (const pattern of patterns) yield { pattern, text, by };
}
