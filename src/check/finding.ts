// The findings of a check: every file that this package reads, with its diagnostics. Data only.
import type { Diagnostic } from "../definition/index.ts";

/** The kinds in order of display, singular and plural. */
export const kinds = {
	workflow: ["workflow", "workflows"],
	template: ["chronicle template", "chronicle templates"],
	agent: ["agent", "agents"],
	team: ["team", "teams"],
	rules: ["rule file", "rule files"],
	scenario: ["scenario", "scenarios"],
	sequence: ["saved sequence", "saved sequences"],
} as const;

export type CheckedKind = keyof typeof kinds;

export interface CheckFinding {
	readonly kind: CheckedKind;
	/** What commands call it, or its file's name. */
	readonly name: string;
	/** Absolute. */
	readonly file: string;
	/** It can be used as it is. */
	readonly loads: boolean;
	readonly diagnostics: readonly Diagnostic[];
}

/** A file of another tool. */
export interface ForeignFile {
	/** Absolute. */
	readonly file: string;
	/** What it is, with its article. */
	readonly format: string;
	/** What can be done to have the same here. */
	readonly remedy: string;
}

export interface Inspection {
	readonly findings: readonly CheckFinding[];
	readonly foreign: readonly ForeignFile[];
	/** What belongs to no file that was found: folders that cannot be read, names that are missing. */
	readonly further: readonly Diagnostic[];
}

/** Where a check looks. */
export interface CheckPlace {
	/** The project, absolute. */
	readonly cwd: string;
	readonly home: string;
	/** pi's agent folder. */
	readonly agentFolder: string;
	readonly trust: "trusted" | "untrusted";
}

/** Whether nothing in a list keeps something from being used. */
export function isSound(diagnostics: readonly Diagnostic[]): boolean {
	return diagnostics.every(({ severity }) => severity !== "error");
}

/** What a diagnostic says of a file of another tool. */
export function foreignOf({ file, message, remedy }: Diagnostic): ForeignFile {
	return { file, format: /^This is (.+), which is not read here\.$/.exec(message)?.[1] ?? message, remedy };
}
