// The findings of a check: every file that this package reads, with its diagnostics. Data only.
import type { Diagnostic } from "@pi-chronicle/core/definition";
import type { Project } from "../../local/index.ts";

/** The kinds in display order, singular and plural. */
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
	/** The name that commands use, or the file's name. */
	readonly name: string;
	/** Absolute. */
	readonly file: string;
	/** Whether it can be used unchanged. */
	readonly loads: boolean;
	readonly diagnostics: readonly Diagnostic[];
}

/** A file that belongs to another tool. */
export interface ForeignFile {
	/** Absolute. */
	readonly file: string;
	/** The format's name with its article. */
	readonly format: string;
	/** How to get the same with this package. */
	readonly remedy: string;
}

export interface Inspection {
	readonly findings: readonly CheckFinding[];
	readonly foreign: readonly ForeignFile[];
	/** Diagnostics without a file, such as unreadable folders and missing names. */
	readonly further: readonly Diagnostic[];
}

/** The folders that a check searches. */
export type CheckPlace = Pick<Project["place"], "cwd" | "home" | "agentFolder" | "trust">;

/** Whether no diagnostic is an error. */
export function isSound(diagnostics: readonly Diagnostic[]): boolean {
	return diagnostics.every(({ severity }) => severity !== "error");
}

/** Converts a diagnostic about another tool's file. */
export function foreignOf({ file, message, remedy }: Diagnostic): ForeignFile {
	return { file, format: /^This is (.+); it is not read\.$/.exec(message)?.[1] ?? message, remedy };
}
