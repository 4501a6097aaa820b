export { isWithin, placeName } from "../containment.ts";
export { type Box, type BoxNeed, type BoxScope, shellCommand } from "./box.ts";
export {
	type DecisionOutcome,
	type DecisionRecord,
	decisionEntry,
	originText,
	readDecision,
} from "./decision-record.ts";
export type { Answers, JudgedCall } from "./gate.ts";
export * from "./policy.ts";
export { quoteRedacted, redactInput, redactText } from "./redaction.ts";
export { comparableOutcome, isRefusalText, questionText } from "./refusal.ts";
export { registerGate } from "./register-gate.ts";
export { isSecretName, openRedaction, type Redact, redacted, redactSecrets } from "./secrets.ts";
export type { Decision, Origin, Verdict } from "./verdict.ts";
