export type {
	ChangeKind,
	CommandRun,
	FileAccess,
	Footprint,
	Unknown,
} from "@pi-chronicle/footprint";
export { compileGlob, hasGlob, isAgentToolName } from "@pi-chronicle/footprint";
export { copiedProjectPolicy } from "./copied-project.ts";
export { deniedToolsPolicy } from "./denied-tools.ts";
export * from "./guard/index.ts";
export { measure } from "./measure.ts";
export { isTemporary, type ProjectPlaces, projectPlaces } from "./places.ts";
export {
	type BoxNeed,
	comparableOutcome,
	isRefusalText,
	isSecretName,
	isWithin,
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
	shellCommand,
	type ToolCall,
	type Verdict,
} from "./policy/index.ts";
export {
	changedThings,
	containedFootprint,
	isSink,
	judgeProjectChange,
	mayChange,
	type ProjectStop,
	pathInProject,
	projectStopText,
} from "./project-changes.ts";
export {
	prepareReadonlyRequest,
	registerReadonly,
	runReadonlyCommand,
} from "./readonly/index.ts";
export {
	agentReadable,
	askAboutHost,
	boxFolder,
	type Confinement,
	type ConfinementOptions,
	makeBoxFolder,
	openConfinement,
	probeSandbox,
	removeBox,
	repositoryAbove,
	type SandboxProbe,
	sandboxPolicy,
	settleBox,
} from "./sandbox/index.ts";
export { openSessionBox, type SessionBox } from "./session-box.ts";
export { unchangedNeed, unchangedProjectPolicy } from "./unchanged-project.ts";
