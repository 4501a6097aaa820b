export { enforceRules } from "./enforce.ts";
export { type LookFrom, locateRules, type RulePlace } from "./locate.ts";
export type { Guard, GuardPlace } from "./open.ts";
export { blockingProblems, readRules } from "./reader.ts";
export { registerGuard } from "./register.ts";
export { freezeRules, hashRules, type RuleSet, thawRules } from "./rules.ts";
