// What a worker that is not meant to change the project is told about it.
import { TRANSITION_TOOL } from "./protocol.ts";

/** After a refusal. */
export const UNCHANGED_ADVICE = `A change that the project needs belongs in the summary of ${TRANSITION_TOOL}: describe it there.`;
