// Notifies the user of unfinished runs when a session starts. Only runs that were left waiting for their provider are continued.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { firstRuns, hasNotices, waitingChildren, wakeSender } from "../../local/index.ts";
import { type Scope, say } from "../../pi/index.ts";
import { RECENT_RUNS } from "../commands/index.ts";
import { waitingLines, waits } from "../phrases/index.ts";
import type { ChronicleSession } from "./chronicle-session.ts";
import { commandPrefix, lookAt } from "./session-project.ts";

/** Takes up runs left waiting for their provider, and reports the newest waiting run with its next step, and the number of others. Never rejects. */
export async function offerUnfinished(
	scope: Scope,
	ctx: ExtensionContext,
	open: () => Promise<ChronicleSession>,
): Promise<void> {
	try {
		const { hasUI, mode, ui } = ctx;
		const project = lookAt({ cwd: ctx.cwd, trusted: true });
		if (hasNotices(project.place)) await wakeSender(project.place);
		const recent = firstRuns(await project.store.recent(RECENT_RUNS));
		const left = recent.flatMap((entry) =>
			entry.kind === "run" && entry.summary.status === "interrupted" ? [entry.id] : [],
		);
		const taken = left.length === 0 ? new Set<string>() : await takeUp(ctx, left, open);
		const waiting = recent.filter((entry) => waits(entry) && !taken.has(entry.id));
		const [newest] = waiting;
		if (newest?.kind !== "run") return;
		const read = await project.store.read(newest.id);
		if (!read.ok) return;
		const { run } = read.value;
		const below = await waitingChildren(project.store, run);
		if (scope.closed) return;
		const prefix = commandPrefix(project);
		const least = recent.length < RECENT_RUNS ? "" : "At least ";
		const more = waiting.length > 1 ? [`${least}${waiting.length - 1} more: see ${prefix.trimEnd()}.`] : [];
		const lines = [
			`The run ${run.id.slice(0, 8)} of ${run.template.name} is ${run.stage.kind === "over" ? run.status : `unfinished in ${run.state}`}.`,
			...waitingLines(read.value, prefix, below),
			...more,
		];
		say({ hasUI, mode, ui }, lines.join("\n"));
	} catch {
		// An unreadable folder, or a session that has ended: `/chronicle` reports the details.
	}
}

/** The runs of `ids` that this session continues; the modules for it are loaded only if there may be one. Never rejects. */
async function takeUp(
	ctx: ExtensionContext,
	ids: readonly string[],
	open: () => Promise<ChronicleSession>,
): Promise<ReadonlySet<string>> {
	try {
		const { takeUpWaits } = await import("./take-up.ts");
		return await takeUpWaits(await open(), ctx, ids);
	} catch {
		// They are reported with the others, and `resume` says what is wrong.
		return new Set();
	}
}
