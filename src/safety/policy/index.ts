export { type Judgement, openPolicies, type Policies, type Policy, type ToolCall } from "./policy.ts";
export { type Decision, type Origin, strongest, type Verdict } from "./verdict.ts";
