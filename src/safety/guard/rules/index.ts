export { type LookFrom, locateRules, type RulePlace } from "./locate-rules.ts";
export { costOf, literalPrefix, type PatternCost, requiredTexts, stepsFor } from "./pattern-cost.ts";
export { type PatternNode, parsePattern } from "./pattern-syntax.ts";
export { blockingProblems, readRules } from "./reader.ts";
export {
	type CommandRule,
	type EffectRule,
	freezeRules,
	hashRules,
	type PathException,
	type PathLimit,
	type PathRule,
	type RuleSet,
	thawRules,
} from "./rule-set.ts";
