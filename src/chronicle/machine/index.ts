export type { Action, ApprovalQuestion } from "./action.ts";
export type * from "./event.ts";
export {
	type Ceilings,
	type Leaving,
	type Move,
	type Run,
	type RunStatus,
	SCHEMA_VERSION,
	type Stage,
} from "./run.ts";
export { addSpend, greaterSpend, NO_SPEND, type Spend, spendBeyond } from "./spend.ts";
