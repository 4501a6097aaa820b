// The policy of a worker that is not meant to change the project: the limits of a phase without tools for writing.
import { hostEnvironment } from "../pi/index.ts";
import type { CopiedProject } from "./copied-project.ts";
import { projectPlaces } from "./places.ts";
import type { Policy } from "./policy/index.ts";
import { isLimitedByName, judgeProjectChange, projectStopText } from "./project-changes.ts";

export interface UnchangedProjectLimits {
	/** `strict` refuses calls with unknown effects too. */
	readonly shell: "judged" | "strict";
	/** Names and patterns of the worker's tools. */
	readonly tools: readonly string[];
	/** What the model can do instead. */
	readonly advice: string;
}

/** Refuses calls that would change the project of the working folder `cwd` (absolute), or the one that `cwd` is a copy of. */
export function unchangedProjectPolicy(
	{ shell, tools, advice }: UnchangedProjectLimits,
	cwd: string,
	copy?: CopiedProject,
): Policy {
	const here = projectPlaces(hostEnvironment(cwd));
	const copied = copy ? [copy.root, copy.project, ...copy.closed] : [];
	const places = { ...here, project: [...here.project, ...copied] };
	const limits = { places, unknown: shell === "strict" ? "refused" : "allowed", tools } as const;
	return {
		name: "state",
		ignores: isLimitedByName,
		judge(call, footprint) {
			const stop = judgeProjectChange(call, footprint, limits);
			if (!stop) return undefined;
			const reason = projectStopText(stop, "state");
			// Workers run unattended: a repeated refusal is no reason to wait for the user.
			return { decision: "deny", policy: "state", rule: stop.kind, reason, advice, repeats: "unasked" };
		},
		forbidsChanges: () => true,
	};
}
