export {
	type CleanupCommand,
	HUMAN_INTERVENTION,
	type PersonaReference,
	pairKey,
	type RunLimits,
	type SpendLimits,
	type StatePlan,
	type Template,
} from "./template.ts";
