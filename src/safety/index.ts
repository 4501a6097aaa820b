export type {
	Access,
	Effect,
	Footprint,
	Run,
	Surroundings,
	Touch,
	Unknown,
} from "../footprint/index.ts";
export { isAgentToolName, isWriterName } from "../footprint/index.ts";
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
	isSecretName,
	isWithin,
	type Judgement,
	type Origin,
	type Outcome,
	openPolicies,
	openRedaction,
	outcomeText,
	type Policies,
	type Policy,
	type Redact,
	readDecision,
	redacted,
	redactInput,
	redactSecrets,
	redactText,
	registerGate,
	type Screened,
	type ToolCall,
	type Verdict,
} from "./policy/index.ts";
export {
	readonlyStep,
	readReadonly,
	registerReadonly,
} from "./readonly/index.ts";
export { probeSandbox, sandboxPolicy } from "./sandbox/index.ts";
