// Finds the command rules that match a call. Every expression is tried on the canonical forms of every simple command, and on the text with
// literals masked if the rule is about several commands.
// Invariants: the work without a time limit is bounded, and the bound depends only on the call; the rest runs under a time limit; a rule that
// exceeds it counts as matching.
import type { CommandRun, Footprint } from "../../../footprint/index.ts";
import { canonicalForms, canonicalFormsWithoutLiterals, takesLiteralOperands } from "./canonical-forms.ts";
import type { CommandPattern } from "./command-pattern.ts";
import { maskLiterals, singleBlanks } from "./mask-literals.ts";
import type { SlowExpressions } from "./slow-expressions.ts";

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

/** About 10 ms of work. */
const STEP_BUDGET = 4_000_000;

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
	slow: SlowExpressions,
): Match[] {
	const found = new Map<CommandPattern, Match>();
	const late: Attempt[] = [];
	let steps = 0;
	for (const attempt of attempts(groups, command, footprint)) {
		const { pattern, text, by, atStart } = attempt;
		if (found.has(pattern)) continue;
		const cost = text.length ** pattern.exponent;
		if (steps + cost > STEP_BUDGET) {
			late.push(attempt);
			continue;
		}
		steps += cost;
		const match = pattern.expression.exec(text);
		if (match && (!atStart || match.index === 0)) found.set(pattern, { pattern, by });
	}
	if (late.length > 0) tryLate(late, slow, found);
	return [...found.values()];
}

function* attempts(groups: PatternGroups, command: string | undefined, footprint: Footprint): Generator<Attempt> {
	for (const run of footprint.runs) yield* attemptsOnRun(groups, run);
	if (command !== undefined) yield* attemptsOnText(groups, command, footprint);
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

function* attemptsOnText(groups: PatternGroups, command: string, { unknowns }: Footprint): Generator<Attempt> {
	const flat = singleBlanks(command);
	// Every rule is tried on unparsable text verbatim.
	if (unknowns.some(({ what }) => what === "syntax")) {
		yield* attemptsOf(groups.all, flat, command);
		return;
	}
	// Masking only removes text, so it is done only if a pattern may match the unmasked text.
	const patterns = groups.whole.filter((pattern) => mayMatch(pattern, flat));
	if (patterns.length > 0) yield* attemptsOf(patterns, maskLiterals(command), command);
}

/** The attempts whose text contains what their pattern requires. */
function* attemptsOf(patterns: readonly CommandPattern[], text: string, by: string): Generator<Attempt> {
	for (const pattern of patterns) if (mayMatch(pattern, text)) yield { pattern, text, by };
}

/** Tries slow expressions, rule by rule. The first rule that exceeds the limit ends the search, because it refuses the call, unless on trial. */
function tryLate(late: readonly Attempt[], slow: SlowExpressions, found: Map<CommandPattern, Match>): void {
	for (const pattern of new Set(late.map((attempt) => attempt.pattern))) {
		if (found.has(pattern)) continue;
		const own = late.filter((attempt) => attempt.pattern === pattern);
		const texts = own.map(({ text }) => text);
		const answer = slow.find(pattern.expression, texts);
		if (answer.kind === "match") found.set(pattern, { pattern, by: own[answer.text]?.by ?? "" });
		if (answer.kind !== "too-slow") continue;
		found.set(pattern, { pattern, by: undefined });
		if (!pattern.rule.dryRun) return;
	}
}

function mayMatch({ required }: CommandPattern, text: string): boolean {
	return required.every((part) => text.includes(part));
}
