// Recognizes tools that start other agents, by name and by the shape of their arguments. A child agent is a separate process or session,
// so its actions are not part of this call's footprint.
// G1 a name or call that matches counts as starting an agent, regardless of its annotations.

/** Tools of well-known packages and agents that start or continue an agent, as lower-case words joined by `_`. */
const starters = new Set(
	(
		"task agent agents subagent subagents sub_agent agent_tool task_tool new_task dispatch_agent run_chain chain query_experts workflow " +
		"run_workflow workflow_run delegate delegate_task delegate_to delegation crew crew_run swarm swarm_run team team_run team_create " +
		"spawn fork orchestrate orchestrator oracle parallel_agents background_agent background_task call_omo_agent acp acp_run " +
		"send_message send_to_agent messenger intercom coms_send run_team dispatch_team run_pipeline agent_chain"
	).split(" "),
);

/** Tools of other agents that manage agents but start none. */
const aboutAgents = new Set("task_output task_stop agent_output_tool team_delete".split(" "));

/** With one of these words, a name that contains `agent` starts an agent. */
const verbs = new Set(
	(
		"run start spawn create launch dispatch delegate invoke call ask use send new resume continue steer query execute exec task team " +
		"background parallel chain swarm prompt message fork do consult"
	).split(" "),
);

/** Words that mark a name or an action as read-only. */
const readingWords = new Set(
	"list ls status output result results wait log logs get describe doctor help info history transcript show models".split(
		" ",
	),
);
/** Words that mark a name or an action as ending something and starting nothing. */
const endingWords = new Set("stop kill cancel delete remove rm clear interrupt close abort".split(" "));

const programs = new Set(
	"claude codex gemini opencode aider goose amp cline kilocode copilot qwen auggie droid devin openhands crush".split(
		" ",
	),
);
const programVerbs = new Set([...verbs, "code", "cli", "agent", "reply", "chat"]);

const agentKeys = /^(agent|agents|sub_?agent|sub_?agents|(sub_?)?agent_?(type|name|id|file))$/i;
const taskKeys = /^(prompts?|tasks?|instructions?|message|goal|objective|assignment|task_?description|request)$/i;
const listKeys = /^(tasks|chain|steps|parallel|agents|sub_?agents|calls|jobs|stages|phases)$/i;

/** Whether `name` is an agent tool as agent files write it, ignoring case and separators. */
export function isAgentToolName(name: string): boolean {
	const words = toolNameWords(name);
	const key = words.join("_");
	if (starters.has(key) || aboutAgents.has(key)) return true;
	return namesAgent(words);
}

/** Whether a call of `tool` with `input` starts an agent. `looks` and `ends` are calls that concern agents but start none. */
export function agentCall(tool: string, input: unknown): "starts" | "looks" | "ends" | undefined {
	if (hasAgentShape(input, 0)) return "starts";
	const words = toolNameWords(tool);
	const key = words.join("_");
	if (key === "task_output" || key === "agent_output_tool") return "looks";
	if (aboutAgents.has(key)) return "ends";
	const about = words.includes("agent") || words.includes("agents");
	if (!starters.has(key) && !namesAgent(words)) return about ? actionOf(words) : undefined;
	// On a server, a tool of this name more often sends mail or chat messages than work for agents.
	if (key === "send_message" && bareToolName(tool) !== tool) return undefined;
	return actionOf(words) ?? hintedAction(input) ?? "starts";
}

function actionOf(words: readonly string[]): "looks" | "ends" | undefined {
	if (words.some((word) => endingWords.has(word))) return "ends";
	return words.some((word) => readingWords.has(word)) ? "looks" : undefined;
}

/** The name without its server prefix: `mcp__x__run`, `x.run`, `x:run` and `x/run` are `run`. */
export function bareToolName(tool: string): string {
	return tool.split(/__|[.:/]/).at(-1) || tool;
}

/** A tool's name as lower-case words: `mcp__x__runTask` is `run`, `task`. */
export function toolNameWords(tool: string): readonly string[] {
	return nameWords(bareToolName(tool));
}

/** A name as lower-case words. */
export function nameWords(name: string): readonly string[] {
	return name
		.replace(/([a-z\d])([A-Z])/g, "$1_$2")
		.replace(/([A-Z]+)([A-Z][a-z])/g, "$1_$2")
		.toLowerCase()
		.split(/[^a-z\d]+/)
		.filter((word) => word !== "");
}

function namesAgent(words: readonly string[]): boolean {
	if (words.some((word) => /^sub_?agents?$/.test(word)) || words.join("_").includes("sub_agent")) return true;
	const others = words.filter((word) => word !== "agent" && word !== "agents");
	if (others.length < words.length && others.some((word) => verbs.has(word))) return true;
	const [first = ""] = words;
	if (["delegate", "swarm", "crew", "orchestrate", "dispatch"].includes(first) && words.length === 1) return true;
	const rest = words.filter((word) => !programs.has(word));
	return rest.length < words.length && rest.every((word) => programVerbs.has(word));
}

/** Whether the input has the shape `{ agent, task }` or `{ subagent_type, prompt }`, or lists such objects. */
function hasAgentShape(input: unknown, depth: number): boolean {
	if (typeof input !== "object" || input === null || depth > 3) return false;
	const entries = Object.entries(input).slice(0, 200);
	const given = (keys: RegExp) => entries.some(([name, value]) => keys.test(name) && isGiven(value));
	if (given(agentKeys) && given(taskKeys)) return true;
	return entries.some(
		([name, value]) =>
			listKeys.test(name) && Array.isArray(value) && value.slice(0, 50).some((item) => hasAgentShape(item, depth + 1)),
	);
}

/** The action that an argument states, unless another argument gives an agent work. */
function hintedAction(input: unknown): "looks" | "ends" | undefined {
	if (typeof input !== "object" || input === null) return undefined;
	const entries = Object.entries(input);
	if (entries.some(([name, value]) => (taskKeys.test(name) || listKeys.test(name)) && isGiven(value))) return undefined;
	const action = entries.find(
		([name, value]) => /^(action|command|operation|op|mode|verb)$/i.test(name) && typeof value === "string",
	)?.[1];
	return typeof action === "string" ? actionOf(action.toLowerCase().split(/[^a-z]+/)) : undefined;
}

function isGiven(value: unknown): boolean {
	if (typeof value === "string") return value.trim() !== "";
	return typeof value === "object" && value !== null;
}
