// Carrying a run on until it comes to rest, telling what happens; an interruption lets it go cleanly.

import type { SupervisionEnd } from "../../engine/index.ts";
import { exitCodeOfEnd, type Project, type SupervisedRun } from "../../engine/index.ts";
import { progressLine, runData, statusLines } from "../text/index.ts";
import type { Output } from "./output.ts";

export interface Carried {
	readonly exitCode: number;
	readonly how: SupervisionEnd["kind"];
}

/** Resolves once the run rests or `signal` has let it go. */
export async function carryOn(
	project: Project,
	live: SupervisedRun,
	output: Output,
	signal: AbortSignal,
): Promise<Carried> {
	const { supervision, id } = live;
	const unwatch = supervision.watch((run, event) => {
		const line = progressLine(run, event);
		if (line !== undefined) output.progress(line);
	});
	const letGo = (): void => void supervision.stop();
	signal.addEventListener("abort", letGo, { once: true });
	if (signal.aborted) letGo();
	const end = await supervision.ended;
	signal.removeEventListener("abort", letGo);
	unwatch();
	const exitCode = exitCodeOfEnd(end);
	if (end.kind === "failed") {
		output.fail({ code: end.failure.reason, message: end.failure.message, remedy: end.failure.remedy });
		return { exitCode, how: end.kind };
	}
	const read = await project.store.read(id);
	if (!read.ok) {
		output.fail({ code: read.failure.reason, message: read.failure.message, remedy: read.failure.remedy });
		return { exitCode, how: end.kind };
	}
	const lines = statusLines(read.value, { now: new Date(project.clock.now()).toISOString(), prefix: "pi-chronicle " });
	output.result(lines, { exitCode, ...runData(read.value) });
	return { exitCode, how: end.kind };
}
