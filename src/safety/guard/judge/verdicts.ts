// The words of the guard: one verdict for one thing that a rule says about a call.
import { type AccessKind, effects, type FileAccess } from "../../../footprint/index.ts";
import { type Decision, type Origin, placeName, redactText, type Verdict } from "../../policy/index.ts";
import type { InferredEffect, Match } from "../match/index.ts";
import type { CommandRule, EffectRule, PathLimit, PathRule } from "../rules/index.ts";

const guard = "guard";

interface Ruled {
	readonly decision: "ask" | "deny";
	readonly dryRun: boolean;
	readonly origin: Origin;
	readonly name: string;
	readonly reason: string;
}

/** A rule on trial lets through and says what it would have done. */
function ruled(rule: Ruled, reason: string, advice: string, decision: Decision = rule.decision): Verdict {
	const verdict = { policy: guard, rule: rule.name, reason, advice, origin: rule.origin };
	if (!rule.dryRun) return { ...verdict, decision };
	return {
		...verdict,
		decision: "allow",
		reason: `On trial, would be ${decision === "deny" ? "refused" : "asked"}: ${reason}`,
	};
}

export function commandVerdict({ pattern: { rule }, by }: Match): Verdict {
	if (by === undefined) {
		return ruled(
			rule,
			`The expression \`${rule.pattern}\` took too long on this command, so it is refused.`,
			"Write the command in shorter words, or split it.",
			"deny",
		);
	}
	return ruled(
		rule,
		`${shown(by)}: ${rule.reason}.`,
		"Do it in a way that the rule does not forbid, or ask the person to do it.",
	);
}

export function inferredVerdict(rule: CommandRule, { effect }: InferredEffect, by: string): Verdict {
	const reason = `${shown(by)} ${effects[effect]}, which the rule is about: ${rule.reason}.`;
	return ruled(rule, reason, "Do it in a way that the rule does not forbid, or ask the person to do it.");
}

export function effectVerdict(rule: EffectRule, by: string): Verdict {
	return ruled(
		rule,
		`${shown(by)} ${effects[rule.effect]}: ${rule.reason}.`,
		"Do it in a way that does less, or ask the person to do it.",
	);
}

const limitWords: Record<PathLimit, string> = {
	zero: "is closed to every tool",
	"read-only": "may be read, not changed",
	"no-delete": "may be changed, not removed",
	generated: "is made by a build and not edited by hand",
};
const limitAdvice: Record<PathLimit, string> = {
	zero: "Go on without it: take for granted that it is there and filled in, and ask the person for what you need of it.",
	"read-only": "Leave it as it is; if it is generated, run what generates it.",
	"no-delete": "Keep it; edit it in place if it has to change.",
	generated: "Change what it is made from, and build again.",
};
const accessWords: Record<AccessKind, string> = {
	read: "reads",
	list: "looks at",
	write: "writes",
	delete: "removes",
	link: "makes another name for",
};

/** Where paths are seen from. */
export interface Here {
	readonly cwd: string;
	readonly home: string;
}

/** `place` is the protected place where the touch itself is only above it. */
export function pathVerdict(rule: PathRule, touch: FileAccess, host: Here, place?: string): Verdict {
	const named = (path: string) => placeName(path, host.cwd, host.home);
	const at = place === undefined ? named(touch.path) : `${named(place)} (below ${named(touch.path)})`;
	const why = rule.reason === "" ? "" : ` (${rule.reason})`;
	const reason = `${shown(touch.by)} ${accessWords[touch.kind]} ${at}, which ${limitWords[rule.limit]}${why}.`;
	return ruled(rule, reason, limitAdvice[rule.limit]);
}

/** A verdict of the guard itself, not of a rule in a file. */
export function builtInVerdict(decision: Decision, rule: string, reason: string, advice: string): Verdict {
	return { decision, policy: guard, rule, reason, advice };
}

/** A command or word of the model in a message: short, on one line, secrets out. */
export function shown(text: string): string {
	return `\`${redactText(text, 160).replaceAll("`", "'")}\``;
}
