export type { Access, Footprint, Run, Surroundings, Touch, Unknown } from "./footprint/index.ts";
export {
	type Decision,
	type GateOptions,
	type Judgement,
	type Origin,
	openPolicies,
	type Policies,
	type Policy,
	readDecision,
	redactInput,
	redactText,
	registerGate,
	type Screened,
	strongest,
	type ToolCall,
	type Verdict,
} from "./policy/index.ts";
