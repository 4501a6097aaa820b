export { enforceRules } from "./enforce.ts";
export type { Guard, GuardPlace } from "./open.ts";
export { registerGuard } from "./register.ts";
export {
	blockingProblems,
	freezeRules,
	hashRules,
	type LookFrom,
	locateRules,
	type RulePlace,
	type RuleSet,
	readRules,
	thawRules,
} from "./rules/index.ts";
