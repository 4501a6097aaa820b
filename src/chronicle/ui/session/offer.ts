// Notifies the user of unfinished runs when a session starts. Nothing is resumed automatically.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { type Scope, say } from "../../../pi/index.ts";
import { firstRuns, waitingChildren } from "../../engine/index.ts";
import { RECENT_RUNS } from "../commands/index.ts";
import { waitingLines, waits } from "../text/index.ts";
import { commandPrefix, lookAt } from "./session-project.ts";

/** Reports the newest waiting run with its next step, and the number of others. Never rejects. */
export async function offerUnfinished(scope: Scope, ctx: ExtensionContext): Promise<void> {
	try {
		const { hasUI, mode, ui } = ctx;
		const project = lookAt({ cwd: ctx.cwd, trusted: true });
		const recent = firstRuns(await project.store.recent(RECENT_RUNS));
		const waiting = recent.filter(waits);
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
			`The run ${run.id.slice(0, 8)} of ${run.template.name} is unfinished in ${run.state}.`,
			...waitingLines(read.value, prefix, below),
			...more,
		];
		say({ hasUI, mode, ui }, lines.join("\n"));
	} catch {
		// An unreadable folder, or a session that has ended: `/chronicle` reports the details.
	}
}
