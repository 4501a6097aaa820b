// The forms of one simple command that a rule's expression is tried on, so that rules need not foresee the order of options.
// Not equivalence of commands: other commands with the same effect are covered by rules about effects.
import type { CommandRun } from "@pi-chronicle/footprint";
import { literalArguments } from "./literal-arguments.ts";

const unknownWord = "…";
const maxWords = 400;

/**
 * The command as words with single blanks: as written and quoted, unquoted, without the options before its subcommand
 * (`git -C x reset` → `git reset`), with all options first (`rm src -rf` → `rm -rf src`), and with options and their values moved to the end
 * (`gcloud compute --project p instances` → `gcloud compute instances --project p`).
 */
export function canonicalForms(run: CommandRun): string[] {
	const { program } = run;
	if (program === null) return [run.text];
	const words = run.args.slice(0, maxWords).map((word) => word ?? unknownWord);
	const found = new Set<string>([run.text, joinWords(program, words)]);
	const options = words.filter(isOptionWord);
	if (options.length > 0) {
		for (let lead = 1; lead <= Math.min(words.length, 12) && leads(words, lead); lead++) {
			found.add(joinWords(program, words.slice(lead)));
		}
		const operands = words.filter((word) => !isOptionWord(word));
		found.add(joinWords(program, [...options, ...operands]));
		found.add(joinWords(program, [...operands, ...options]));
		found.add(joinWords(program, withoutOptionValues(words)));
	}
	return [...found];
}

/** The forms of the command without its literal arguments. */
export function canonicalFormsWithoutLiterals(run: CommandRun): string[] {
	if (run.program === null) return [run.text];
	const data = literalArguments(run.program, run.args);
	if (!data.includes(true)) return canonicalForms(run);
	const args = run.args.filter((_, index) => !data[index]);
	return canonicalForms({
		...run,
		args,
		text: joinWords(
			run.program,
			args.map((word) => word ?? unknownWord),
		),
	});
}

/** Whether the program's operands are literals, as those of `echo` and `grep` are. */
export function takesLiteralOperands(run: CommandRun): boolean {
	return run.program !== null && literalArguments(run.program, ["x"]).includes(true);
}

function joinWords(program: string, words: readonly string[]): string {
	return words.length === 0 ? program : `${program} ${words.join(" ").replaceAll(/\s+/g, " ")}`;
}

function isOptionWord(word: string): boolean {
	return word.length > 1 && (word.startsWith("-") || word.startsWith("+"));
}

/** Whether everything before word `lead` is an option or the value of one. */
function leads(words: readonly string[], lead: number): boolean {
	for (let at = 0; at < lead; at++) {
		if (!isOptionWord(words[at] ?? "") && !isOptionWord(words[at - 1] ?? "")) return false;
	}
	return true;
}

/** Moves every option, together with a following word that may be its value, to the end. */
function withoutOptionValues(words: readonly string[]): string[] {
	const kept: string[] = [];
	const moved: string[] = [];
	for (let at = 0; at < words.length; at++) {
		const word = words[at] ?? "";
		const next = words[at + 1];
		if (!isOptionWord(word)) kept.push(word);
		else {
			moved.push(word);
			if (next !== undefined && !isOptionWord(next) && !word.includes("=")) {
				moved.push(next);
				at++;
			}
		}
	}
	return [...kept, ...moved];
}
