export { ownKeys } from "./keys.ts";
export { locateRules, type RuleFileLocation } from "./locate-rules.ts";
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
