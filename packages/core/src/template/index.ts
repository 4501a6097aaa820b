export { TESTS } from "./command-fields.ts";
export { implicitState } from "./compile.ts";
export { DEFAULT_CEILINGS } from "./fields.ts";
export { commandsOf, hashCommands, hashDefinition } from "./hash.ts";
export { visitLimitFields } from "./inherited-fields.ts";
export { type NeedingTask, readNeeds, usersOf } from "./needs.ts";
export type { OutputSchema } from "./output-schema.ts";
export { compileDefinition, readTemplate } from "./read.ts";
export {
	type Branch,
	type ChildrenPlan,
	type CommandCase,
	type CommandPlan,
	HUMAN_INTERVENTION,
	pairKey,
	type StatePlan,
	type Template,
} from "./template.ts";
