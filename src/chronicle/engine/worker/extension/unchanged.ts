// What a worker that is not meant to change the project is told about it.
import { TRANSITION_TOOL } from "./protocol.ts";

/** After a refusal. */
export const UNCHANGED_ADVICE = `Write to a temporary folder outside the project instead, or describe the change in the summary of ${TRANSITION_TOOL}.`;
