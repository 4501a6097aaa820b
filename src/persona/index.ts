export { type AgentSources, frontMatterRemedy, loadAgentRegistry, projectFolders } from "./agent-registry.ts";
export {
	chooseModel,
	type Model,
	type ModelChoice,
	readThinking,
	THINKING_LEVELS,
	type ThinkingLevel,
} from "./model-choice.ts";
export type { AgentFile, AgentRegistry, Persona, PersonaOrigin, Team } from "./persona.ts";
export { inlinePersona, type PersonaFound, type PersonaRequest, resolvePersona } from "./resolve.ts";
export { keepAllowed, type Restrictions } from "./restrictions.ts";
export { findSkill, type SkillPlaces, skillPlaces } from "./skills.ts";
export { BUILT_IN_EXTENSION_TOOLS, BUILT_IN_TOOLS, readToolNames, type ToolNames } from "./tool-names.ts";
