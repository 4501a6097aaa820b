// Coding agents. One that a command starts is not bound by the rules of this session.
import { describe } from "./notation.ts";
import { afterDashes, type Call } from "./program-spec.ts";

/** Entry files of installed coding agents. */
export const agentEntry =
	/(?:^|\/)(?:pi|claude|claude-code|codex|gemini-cli|opencode|qwen-code|crush|amp|copilot|auggie|cline|kilocode|grok-cli)\/.*\.[cm]?js$|pi-coding-agent|pi-chronicle\/.*\.[cm]?js$/;

/** Folders of a project that hold the settings of coding agents. */
export const agentFolders = [".pi", ".claude", ".codex", ".cursor", ".gemini", ".opencode"];

/** Packages of coding agents, by the start of their names. */
const packages =
	/^(?:@earendil-works\/pi|@mariozechner\/pi|pi-coding-agent|pi-chronicle|@anthropic-ai\/claude-code|@anthropic-ai\/claude-agent-sdk|@openai\/codex|@google\/gemini-cli|@google\/jules|@github\/copilot|@sourcegraph\/(?:amp|cody)|@qwen-code\/qwen-code|@charmland\/crush|@augmentcode\/auggie|@continuedev\/cli|@kilocode\/cli|@roo-code\/|@just-every\/code|@vibe-kit\/grok-cli|@block\/goose|@musistudio\/claude-code-router|@iflow-ai\/iflow-cli|@qodo\/|@nanocollective\/nanocoder|@moonshot-ai\/|@cursor\/|@factory\/|@letta-ai\/letta-code|@plandex\/|@tabnine\/|@opencode-ai\/|@sst\/opencode|codebuff|opencode-ai|opencode|claude-code|claude-squad|gemini-cli|qwen-code|happy-coder|vibe-kanban|mistral-vibe|kimi-cli|aider-chat|aider|aider-install|open-interpreter|gptme|gpt-engineer|shell-gpt|openhands|openhands-ai|goose-ai|cline|mentat|plandex|ruflo|claude-flow|ra-aid|sweagent|swe-agent|mini-swe-agent|devon|deepagents-cli|nanocoder|aichat)(?:$|[@/=<>~![:#-])/;

/** Whether a package, image or source address is that of a coding agent. */
export function isAgentPackage(spec: string): boolean {
	const plain = spec
		.replace(/^(?:npm|pypi|jsr|github|nixpkgs|git\+https?|https?):?(?:\/\/)?(?:www\.)?(?:github\.com\/[\w-]+\/)?/, "")
		.replace(/^[\w./+-]*#/, "");
	return packages.test(spec) || packages.test(plain);
}

/** Records that a coding agent is fetched and run, if an operand names its package. */
export function findAgentPackage(call: Call): void {
	if (call.operands.some(isAgentPackage)) call.effect("nested-agent");
}

/** First words with which an agent only prints something. */
const tells =
	/^(--version|-v|-V|--help|-h|help|version|list|ls|doctor|completion|completions|--list-models|models|stats|whoami|status|sessions|usage)$/;
/** First words with which it configures itself. */
const setsUp =
	/^(update|upgrade|mcp|config|login|logout|auth|install|uninstall|plugin|plugins|setup|setup-token|init|configure|remove|migrate-installer|extensions|settings|import|export|integrations)$/;
const looks = /^(list|ls|get|show|status|view|path|info|help|--help)$/;

function startAgent(call: Call): void {
	const [first, second] = call.args;
	if (first !== undefined && tells.test(first)) return;
	if (first !== undefined && setsUp.test(first)) {
		if (second === undefined ? /^(config|mcp|auth|plugin|plugins|extensions)$/.test(first) : looks.test(second)) return;
		call.change("system");
		// Extensions of pi decide what pi may do.
		if (call.name.startsWith("pi")) call.access("write", `${call.home}/.pi/agent/settings.json`);
		const command = afterDashes(call);
		if (command) call.run(command);
		return;
	}
	call.effect("nested-agent");
	call.unknown("program", call.text);
}

export const agents = describe(
	`
pi pi-chronicle claude claude-code codex gemini gemini-cli opencode aider goose amp crush cursor-agent qwen qwen-code copilot cline \
		kilocode kilo roo plandex pdx droid auggie kiro-cli kiro q qchat sgpt mentat gptme openhands interpreter swe-agent sweagent \
		mini-swe-agent devin continue cn codebuff cody jules iflow trae-cli kimi kimi-cli vibe mistral-vibe grok nanocoder octofriend \
		letta ra-aid gpt-engineer gpte aichat rovodev junie claude-squad claude-flow ruflo vibe-kanban happy ccr omp dexto deepagents \
		stakpak | @startAgent
llm ollama mods fabric acli
	launch rovodev | @startAgent
	* | ~remote ?program
`,
	{ startAgent },
);
