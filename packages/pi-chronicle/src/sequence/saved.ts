// The project's saved sequences, `.pi/sequences/<name>.yaml`. Like all of a project's definitions, they are read only if the user trusts
// the project.
// A name is a plain word, so no name leads out of the folder; written files are readable by their owner only.
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Diagnostic } from "@pi-chronicle/core/definition";
import { folderNames, replaceFileSync } from "../disk/index.ts";
import { looksLikeNumber } from "./replay-count.ts";
import { readSequenceFile, replaceSteps, type SequenceFile, sequenceText } from "./sequence-file.ts";

export interface SavedSequence {
	readonly name: string;
	/** Absolute. */
	readonly file: string;
	/** `undefined` if the file cannot be used; the diagnostics say why. */
	readonly sequence: SequenceFile | undefined;
	readonly diagnostics: readonly Diagnostic[];
}

/** The project in which a session looks for sequences. */
export interface SequenceLocation {
	readonly cwd: string;
	readonly trusted: boolean;
}

const extension = /\.ya?ml$/i;

/** The verbs; a sequence cannot have one of these names. */
export const sequenceVerbs = ["run", "show", "list", "save", "edit", "delete", "stop"] as const;

/** The mistake in a name; `undefined` if there is none. */
export function nameMistake(name: string): string | undefined {
	if (!/^[\p{Letter}\p{Number}][\p{Letter}\p{Number}_-]{0,63}$/u.test(name))
		return `"${name}" is not a valid sequence name: use letters, digits, - and _, at most 64 characters.`;
	if (looksLikeNumber(name)) return `"${name}" is not a valid sequence name: it looks like a number of runs.`;
	if ((sequenceVerbs as readonly string[]).includes(name))
		return `"${name}" is not a valid sequence name: /sequence ${name} is a command.`;
	return undefined;
}

/** All of the project's sequences, sorted by name. If two files have the same name, the first one counts and the other is reported. */
export function savedSequences({ cwd, trusted }: SequenceLocation): SavedSequence[] {
	if (!trusted) return [];
	const found = new Map<string, SavedSequence>();
	for (const entry of fileNames(cwd)) {
		const name = entry.replace(extension, "");
		const file = join(sequenceFolder(cwd), entry);
		const first = found.get(name);
		if (first === undefined) found.set(name, { name, file, ...readSequenceFile(file) });
		else
			found.set(name, {
				...first,
				diagnostics: [...first.diagnostics, savedProblem(file, "warning", twin(first.file))],
			});
	}
	return [...found.values()].map((saved) => {
		const wrong = nameMistake(saved.name);
		if (wrong === undefined) return saved;
		const diagnostics = [
			...saved.diagnostics,
			savedProblem(saved.file, "error", { code: "bad-name", message: wrong, remedy: "Rename the file." }),
		];
		return { ...saved, sequence: undefined, diagnostics };
	});
}

/** The names of the saved sequences, without reading their files. */
export function savedNames({ cwd, trusted }: SequenceLocation): string[] {
	return trusted ? [...new Set(fileNames(cwd).map((entry) => entry.replace(extension, "")))] : [];
}

export function sequenceFolder(cwd: string): string {
	return join(cwd, ".pi", "sequences");
}

/** Writes the steps of `name` into its file, or into a new file if there is none. Returns the file's path. */
export function writeSaved(
	{ cwd }: SequenceLocation,
	name: string,
	steps: readonly string[],
	old: SavedSequence | undefined,
): string {
	const file = old?.file ?? join(sequenceFolder(cwd), `${name}.yaml`);
	const text = old === undefined ? sequenceText(steps) : replaceSteps(readFileSync(file, "utf8"), steps);
	mkdirSync(sequenceFolder(cwd), { recursive: true });
	replaceFileSync(file, text);
	return file;
}

function fileNames(cwd: string): string[] {
	return folderNames(sequenceFolder(cwd)).filter((name) => extension.test(name));
}

function twin(first: string) {
	return {
		code: "same-name",
		message: `${first} has the same name, so this file is ignored.`,
		remedy: "Rename or remove one.",
	};
}

function savedProblem(
	file: string,
	severity: "error" | "warning",
	what: { readonly code: string; readonly message: string; readonly remedy: string },
): Diagnostic {
	return { file, line: 1, column: 1, severity, ...what };
}
