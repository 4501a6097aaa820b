// The command line as the host of a command: there is no dialog, and a run is supervised in the foreground until it stops.
import { nobody } from "../../engine/index.ts";
import type { CommandHost } from "../commands/index.ts";
import { progressLine } from "../text/index.ts";
import type { Output } from "./output.ts";

/** `signal` releases a run that is being supervised. */
export function commandLineHost({ progress, live, prefix }: Output, signal: AbortSignal): CommandHost {
	return {
		prefix,
		hasScreen: false,
		startLine: (template) => `${prefix}run ${template}`,
		supervised: new Map(),
		approver: () => nobody,
		warn(text) {
			for (const line of text.split("\n")) progress(line.startsWith(" ") ? line : `! ${line}`);
		},
		report: progress,
		started: ({ id, template, task }) => progress(`Started ${template.name} (${id}): ${task.split("\n", 1)[0]}`),
		async attend(_project, { supervision }) {
			const unwatch = supervision.watch((run, event) => {
				const line = progressLine(run, event);
				if (line !== undefined) progress(line);
				live(run);
			});
			live(supervision.run);
			const release = (): void => void supervision.stop();
			signal.addEventListener("abort", release, { once: true });
			if (signal.aborted) release();
			const end = await supervision.ended;
			signal.removeEventListener("abort", release);
			unwatch();
			live(undefined);
			return end;
		},
	};
}
