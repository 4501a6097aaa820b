// What a persona is: who does a state. Data only; nothing here reads files.
// P1 `prompt` is never empty; P2 `tools` holds pi's names only.
import type { Diagnostic } from "../definition/index.ts";
import type { ThinkingLevel } from "./model-choice.ts";
import type { Restrictions } from "./restrictions.ts";

export type PersonaOrigin =
	| { readonly kind: "file"; readonly file: string; readonly tier: "project" | "user" }
	/** Made from words of a template. */
	| { readonly kind: "inline" };

export interface Persona {
	/** As written, for people. */
	readonly name: string;
	readonly origin: PersonaOrigin;
	readonly description: string;
	/** Added to pi's system prompt. */
	readonly prompt: string;
	/** pi's tool names and `*` patterns; `undefined`: what pi offers by default. */
	readonly tools: readonly string[] | undefined;
	/** What it may never have, whatever a state lists. */
	readonly restrictions: Restrictions;
	/** Tools that it lists and only an extension can bring, as written. */
	readonly foreign: readonly string[];
	/** Models as written, best first; empty: the session's. */
	readonly models: readonly string[];
	readonly thinking: ThinkingLevel | undefined;
	/** Absolute paths of skill folders or files. */
	readonly skills: readonly string[];
	/** What its file says that does not hold: listed when a run starts. An error stops a run that uses it. */
	readonly diagnostics: readonly Diagnostic[];
}

/** An agent file that loaded, and the names under which it is found. */
export interface AgentFile extends Persona {
	readonly origin: Extract<PersonaOrigin, { kind: "file" }>;
	/** Path below its agents folder without `.md`, with `/`: `n8n/n8n-builder`. */
	readonly path: string;
}

export interface Team {
	readonly name: string;
	readonly description: string;
	/** As written, in order. */
	readonly members: readonly TeamMember[];
	readonly file: string;
	readonly line: number;
}

export interface TeamMember {
	readonly name: string;
	readonly line: number;
	readonly column: number;
}

/** A file of an agents folder that cannot be used. */
export interface BrokenAgent {
	/** Its file's name without `.md`, and the name written in it where that can be told. */
	readonly names: readonly string[];
	readonly problem: Diagnostic;
}

/** Every agent and team that a place offers, the first of equal names only. */
export interface AgentRegistry {
	/** In order of precedence. */
	readonly agents: readonly AgentFile[];
	readonly broken: readonly BrokenAgent[];
	/** Markdown files without front matter in those folders: no agents. */
	readonly plain: readonly string[];
	/** Whether project folders were left out, because the person does not trust the project. */
	readonly project: "trusted" | "untrusted";
	/** Keyed by name in lower case. */
	readonly teams: ReadonlyMap<string, Team>;
	readonly diagnostics: readonly Diagnostic[];
}
