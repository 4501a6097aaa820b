// The words after `/sequence run`: `[name] [N] [options] [--] [arguments]`. Pure.
import { didYouMean } from "../definition/index.ts";
import type { ReplayStart } from "./plan.ts";
import { looksLikeNumber, parseRunCount } from "./run-count.ts";

export interface RunWords {
	/** Of a saved sequence; `undefined`: the recording of the session. */
	readonly name: string | undefined;
	readonly count: number | undefined;
	readonly from: ReplayStart | undefined;
	/** USD. */
	readonly maxCostUsd: number | undefined;
	readonly dryRun: boolean;
	/** As written. */
	readonly args: string;
}

export const runOptions = ["--from", "--max-cost", "--dry-run"] as const;

/** Reads the words; `names` are those of the saved sequences. Options stand before the first argument. */
export function parseRunWords(
	text: string,
	names: ReadonlySet<string>,
): ({ readonly kind: "words" } & RunWords) | { readonly kind: "refused"; readonly reason: string } {
	let rest = text;
	const take = (): string => {
		const [, word = "", more = ""] = /^\s*(\S*)\s*([\s\S]*)$/.exec(rest) ?? [];
		rest = more;
		return word;
	};
	const peek = () => /^\s*(\S*)/.exec(rest)?.[1] ?? "";
	const refused = (reason: string) => ({ kind: "refused", reason }) as const;
	let name: string | undefined;
	let count: number | undefined;
	let from: ReplayStart | undefined;
	let maxCostUsd: number | undefined;
	let dryRun = false;
	if (names.has(peek())) name = take();
	if (looksLikeNumber(peek())) {
		const word = take();
		const parsed = parseRunCount(word);
		if (parsed.kind === "refused")
			return refused(`${parsed.reason} An argument that looks like one follows the number: /sequence run 1 ${word}`);
		count = parsed.count;
	}
	while (peek().startsWith("--")) {
		const written = take();
		if (written === "--") break;
		const [option = "", inline] = written.split(/=(.*)/s);
		if (option === "--dry-run") {
			dryRun = true;
			continue;
		}
		if (option !== "--from" && option !== "--max-cost")
			return refused(
				`There is no option ${option}.${didYouMean(option, runOptions)} Options are ${runOptions.join(", ")}; arguments that look like one follow --.`,
			);
		const value = inline ?? take();
		if (option === "--from") from = readStart(value);
		else maxCostUsd = readUsd(value);
		if (option === "--from" && from === undefined)
			return refused(`--from takes a run and a step, as in --from 2.3: "${value}" is none.`);
		if (option === "--max-cost" && maxCostUsd === undefined)
			return refused(`--max-cost takes an amount in USD, as in --max-cost 2.50: "${value}" is none.`);
	}
	return { kind: "words", name, count, from, maxCostUsd, dryRun, args: rest.trim() };
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

/** What is wrong with a place to begin at. */
export function startMistake({ runIndex, stepIndex }: ReplayStart, runs: number, steps: number): string | undefined {
	if (runIndex >= runs) return `--from names run ${runIndex + 1} of ${runs}.`;
	if (stepIndex >= steps) return `--from names step ${stepIndex + 1} of ${steps}.`;
	return undefined;
}
