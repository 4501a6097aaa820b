export { type Match, matchCommands } from "./command-matcher.ts";
export { type CompiledRules, compileRules, type GuardOptions } from "./compiled-rules.ts";
export type { InferredEffect } from "./inferred-effects.ts";
export type { PathMatcher } from "./path-matcher.ts";
export { findProtected, openTreeWalks, selectsByName, type TreeWalks } from "./protected-tree.ts";
