// What the rules say about what commands do, whatever their spelling: named harms, unknown programs, other agents.
import type { Footprint, Run } from "../footprint/index.ts";
import type { Verdict } from "../policy/index.ts";
import type { Ready } from "./ready.ts";
import type { EffectRule } from "./rules.ts";
import { effectVerdict, meaningVerdict, ownVerdict, shown } from "./verdicts.ts";

/** What the rules say about the harms of every command. */
export function judgeEffects(footprint: Footprint, { rules, meanings, exceptPaths }: Ready): Verdict[] {
	const verdicts: Verdict[] = [];
	const decided = new Set(rules.effects.map(({ effect }) => effect));
	const ruled = rules.commands.length + rules.effects.length > 0;
	for (const run of footprint.runs) {
		for (const effect of run.effects) {
			for (const { rule, meaning } of meanings) {
				if (meaning.effect === effect && (meaning.also?.(run, footprint) ?? true)) {
					verdicts.push(meaningVerdict(rule, meaning, run.text));
				}
			}
			for (const rule of rules.effects) {
				if (rule.effect === effect && !isExcepted(rule, run, footprint, exceptPaths)) {
					verdicts.push(effectVerdict(rule, run.text));
				}
			}
		}
		if (ruled && run.effects.includes("run-unknown-text") && !decided.has("run-unknown-text")) {
			verdicts.push(
				ownVerdict(
					"deny",
					"run-unknown-text",
					`${shown(run.text)} runs text that cannot be known beforehand, so no rule can judge it.`,
					"Write the commands out plainly, so that they can be judged.",
				),
			);
		}
		if (rules.nestedAgents !== "off" && run.effects.includes("nested-agent")) {
			verdicts.push(
				ownVerdict(
					rules.nestedAgents,
					"nested-agent",
					`${shown(run.text)} starts another agent, which these rules would not bind.`,
					"Do the work yourself, or say that a second agent is wanted.",
				),
			);
		}
	}
	return verdicts;
}

/** Whether everything that the command removes or changes lies in places that the rule leaves out. */
function isExcepted(rule: EffectRule, run: Run, { touches }: Footprint, exceptPaths: Ready["exceptPaths"]): boolean {
	const fits = exceptPaths.get(rule);
	if (!fits || rule.except.length === 0) return false;
	const own = touches.filter(({ by, access }) => by === run.text && access !== "read" && access !== "list");
	return (
		own.length > 0 && own.every(({ path, real }) => fits(path) && (real === path || fits(real) || isTemporary(real)))
	);
}

function isTemporary(path: string): boolean {
	return /^(?:\/private)?\/(?:tmp|var\/tmp|var\/folders)\//.test(path);
}
