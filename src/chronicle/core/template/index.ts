export { implicitState } from "./compile.ts";
export { cleanupOf, hashCleanup, hashDefinition } from "./hash.ts";
export type { OutputSchema } from "./output-schema.ts";
export { compileDefinition, readTemplate, type TemplateRead } from "./read.ts";
export { templateSchema, templateTables } from "./schema.ts";
export {
	type Branch,
	type ChildrenPlan,
	type ChildTemplate,
	type CleanupCommand,
	HUMAN_INTERVENTION,
	type PersonaReference,
	pairKey,
	type RunLimits,
	type SpendLimits,
	type StatePlan,
	type Template,
} from "./template.ts";
