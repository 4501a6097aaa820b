export type {
	Access,
	Effect,
	Footprint,
	Run,
	Surroundings,
	Touch,
	Unknown,
} from "./footprint/index.ts";
export {
	blockingProblems,
	enforceRules,
	freezeRules,
	type Guard,
	type GuardPlace,
	hashRules,
	type LookFrom,
	locateRules,
	type RulePlace,
	type RuleSet,
	readRules,
	registerGuard,
	thawRules,
} from "./guard/index.ts";
export { measure } from "./measure.ts";
export {
	type Decision,
	type DecisionRecord,
	type GateOptions,
	isWithin,
	type Judgement,
	type Origin,
	type Outcome,
	openPolicies,
	type Policies,
	type Policy,
	readDecision,
	redactInput,
	redactText,
	registerGate,
	type Screened,
	type ToolCall,
	type Verdict,
} from "./policy/index.ts";
export {
	followReadonly,
	readonlyStep,
	registerReadonly,
} from "./readonly/index.ts";
export { probeSandbox, sandboxPolicy } from "./sandbox/index.ts";
