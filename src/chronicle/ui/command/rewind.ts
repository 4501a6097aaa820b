// Asking before a rewind: what it takes away, what it does not bring back, and the command that undoes it. The safe answer comes first.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { printable } from "../../../pi/index.ts";
import { type SheetOption, showSheet } from "../../../tui/index.ts";
import type { ReadLedger } from "../../core/index.ts";
import { type Project, type SupervisedRun, withWorkspace } from "../../engine/index.ts";
import type { RunCommand } from "../commands/index.ts";
import { questionBody } from "../screen/index.ts";
import { rewindLines } from "../text/index.ts";

const mostChanges = 200;

/** Lets a rewind through once the person has agreed; other words, and those of a pi that nobody watches, at once. */
export async function confirmRewind(
	ctx: ExtensionContext,
	project: Project,
	word: RunCommand,
	ledger: ReadLedger,
	live: SupervisedRun | undefined,
): Promise<RunCommand> {
	const goal = word.kind === "events" ? word.events.find(({ kind }) => kind === "rewind_requested") : undefined;
	if (goal?.kind !== "rewind_requested" || !ctx.hasUI) return word;
	const looked = await withWorkspace(project, ledger, live, (workspace) => workspace.preview(goal.tree, mostChanges));
	if (!looked.ok && (looked.failure.reason === "unknown_tree" || looked.failure.reason === "no_git"))
		return { kind: "refused", message: `${looked.failure.message} ${looked.failure.remedy}` };
	const short = ledger.run.id.slice(0, 8);
	const where = goal.kept === undefined ? `the start of visit ${goal.to} (${goal.state})` : `kept-${goal.kept}`;
	const title = `Rewind ${short} to ${where}?`;
	const lines = [
		...(looked.ok
			? rewindLines(looked.value)
			: [`What it would change could not be measured: ${looked.failure.message}`]),
		`What is there now is kept first: /chronicle rewind ${short} undo brings it back.`,
	];
	const choices = [
		{ value: false, words: "No, leave everything as it is", key: "n" },
		{ value: true, words: "Yes, rewind", key: "y" },
	] as const;
	const agreed = await ask(ctx, title, lines, choices);
	return agreed ? word : { kind: "refused", message: "Nothing was changed." };
}

async function ask(
	ctx: ExtensionContext,
	title: string,
	lines: readonly string[],
	choices: readonly SheetOption<boolean>[],
): Promise<boolean> {
	if (ctx.mode === "tui") {
		const question = { title, body: questionBody(lines), choices, leave: "Esc leaves it" };
		return (await showSheet(ctx, question)) ?? false;
	}
	const chosen = await ctx.ui.select(
		printable([title, ...lines].join("\n")),
		choices.map(({ words }) => words),
	);
	return choices.some(({ value, words }) => value && words === chosen);
}
