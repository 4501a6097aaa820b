// What a person wrote, parsed: exact, frozen data. Everything past the reader trusts these types.
import type { Diagnostic, Place } from "../../definition/index.ts";

/** What a phase may use. `names` entries are tool names or `*` globs. */
export type ToolLimits =
	| { readonly kind: "free" }
	| { readonly kind: "blacklist"; readonly names: readonly string[]; readonly shell: ShellRule }
	| { readonly kind: "whitelist"; readonly names: readonly string[]; readonly shell: ShellRule }
	/** Judged by footprint whatever the tool is called. `exec` lets programs run whose effect is not known. */
	| { readonly kind: "capabilities"; readonly may: readonly Capability[] };

export type Capability = "read" | "write" | "exec";

/**
 * What a list without `edit`/`write` means for shell commands. `judged`: commands known to write the project are stopped, unknown ones
 * pass. `strict`: unknown ones are stopped too. `unrestricted`: the tool name alone decides.
 */
export type ShellRule = "judged" | "strict" | "unrestricted";

/** Requests to the model, and calls of tools, in one visit of a phase. */
export interface VisitCeilings {
	readonly requests: number | undefined;
	readonly calls: number | undefined;
}

export interface Phase {
	readonly kind: "phase";
	readonly id: string;
	readonly name: string;
	readonly emoji: string;
	/** Trimmed Markdown body, variables not expanded. */
	readonly instructions: string;
	readonly tools: ToolLimits;
	readonly profiles: readonly string[];
	/** `undefined`: as the workflow says. */
	readonly autoContinue: boolean | undefined;
	/** Who ends the phase: with `person` the agent cannot. */
	readonly advance: "agent" | "person";
	/** Of one visit; `undefined`: as the workflows around it say. */
	readonly limits?: VisitCeilings | undefined;
	/** The phase repeats calls on purpose: their sameness means nothing. */
	readonly polling?: boolean | undefined;
	readonly file: string;
}

export interface Reference {
	readonly kind: "reference";
	/** Key of the workflow that runs here. */
	readonly key: string;
}

export interface WorkflowDefinition {
	/** Name of its directory. */
	readonly key: string;
	readonly name: string;
	/** `undefined` for a workflow that only runs inside others and has none. */
	readonly commandName: string | undefined;
	readonly show: "user" | "workflows";
	readonly initialMessage: string;
	readonly loopable: boolean;
	/** How often one visit of this scope may be looped; `undefined`: no limit. */
	readonly maxLoops: number | undefined;
	readonly autoContinue: boolean;
	/** Of one visit of a phase that has no limits of its own. */
	readonly limits?: VisitCeilings | undefined;
	readonly sessionNamePrefix: string;
	/** In characters (code points), ≥ 1. */
	readonly sessionNameMaxLength: number;
	/** `undefined`: the built-in text. */
	readonly roleInstruction: string | undefined;
	readonly advanceReminder: string | undefined;
	readonly blockReasonTemplate: string | undefined;
	readonly notDoneReminder: string | undefined;
	readonly completionMessage: string | undefined;
	readonly entries: readonly (Phase | Reference)[];
	readonly tier: "global" | "project";
	/** Absolute path of its workflow.yaml. */
	readonly file: string;
}

/** A directory with a workflow.yaml that did not load. */
export interface Rejection {
	readonly key: string;
	readonly tier: "global" | "project";
	/** Absolute path of its workflow.yaml. */
	readonly file: string;
	/** Its errors: at least one, those of its phase files among them. */
	readonly diagnostics: readonly Diagnostic[];
}

/** A tool name or glob that a phase's limits mention, with its place. */
export interface ToolMention {
	readonly name: string;
	readonly phaseId: string;
	readonly place: Place;
}

/** Everything that loaded and everything that did not. Every reference in `definitions` resolves within it, without cycles. */
export interface Catalogue {
	/** By key, in the order of the keys' UTF-16 units. */
	readonly definitions: ReadonlyMap<string, WorkflowDefinition>;
	/** By command name: the definition that `/workflow <name>` means. One that runs only inside others is here too, unless a visible one has the name. */
	readonly commands: ReadonlyMap<string, WorkflowDefinition>;
	/** What did not load, by key. A project's rejected definition hides a global one of the same key. */
	readonly rejected: ReadonlyMap<string, Rejection>;
	readonly diagnostics: readonly Diagnostic[];
	readonly mentions: readonly ToolMention[];
}
