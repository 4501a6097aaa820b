// Answers for a shape of commands: `npm test *` is every command that begins with these words.
// Invariants: a command fits only if it is one simple command of literal words, none of them program text, that changes no file outside of the answer's folder; the rules that
// ask are those that asked then; a program that runs another command has no shape.
import { isWithin, type JudgedCall } from "../../policy/index.ts";
import { plainWords } from "./canonical-command.ts";
import type { Subject } from "./subject.ts";

/** `reach` of a subject that stands for every command of its shape. */
const ANY_REACH = "*";
const MAX_SHAPES = 4;
/** A word that no program takes for program text. */
const plain = /^'?[\w@%+=:,./~^ -]*'?$/;

/** What has to be known of a call to compare it with a shape. */
export interface ShapedCall {
	/** Words of the command, in canonical form. */
	readonly words: readonly string[];
	/** Absolute paths that it would change, by name and by real path. */
	readonly changed: readonly string[];
}

/** The call as a shape sees it; `undefined` if it fits none. */
export function shapedCall({ call, footprint }: JudgedCall): ShapedCall | undefined {
	const words = call.tool === "bash" ? plainWords(String(call.input.command)) : undefined;
	const [run, ...others] = footprint.runs;
	if (!words?.every((word) => plain.test(word)) || !run || others.length > 0) return undefined;
	const accesses = footprint.accesses.filter(({ kind }) => kind !== "read" && kind !== "list");
	const changed = [...accesses, ...Object.values(run.places ?? {}).flat()];
	return { words, changed: changed.flatMap(({ path, real }) => [path, real]) };
}

/** The shapes that a call fits, from the narrowest, as subjects of answers that apply in `folder` and below. */
export function shapesOf({ words }: ShapedCall, subject: Subject, folder: string): readonly Subject[] {
	const texts = words.slice(0, MAX_SHAPES).map((_, index) => `${words.slice(0, index + 1).join(" ")} *`);
	return texts.reverse().map((text) => ({ ...subject, text, folder, reach: ANY_REACH }));
}

/** Whether an answer is one for a shape. */
export function isShape({ reach }: Subject): boolean {
	return reach === ANY_REACH;
}

/** Whether a call has the shape of an answer, in its folder or below. */
export function fitsShape(now: Subject, { words, changed }: ShapedCall, shape: Subject): boolean {
	const prefix = shape.text.slice(0, -" *".length);
	return (
		isShape(shape) &&
		now.tool === shape.tool &&
		isWithin(now.folder, shape.folder) &&
		`${words.join(" ")} `.startsWith(`${prefix} `) &&
		changed.every((path) => isWithin(path, shape.folder)) &&
		now.rules.every((rule) => shape.rules.includes(rule))
	);
}
