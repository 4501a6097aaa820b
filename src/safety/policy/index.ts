export { isWithin } from "./containment.ts";
export { type DecisionRecord, decisionEntry, type Outcome, originText, readDecision } from "./decision-record.ts";
export type { Answers, GateOptions, Judged } from "./gate.ts";
export {
	type Judgement,
	openPolicies,
	type Policies,
	type Policy,
	type Screened,
	type Screening,
	type ToolCall,
} from "./policy.ts";
export { redactInput, redactText } from "./redaction.ts";
export { outcomeText, questionText } from "./refusal.ts";
export { registerGate } from "./register-gate.ts";
export { isSecretName, openRedaction, type Redact, redacted, redactSecrets } from "./secrets.ts";
export type { Decision, Origin, Verdict } from "./verdict.ts";
