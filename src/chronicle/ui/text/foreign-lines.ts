// A ledger of another program, for inspection. Pure.
import type { LedgerEntry } from "../../core/index.ts";
import { runStatusText, shortCount } from "../timeline/index.ts";

export type ForeignEntry = Extract<LedgerEntry, { kind: "foreign" }>;

const maxMoves = 50;

/** Its status, as plain lines. */
export function foreignLines({ id, summary, format }: ForeignEntry): string[] {
	const { template, status, state, task, tokens, updatedAt } = summary;
	return [
		`${template} ${id.slice(0, 8)} · ${runStatusText(status)} · ${state}`,
		`A ledger of ${format}: you can inspect it, but not continue it here.`,
		...(task === "" ? [] : [`Task: ${task}`]),
		`Total: ${shortCount(tokens)} tokens${updatedAt === "" ? "" : `, last changed ${updatedAt.slice(0, 16).replace("T", " ")}`}`,
	];
}

/** Its history and findings. */
export function foreignStoryLines({ story }: ForeignEntry): string[] {
	const { history, findings, pendingTasks, files } = story;
	const earlier = history.length - maxMoves;
	const moves = history
		.slice(-maxMoves)
		.flatMap(({ state, who, at, tokens, summary }) => [
			[
				state,
				...(who === "" ? [] : [who]),
				...(at === "" ? [] : [at.slice(0, 16).replace("T", " ")]),
				`${shortCount(tokens)} tokens`,
			].join("  "),
			...(summary === "" ? [] : summary.split("\n").map((line) => `   ${line}`)),
		]);
	const section = (title: string, lines: readonly string[]): string[] =>
		lines.length === 0 ? [] : ["", `${title}:`, ...lines.map((line) => `  ${line}`)];
	return [
		...section("History", [...(earlier > 0 ? [`… ${earlier} earlier entries`] : []), ...moves]),
		...section("Pending tasks", pendingTasks.map(onOneLine)),
		...section("Findings", findings.map(onOneLine)),
		...section("Files", files),
	];
}

/** The same for `--json`. */
export function foreignData({ id, format, summary, story }: ForeignEntry): Record<string, unknown> {
	const { template, task, status, state, updatedAt, tokens } = summary;
	const { history, ...snapshot } = story;
	return {
		...{ id, foreign: format, status, state, template: { name: template }, task, updatedAt },
		...{ totals: { tokens }, history, snapshot },
	};
}

function onOneLine(text: string): string {
	return text.replaceAll(/\s*\n\s*/g, " ");
}
