export type { Access, Footprint, Run, Surroundings, Touch, Unknown } from "./footprint/index.ts";
export {
	type Decision,
	type Judgement,
	type Origin,
	openPolicies,
	type Policies,
	type Policy,
	strongest,
	type ToolCall,
	type Verdict,
} from "./policy/index.ts";
