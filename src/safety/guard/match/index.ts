export { type Match, matchCommands } from "./command-matcher.ts";
export { type GuardOptions, makeReady, type Ready } from "./compiled-rules.ts";
export type { Meaning } from "./inferred-effects.ts";
export type { PathMatcher } from "./path-matcher.ts";
export { findProtected, openSeenTrees, picksByName, type SeenTrees } from "./protected-tree.ts";
