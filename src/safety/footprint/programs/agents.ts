// Coding agents: another one started from a command works outside of the rules that judge this one.
import type { Call, Program, Programs } from "./program.ts";

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
