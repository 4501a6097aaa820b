export { enforceRules } from "./enforce.ts";

export { registerGuard } from "./register.ts";
export {
	blockingProblems,
	deserializeRules,
	hashRules,
	locateRules,
	type RuleFileLocation,
	type RuleSet,
	readRules,
	serializeRules,
} from "./rules/index.ts";
