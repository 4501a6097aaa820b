export { locateRules, type RuleFileLocation, type RuleSearchRoots } from "./locate-rules.ts";
export { costOf, literalPrefix, type PatternCost, requiredTexts, stepsFor } from "./pattern-cost.ts";
export { type PatternNode, parsePattern } from "./pattern-syntax.ts";
export { blockingProblems, readRules } from "./reader.ts";
export {
	type CommandRule,
	deserializeRules,
	type EffectRule,
	hashRules,
	type PathException,
	type PathLimit,
	type PathRule,
	type RuleSet,
	serializeRules,
} from "./rule-set.ts";
