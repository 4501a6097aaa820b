export { enforceRules } from "./enforce.ts";
export type { Guard, GuardLocation } from "./open.ts";
export { registerGuard } from "./register.ts";
export {
	blockingProblems,
	deserializeRules,
	hashRules,
	locateRules,
	type RuleFileLocation,
	type RuleSearchRoots,
	type RuleSet,
	readRules,
	serializeRules,
} from "./rules/index.ts";
