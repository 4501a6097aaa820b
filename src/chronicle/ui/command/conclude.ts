// What a person is told after a command, and taking it up here where it goes on in this session.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { say } from "../../../pi/index.ts";
import { exitCodeOfFailure, type Project, templateChange } from "../../engine/index.ts";
import type { DispatchResult } from "../commands/index.ts";
import type { ChronicleSession } from "./session.ts";
import { refuseCommand } from "./session-project.ts";

/** `name`: the verb; `id`: the run. */
export async function conclude(
	session: ChronicleSession,
	ctx: ExtensionContext,
	project: Project,
	name: string,
	id: string,
	result: DispatchResult,
): Promise<void> {
	if (session.scope.closed && result.kind !== "attended") return;
	switch (result.kind) {
		case "refused": {
			refuseCommand(ctx, result.message);
			// One that goes on elsewhere can at least be watched.
			const read = name === "resume" && ctx.hasUI ? await project.store.read(id) : undefined;
			if (read?.ok && read.value.holder?.alive === "yes" && !session.lives.has(id))
				session.follow(ctx, project, read.value.run);
			return;
		}
		case "failed":
			return refuseCommand(
				ctx,
				`${result.failure.message} ${result.failure.remedy}`,
				exitCodeOfFailure(result.failure),
			);
		case "attended": {
			const { live, before } = result;
			const notes = [templateChange(project, before), ...live.ledger.repairs].filter((note) => note !== undefined);
			if (notes.length > 0 && !session.scope.closed) say(ctx, notes.join("\n"), "warning");
			return session.attend(ctx, project, live);
		}
		case "said":
			if (name === "tell") say(ctx, "The worker hears it as soon as it can listen.");
			return;
		case "recorded":
			return say(ctx, "It is recorded; the next worker hears it.");
		case "taken":
			return say(ctx, `Process ${result.holder.pid}, which has the run, has heard it.`);
		case "left":
			return say(
				ctx,
				`It is left for process ${result.holder.pid}, which has the run and has not heard it yet.`,
				"warning",
			);
	}
}
