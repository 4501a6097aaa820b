// `/chronicle remove` and `/chronicle prune`: the person is asked first, and the safe answer comes first.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { choosePerson, printable, say } from "../../../pi/index.ts";
import {
	daysOf,
	exitCodeOfFailure,
	type Project,
	type Removable,
	removeRuns,
	runNamed,
	runsOlderThan,
} from "../../engine/index.ts";
import { removalLines, removedLines } from "../text/index.ts";
import { refuseCommand } from "./session-project.ts";
import type { Look } from "./show.ts";

export async function removeOne({ ctx, project, words }: Look): Promise<void> {
	const [name] = words;
	if (name === undefined) return refuseCommand(ctx, "Name the run: /chronicle remove <run>");
	const entry = await runNamed(project, name);
	if (!("kind" in entry)) return refuseCommand(ctx, `${entry.message} ${entry.remedy}`);
	return removeAsked(ctx, project, { runs: [entry], staying: [] });
}

export async function pruneRuns({ ctx, project, words }: Look): Promise<void> {
	const usage = "Say how old: /chronicle prune --older-than <days> [--dry-run]";
	const dry = words.includes("--dry-run");
	const [option, value, surplus] = words.filter((word) => word !== "--dry-run").flatMap((word) => word.split("="));
	const days = option === "--older-than" ? daysOf(value) : undefined;
	if (days === undefined || surplus !== undefined) return refuseCommand(ctx, usage);
	const found = await runsOlderThan(project, days);
	if ("reason" in found) return refuseCommand(ctx, `${found.message} ${found.remedy}`, exitCodeOfFailure(found));
	if (!dry && found.runs.length > 0) return removeAsked(ctx, project, found);
	const head = found.runs.length === 0 ? "No run is that old." : "Would be removed:";
	say(ctx, [head, ...removalLines(found, project.clock.now())].join("\n"));
}

async function removeAsked(ctx: ExtensionContext, project: Project, found: Removable): Promise<void> {
	const count = found.runs.length;
	const title = `Remove ${count === 1 ? "this run" : `these ${count} runs`} with conversations, kept files and reports? Nothing brings them back.`;
	if (ctx.hasUI) {
		const lines = removalLines(found, project.clock.now());
		// A dialog over RPC does not scroll.
		const most = ctx.mode === "tui" ? lines.length : 20;
		const shown = [...lines.slice(0, most), ...(lines.length > most ? [`  … and ${lines.length - most} more`] : [])];
		const [keep, remove] = ["No, keep everything", "Yes, remove"];
		const chosen = await choosePerson(ctx, {
			title,
			message: printable(shown.join("\n")),
			options: [keep, remove],
			keys: { [keep]: "n", [remove]: "y" },
			leave: "Esc keeps",
		});
		if (chosen !== remove) return say(ctx, "Nothing was removed.");
	}
	const removed = await removeRuns(
		project,
		found.runs.map(({ id }) => id),
	);
	const failed = removed.some(({ failure }) => failure);
	if (failed) return refuseCommand(ctx, removedLines(removed).join("\n"));
	say(ctx, removedLines(removed).join("\n"));
}
