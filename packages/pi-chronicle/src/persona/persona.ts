// The persona: the agent that executes a state. Data only; nothing here reads files.
// `prompt` is never empty; `tools` contains only pi's names.
import type { Diagnostic } from "@pi-chronicle/core/definition";
import type { ThinkingLevel } from "./model-choice.ts";
import type { Restrictions } from "./restrictions.ts";

type PersonaOrigin =
	| { readonly kind: "file"; readonly file: string; readonly tier: "project" | "user" | "shipped" }
	/** Created from the text in a template. */
	| { readonly kind: "inline" };

export interface Persona {
	/** As written, for display. */
	readonly name: string;
	readonly origin: PersonaOrigin;
	readonly description: string;
	/** Added to pi's system prompt. */
	readonly prompt: string;
	/** pi's tool names and `*` patterns; `undefined`: pi's default tools. */
	readonly tools: readonly string[] | undefined;
	/** Tools that it may never have, regardless of the state's list. */
	readonly restrictions: Restrictions;
	/** Listed tools that only an extension can provide, as written. */
	readonly foreign: readonly string[];
	/** Models as written, best first; empty: the session's model. */
	readonly models: readonly string[];
	readonly thinking: ThinkingLevel | undefined;
	/** Absolute paths of skill folders or files. */
	readonly skills: readonly string[];
	/** Problems in its file, listed when a run starts. An error stops a run that uses the persona. */
	readonly diagnostics: readonly Diagnostic[];
}

/** A loaded agent file, with the names that identify it. */
export interface AgentFile extends Persona {
	readonly origin: Extract<PersonaOrigin, { kind: "file" }>;
	/** Path relative to its agents folder, without `.md`, with `/` as separator: `n8n/n8n-builder`. */
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

/** An unusable file in an agents folder. */
export interface BrokenAgent {
	/** Its file name without `.md`, and the name written in it, if known. */
	readonly names: readonly string[];
	readonly problem: Diagnostic;
}

/** Every agent and team of the given sources; of equal names, only the first. */
export interface AgentRegistry {
	/** In order of precedence. */
	readonly agents: readonly AgentFile[];
	readonly broken: readonly BrokenAgent[];
	/** Markdown files without front matter in the agent folders; not agents. */
	readonly plain: readonly string[];
	/** `untrusted`: project folders were skipped, because the user does not trust the project. */
	readonly project: "trusted" | "untrusted";
	/** By lowercase name. */
	readonly teams: ReadonlyMap<string, Team>;
	/** The agent of exactly this name that comes with the package, read when it is asked for. */
	readonly shipped: (name: string) => AgentFile | undefined;
	readonly diagnostics: readonly Diagnostic[];
}
