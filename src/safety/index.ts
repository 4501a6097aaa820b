export type {
	AccessKind,
	CommandRun,
	Effect,
	FileAccess,
	Footprint,
	HostEnvironment,
	Unknown,
} from "../footprint/index.ts";
export { isAgentToolName, isWriterName } from "../footprint/index.ts";
export {
	blockingProblems,
	deserializeRules,
	enforceRules,
	type Guard,
	type GuardLocation,
	hashRules,
	locateRules,
	type RuleFileLocation,
	type RuleSearchRoots,
	type RuleSet,
	readRules,
	registerGuard,
	serializeRules,
} from "./guard/index.ts";
export { measure } from "./measure.ts";
export {
	comparableOutcome,
	type Decision,
	type DecisionOutcome,
	type DecisionRecord,
	type GateOptions,
	isRefusalText,
	isSecretName,
	isWithin,
	type Judgment,
	type Origin,
	openPolicies,
	openRedaction,
	type Policies,
	type Policy,
	type Redact,
	readDecision,
	redacted,
	redactInput,
	redactSecrets,
	redactText,
	registerGate,
	type ScreenedResult,
	type ToolCall,
	type Verdict,
} from "./policy/index.ts";
export {
	prepareReadonlyRequest,
	registerReadonly,
	runReadonlyCommand,
} from "./readonly/index.ts";
export { probeSandbox, sandboxPolicy } from "./sandbox/index.ts";
