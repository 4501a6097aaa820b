export * from "./messages.ts";
export { type FinishedVisit, phaseFrame, type UserWord } from "./phase.ts";
export { phaseNameById, phaseTitle, placeLine } from "./place.ts";
export * from "./results.ts";
export { phaseTrail, statusLine } from "./status-line.ts";
export { expand, isLongTask, nextName, variablesOf } from "./template.ts";
