export { customEntries, newestFirst } from "./branch.ts";
export { type Instances, openInstances } from "./instances.ts";
export { type Closer, openScope, openSessionScope, type Scope } from "./scope.ts";
export { followRun, runTurn, type TurnOptions, type TurnOutcome } from "./turns.ts";
