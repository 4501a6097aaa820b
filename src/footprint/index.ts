export { isAgentToolName } from "./agent-tools.ts";
export { computeFootprint, type MeasuredCall } from "./compute.ts";
export { type Change, changes, type Effect, effects } from "./effects.ts";
export type { Access, Annotations, Footprint, Run, Surroundings, Touch, Unknown } from "./footprint.ts";
export { listedCalls } from "./listed-calls.ts";
export { isProgramName } from "./programs/index.ts";
export { spell } from "./text.ts";
export { isWriterName, type KnownTools, type ToolEffect, toolEffects } from "./tool-effects.ts";
