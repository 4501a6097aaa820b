export { RunHistory, readHistory } from "./run-history.ts";
export {
	conversationsOf,
	endPhrase,
	keptBefore,
	type Launch,
	type NumberedMove,
	startOfVisit,
	type Visit,
	type VisitStart,
	type Wait,
} from "./visit.ts";
export type { VisitChild } from "./visit-child.ts";
