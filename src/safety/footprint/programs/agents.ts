// Coding agents: another one started from a command works outside of the rules that judge this one.
import type { Call, Program, Programs } from "./program.ts";

/** The file that a coding agent starts from, as installed. */
export const agentEntry =
	/(?:^|\/)(?:pi|claude|claude-code|codex|gemini-cli|opencode|qwen-code|crush|amp)\/.*\.[cm]?js$|pi-coding-agent|pi-chronicle\/.*\.[cm]?js$/;

/** Packages of coding agents, by how their names begin. */
export const agentPackages =
	/^(?:@earendil-works\/pi|@mariozechner\/pi|pi-coding-agent|pi-chronicle|@anthropic-ai\/claude-code|@openai\/codex|@google\/gemini-cli|@github\/copilot|@sourcegraph\/amp|@qwen-code\/qwen-code|@charmland\/crush|@augmentcode\/auggie|@continuedev\/cli|@kilocode\/cli|@just-every\/code|@vibe-kit\/grok-cli|opencode-ai|aider-chat|open-interpreter|gptme|shell-gpt|openhands|goose-ai|cline|mentat|plandex|ruflo|claude-flow)(?:$|[@/=<>~![-])/;

/** Words after which an agent only tells something. */
const tells =
	/^(--version|-v|-V|--help|-h|help|version|list|doctor|update|mcp|config|login|logout|auth|completion|--list-models)$/;

function startAgent(call: Call): void {
	const [first] = call.args;
	if (first !== undefined && tells.test(first)) return;
	call.effect("nested-agent");
	call.unknown("program", call.text);
}

const agent: Program = { also: startAgent };

export const agents: Programs = {
	"pi pi-chronicle claude codex gemini opencode aider goose amp crush cursor-agent qwen copilot cline kilocode roo plandex droid auggie kiro-cli q sgpt mentat gptme openhands interpreter swe-agent devin continue cn":
		agent,
	"llm ollama": {
		subcommands: {
			"list ls show ps models keys logs help version": {},
			"*": { changes: ["remote"], opaque: "program" },
		},
	},
};
