export { customEntries, newestFirst, writeEntry } from "./branch.ts";
export { type Instances, openInstances } from "./instances.ts";
export { pageMarkdown } from "./pager.ts";
export { type Answer, askPerson, letChoose, type Question } from "./question.ts";
export { say, type Tone } from "./say.ts";
export { type Closer, openScope, openSessionScope, type Scope } from "./scope.ts";
export { chronicleSettings } from "./settings.ts";
export { type ToolHints, toolHints } from "./tools.ts";
export { followRun, runTurn, type TurnOptions, type TurnOutcome } from "./turns.ts";
