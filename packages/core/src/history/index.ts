export { keptBefore, startOfVisit } from "./rewind-target.ts";
export { RunHistory, readHistory } from "./run-history.ts";
export {
	conversationsOf,
	endPhrase,
	firstInSight,
	type Launch,
	type NumberedMove,
	type Visit,
	type VisitStart,
	type Wait,
} from "./visit.ts";
export type { VisitChild } from "./visit-child.ts";
