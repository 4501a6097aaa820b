// A step: the recorded text and its resolved form. `raw` is shown and stored; the rest is resolved again before every iteration.

/** The commands of this package that a step may call. */
export type OwnCommand = "readonly" | "handoff" | "notebook" | "workflow" | "chronicle";

/** A step whose text comes from a file. */
export interface FileStep {
	readonly kind: "template" | "skill";
	readonly raw: string;
	readonly name: string;
	readonly args: string;
	/** Absolute path of the template's or skill's Markdown file. */
	readonly sourcePath: string;
	/** A template's arguments as a list, with the run's own arguments filled in. */
	readonly words?: readonly string[];
}

/** A step without a file. */
export type DirectStep =
	| { readonly kind: "prompt"; readonly raw: string; readonly text: string }
	| { readonly kind: "command"; readonly raw: string; readonly name: OwnCommand; readonly args: string }
	| { readonly kind: "compact"; readonly raw: string; readonly instructions: string | undefined };

export type ResolvedStep = FileStep | DirectStep;

/** Why text is not a step, as shown to the user. */
export interface StepRefusal {
	readonly kind: "refused";
	readonly raw: string;
	readonly reason: string;
}

/** One command that pi knows, as `pi.getCommands()` lists it. */
export interface KnownCommand {
	/** As typed after the slash; skills as `skill:name`. */
	readonly name: string;
	readonly source: "extension" | "prompt" | "skill";
	/** Absolute path of the file that defines it. */
	readonly path: string;
	/** Whether this package registered it. */
	readonly own: boolean;
}
