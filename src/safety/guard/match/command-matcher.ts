// Which command rules match a call: every expression is tried on the spellings of every simple command, and on the bare skeleton of
// the text where the rule speaks of several commands. M1 what is tried at once is bounded by an estimate, the same for the same call;
// the rest is tried under a time limit; M2 a rule that was not answered in time counts as matching, and says so.
import type { Footprint } from "../../../footprint/index.ts";
import { canonicalForms, canonicalFormsWithoutLiterals, takesLiteralOperands } from "./canonical-forms.ts";
import type { CommandPattern } from "./command-pattern.ts";
import { maskLiterals, singleBlanks } from "./mask-literals.ts";
import type { SlowExpressions } from "./slow-expressions.ts";

export interface Match {
	readonly pattern: CommandPattern;
	/** The command that it matched, in normal spelling; `undefined` where no answer came in time. */
	readonly by: string | undefined;
}

type Attempt = (pattern: CommandPattern, text: string, by: string, at?: "anywhere" | "start") => void;

interface Late {
	readonly pattern: CommandPattern;
	readonly text: string;
	readonly by: string;
}

/** About 10 ms of work. */
const stepBudget = 4_000_000;

/** Patterns sorted by what they have to be tried on. */
export interface PatternGroups {
	readonly byHead: ReadonlyMap<string, readonly CommandPattern[]>;
	/** Tried on every simple command, data words taken out. */
	readonly anywhere: readonly CommandPattern[];
	/** Tried on the skeleton of the whole text. */
	readonly whole: readonly CommandPattern[];
	readonly all: readonly CommandPattern[];
}

/** Sorts compiled rules. */
export function groupPatterns(patterns: readonly CommandPattern[]): PatternGroups {
	const byHead = new Map<string, CommandPattern[]>();
	const anywhere: CommandPattern[] = [];
	const whole: CommandPattern[] = [];
	for (const pattern of patterns) {
		const { head } = pattern;
		if (head !== undefined) byHead.set(head, [...(byHead.get(head) ?? []), pattern]);
		else anywhere.push(pattern);
		if (pattern.spansCommands) whole.push(pattern);
	}
	return { byHead, anywhere, whole, all: patterns };
}

/** `command` is the text of a shell call; `undefined` for other tools, whose commands are in the footprint alone. */
export function matchCommands(
	table: PatternGroups,
	command: string | undefined,
	footprint: Footprint,
	slow: SlowExpressions,
): Match[] {
	const found = new Map<CommandPattern, Match>();
	let bare: string | undefined;
	const skeleton = () => {
		bare ??= maskLiterals(command ?? "");
		return bare;
	};
	const late: Late[] = [];
	let steps = 0;
	const attempt: Attempt = (pattern, text, by, at = "anywhere") => {
		if (found.has(pattern) || !mayMatch(pattern, text)) return;
		const cost = text.length ** pattern.exponent;
		if (steps + cost > stepBudget) {
			late.push({ pattern, text, by });
			return;
		}
		steps += cost;
		const match = pattern.expression.exec(text);
		if (match && (at === "anywhere" || match.index === 0)) found.set(pattern, { pattern, by });
	};

	for (const run of footprint.runs) {
		const bare = canonicalFormsWithoutLiterals(run);
		const own = run.program === null ? table.all : (table.byHead.get(run.program) ?? []);
		for (const text of bare) for (const pattern of own) attempt(pattern, text, run.text);
		for (const text of bare) for (const pattern of table.anywhere) attempt(pattern, text, run.text);
		// A rule about `echo` itself is about what it prints, too.
		if (own.length > 0 && takesLiteralOperands(run)) {
			for (const text of canonicalForms(run)) for (const pattern of own) attempt(pattern, text, run.text, "start");
		}
	}
	if (command !== undefined) {
		// What the grammar does not understand is looked at as it stands, by every rule.
		const unread = footprint.unknowns.some(({ what }) => what === "syntax");
		const flat = singleBlanks(command);
		for (const pattern of unread ? table.all : table.whole) {
			// Blotting takes only away, so it is done for those texts alone that hold what the rule asks for.
			if (mayMatch(pattern, flat)) attempt(pattern, unread ? flat : skeleton(), command);
		}
	}
	if (late.length > 0) tryLate(late, slow, found);
	return [...found.values()];
}

/** Tries what may take long, rule by rule. A rule that is too slow refuses the call; only one on trial leaves the others to be asked. */
function tryLate(late: readonly Late[], slow: SlowExpressions, found: Map<CommandPattern, Match>): void {
	for (const pattern of new Set(late.map((attempt) => attempt.pattern))) {
		if (found.has(pattern)) continue;
		const own = late.filter((attempt) => attempt.pattern === pattern);
		const answer = slow.find(
			pattern.expression,
			own.map(({ text }) => text),
		);
		if (answer.kind === "match") found.set(pattern, { pattern, by: own[answer.text]?.by ?? "" });
		if (answer.kind !== "too-slow") continue;
		found.set(pattern, { pattern, by: undefined });
		if (!pattern.rule.dryRun) return;
	}
}

function mayMatch({ required }: CommandPattern, text: string): boolean {
	return required.every((part) => text.includes(part));
}
