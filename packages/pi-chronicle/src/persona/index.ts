export { frontMatterRemedy, loadAgentRegistry, projectFolders } from "./agent-registry.ts";
export {
	chooseModel,
	type Model,
	type ModelRoles,
	namedModels,
	readModelNames,
	readModelRoles,
	readThinking,
	THINKING_LEVELS,
	type ThinkingLevel,
} from "./model-choice.ts";
export type { AgentRegistry, Persona, Team } from "./persona.ts";
export { quoteTextFields } from "./plain-front-matter.ts";
export { inlinePersona, resolvePersona } from "./resolve.ts";
export { keepAllowed, type Restrictions } from "./restrictions.ts";
export { findSkill, type SkillPlaces, skillPlaces } from "./skills.ts";
export { BUILT_IN_EXTENSION_TOOLS, BUILT_IN_TOOLS, readToolName, readToolNames } from "./tool-names.ts";
