// Parsed workflow definitions: exact, frozen data. Code after the reader trusts these types.
import type { Diagnostic, Place } from "@pi-chronicle/core/definition";

/** The tools that a phase may use. Entries of `names` are tool names or `*` globs. */
export type ToolLimits =
	| { readonly kind: "free" }
	| { readonly kind: "blacklist"; readonly names: readonly string[]; readonly shell: ShellRule }
	| { readonly kind: "whitelist"; readonly names: readonly string[]; readonly shell: ShellRule }
	/** Judged by footprint, regardless of the tool's name. `exec` allows programs with unknown effects. */
	| { readonly kind: "capabilities"; readonly may: readonly Capability[] };

export type Capability = "read" | "write" | "exec";

/**
 * How a list without `edit` and `write` limits shell commands. `judged`: stops commands known to write to the project and allows unknown
 * ones. `strict`: stops unknown ones too. `unrestricted`: only the tool name counts.
 */
export type ShellRule = "judged" | "strict" | "unrestricted";

/** Maximum model requests and tool calls in one visit of a phase. */
export interface VisitCeilings {
	readonly requests: number | undefined;
	readonly calls: number | undefined;
}

export interface PhaseGate {
	/** Text for the system's shell. */
	readonly command: string;
	readonly timeoutMs: number;
}

export interface Phase {
	readonly kind: "phase";
	readonly id: string;
	readonly name: string;
	readonly emoji: string;
	/** Trimmed Markdown body with unexpanded variables. */
	readonly instructions: string;
	readonly tools: ToolLimits;
	readonly profiles: readonly string[];
	/** `undefined`: inherited from the workflow. */
	readonly autoContinue: boolean | undefined;
	/** Who ends the phase. With `person`, only the user can. */
	readonly advance: "agent" | "person";
	/** The command that must succeed before the model can finish the phase. */
	readonly gate?: PhaseGate | undefined;
	/** Limits of one visit; `undefined`: inherited from the enclosing workflows. */
	readonly limits?: VisitCeilings | undefined;
	/** The phase repeats calls on purpose, so repetition is not a sign of missing progress. */
	readonly polling?: boolean | undefined;
	/** The model that works in the phase, as the user names it; `undefined`: the session's. */
	readonly model?: string | undefined;
	/** `fresh`: the phase begins without the conversation before it; `undefined`: with it. */
	readonly context?: "fresh" | undefined;
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
	/** `undefined` for a workflow without one, which only runs inside others. */
	readonly commandName: string | undefined;
	readonly show: "user" | "workflows";
	readonly initialMessage: string;
	readonly loopable: boolean;
	/** Maximum loops in one visit of this scope; `undefined`: no limit. */
	readonly maxLoops: number | undefined;
	readonly autoContinue: boolean;
	/** Limits of one visit of a phase without its own limits. */
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
	readonly tier: WorkflowTier;
	/** Absolute path of its workflow.yaml. */
	readonly file: string;
}

/** Owner of a workflow: the project, the user, or the package. */
export type WorkflowTier = "project" | "global" | "shipped";

/** A directory with a workflow.yaml that did not load. */
export interface Rejection {
	readonly key: string;
	readonly tier: WorkflowTier;
	/** Absolute path of its workflow.yaml. */
	readonly file: string;
	/** At least one error; includes those of its phase files. */
	readonly diagnostics: readonly Diagnostic[];
}

/** A tool name or glob in a phase's limits, or the name of its model, with its place. */
export interface Mention {
	readonly of: "tool" | "model";
	readonly name: string;
	readonly phaseId: string;
	readonly place: Place;
}

/** All loaded and rejected workflows. Every reference in `definitions` resolves within it, without cycles. */
export interface Catalogue {
	/** By key, sorted by UTF-16 code units. */
	readonly definitions: ReadonlyMap<string, WorkflowDefinition>;
	/** By command name: the definition that `/workflow <name>` refers to. Includes hidden workflows, unless a visible one has the same name. */
	readonly commands: ReadonlyMap<string, WorkflowDefinition>;
	/** Definitions that failed to load, by key. A rejected project definition hides a global definition with the same key. */
	readonly rejected: ReadonlyMap<string, Rejection>;
	readonly diagnostics: readonly Diagnostic[];
	readonly mentions: readonly Mention[];
}
