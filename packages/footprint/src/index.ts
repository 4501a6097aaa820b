/**
 * The footprint of a tool call: everything it would read, write, delete, run and change, computed before it runs. Pure: no I/O, no state;
 * the caller passes a `HostEnvironment` to read the machine. `README.md` has an example and the limits.
 * @module
 */
export { isAgentToolName } from "./agent-tools.ts";
export { computeFootprint, type MeasuredCall } from "./compute.ts";
export { type ChangeKind, changes, type Effect, effects, unknownParts } from "./effects.ts";
export type {
	AccessKind,
	Annotations,
	ChangedPlace,
	CommandRun,
	FileAccess,
	Footprint,
	HostEnvironment,
	Unknown,
} from "./footprint.ts";
export { listedCalls } from "./listed-calls.ts";
export { isProgramName } from "./programs/index.ts";
export { compileGlob, escapeGlob, expandBraces, hasGlob, unescapeGlob } from "./shell/index.ts";
export { spell } from "./text.ts";
export { isWriterName, type KnownTools, type ToolEffect, toolEffects } from "./tool-effects.ts";
