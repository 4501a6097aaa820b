// Parses the words after `/sequence run`: `[name] [N] [options] [--] [arguments]`. Pure.
import { didYouMean } from "@pi-chronicle/core/definition";
import { firstWord } from "./arguments.ts";
import type { ReplayStart } from "./plan.ts";
import { looksLikeNumber, parseRunCount } from "./replay-count.ts";

export interface RunWords {
	/** Name of a saved sequence; `undefined` for this session's recording. */
	readonly name: string | undefined;
	readonly count: number | undefined;
	readonly from: ReplayStart | undefined;
	/** USD. */
	readonly maxCostUsd: number | undefined;
	readonly dryRun: boolean;
	/** As written. */
	readonly args: string;
}

const runOptions = ["--from", "--max-cost", "--dry-run"] as const;

/** Parses the words. `names` are the saved sequences' names. Options come before the first argument. */
export function parseRunWords(
	text: string,
	names: ReadonlySet<string>,
): ({ readonly kind: "words" } & RunWords) | { readonly kind: "refused"; readonly reason: string } {
	const words = new WordReader(text);
	const name = names.has(words.peek()) ? words.take() : undefined;
	const count = readCount(words);
	if (typeof count === "string") return { kind: "refused", reason: count };
	const options: RunOptions = { from: undefined, maxCostUsd: undefined, dryRun: false };
	while (words.peek().startsWith("--")) {
		const written = words.take();
		if (written === "--") break;
		const reason = readOption(written, words, options);
		if (reason !== undefined) return { kind: "refused", reason };
	}
	return { kind: "words", name, count, ...options, args: words.rest.trim() };
}

/** Reads words separated by white space from the front. */
class WordReader {
	rest: string;

	constructor(text: string) {
		this.rest = text;
	}

	peek(): string {
		return firstWord(this.rest)[0];
	}

	take(): string {
		const [word, rest] = firstWord(this.rest);
		this.rest = rest;
		return word;
	}
}

/** The number of runs, `undefined` if none is given, or the mistake as a sentence. */
function readCount(words: WordReader): number | string | undefined {
	if (!looksLikeNumber(words.peek())) return undefined;
	const word = words.take();
	const parsed = parseRunCount(word);
	if (parsed.kind === "count") return parsed.count;
	return `${parsed.reason} An argument that looks like one follows the number: /sequence run 1 ${word}`;
}

type RunOptions = { -readonly [Key in "from" | "maxCostUsd" | "dryRun"]: RunWords[Key] };

/** Sets one option in `options`; returns the mistake as a sentence, if any. */
function readOption(written: string, words: WordReader, options: RunOptions): string | undefined {
	const [option = "", inline] = written.split(/=(.*)/s);
	if (option === "--dry-run") {
		options.dryRun = true;
		return undefined;
	}
	if (option !== "--from" && option !== "--max-cost")
		return `Unknown option: ${option}.${didYouMean(option, runOptions)} Options are ${runOptions.join(", ")}; arguments that look like one follow --.`;
	const value = inline ?? words.take();
	if (option === "--from") {
		options.from = readStart(value);
		return options.from ? undefined : `--from takes a run and a step, such as --from 2.3, not "${value}".`;
	}
	options.maxCostUsd = readUsd(value);
	return options.maxCostUsd === undefined
		? `--max-cost takes an amount in USD, such as --max-cost 2.50, not "${value}".`
		: undefined;
}

function readStart(value: string): ReplayStart | undefined {
	const [, run, step] = /^([1-9]\d{0,5})\.([1-9]\d{0,5})$/.exec(value) ?? [];
	return run === undefined || step === undefined
		? undefined
		: { runIndex: Number(run) - 1, stepIndex: Number(step) - 1 };
}

function readUsd(value: string): number | undefined {
	return /^\$?\d{1,9}(\.\d{1,9})?$/.test(value) ? Number(value.replace("$", "")) : undefined;
}

/** The mistake in the start position, as a sentence; `undefined` if there is none. */
export function startMistake({ runIndex, stepIndex }: ReplayStart, runs: number, steps: number): string | undefined {
	if (runIndex >= runs) return `--from names run ${runIndex + 1} of ${runs}.`;
	if (stepIndex >= steps) return `--from names step ${stepIndex + 1} of ${steps}.`;
	return undefined;
}
