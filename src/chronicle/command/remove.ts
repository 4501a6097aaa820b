// `/chronicle remove` and `/chronicle prune`: the person is asked first, and the safe answer comes first.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { printable, say } from "../../pi/index.ts";
import { daysOf, type Project, type Removable, removeRuns, runNamed, runsOlderThan } from "../project/index.ts";
import { removalLines, removedLines } from "../telling/index.ts";
import { refuse } from "./house.ts";
import type { Look } from "./show.ts";

export async function removeOne({ ctx, project, words }: Look): Promise<void> {
	const [name] = words;
	if (name === undefined) return refuse(ctx, "Name the run: /chronicle remove <run>");
	const entry = await runNamed(project, name);
	if (!("kind" in entry)) return refuse(ctx, `${entry.message} ${entry.remedy}`);
	return removeAsked(ctx, project, { runs: [entry], staying: [] });
}

export async function pruneRuns({ ctx, project, words }: Look): Promise<void> {
	const usage = "Say how old: /chronicle prune --older-than <days> [--dry-run]";
	const dry = words.includes("--dry-run");
	const [option, value, surplus] = words.filter((word) => word !== "--dry-run").flatMap((word) => word.split("="));
	const days = option === "--older-than" ? daysOf(value) : undefined;
	if (days === undefined || surplus !== undefined) return refuse(ctx, usage);
	const found = await runsOlderThan(project, days);
	if (!dry && found.runs.length > 0) return removeAsked(ctx, project, found);
	const head = found.runs.length === 0 ? "No run is that old." : "Would be removed:";
	say(ctx, [head, ...removalLines(found, project.clock.now())].join("\n"));
}

async function removeAsked(ctx: ExtensionContext, project: Project, found: Removable): Promise<void> {
	const count = found.runs.length;
	const title = `Remove ${count === 1 ? "this run" : `these ${count} runs`} with conversations, kept files and reports? Nothing brings them back.`;
	if (ctx.hasUI) {
		const lines = removalLines(found, project.clock.now());
		const shown = [title, ...lines.slice(0, 20), ...(lines.length > 20 ? [`  … and ${lines.length - 20} more`] : [])];
		const remove = "Yes, remove";
		const chosen = await ctx.ui.select(printable(shown.join("\n")), ["No, keep everything", remove]);
		if (chosen !== remove) return say(ctx, "Nothing was removed.");
	}
	const removed = await removeRuns(
		project,
		found.runs.map(({ id }) => id),
	);
	const failed = removed.some(({ failure }) => failure);
	if (failed) return refuse(ctx, removedLines(removed).join("\n"));
	say(ctx, removedLines(removed).join("\n"));
}
