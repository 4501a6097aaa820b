// The policy of a worker that is not meant to change the project: the limits of a phase without tools for writing.

import type { WorkingCopy } from "@pi-chronicle/core/ports";
import type { Footprint } from "@pi-chronicle/footprint";
import { hostEnvironment } from "../pi/index.ts";
import { projectPlaces } from "./places.ts";
import { type BoxNeed, type Policy, shellCommand } from "./policy/index.ts";
import { containedFootprint, isLimitedByName, judgeProjectChange, projectStopText } from "./project-changes.ts";

export interface UnchangedProjectLimits {
	/** `strict` refuses calls with unknown effects too. */
	readonly shell: "judged" | "strict";
	/** Names and patterns of the worker's tools. */
	readonly tools: readonly string[];
	/** What the model can do instead. */
	readonly advice: string;
	/** Whether a sandbox contains shell commands. */
	readonly contained?: boolean;
}

/** Refuses calls that would change the project of the working folder `cwd` (absolute), or the one that `cwd` is a copy of. */
export function unchangedProjectPolicy(
	{ shell, tools, advice, contained = false }: UnchangedProjectLimits,
	cwd: string,
	copy?: WorkingCopy,
): Policy {
	const here = projectPlaces(hostEnvironment(cwd));
	const copied = copy ? [copy.root, copy.project, ...copy.closed] : [];
	const places = { ...here, project: [...here.project, ...copied] };
	const limits = { places, unknown: shell === "strict" ? "refused" : "allowed", tools } as const;
	return {
		name: "state",
		ignores: isLimitedByName,
		judge(call, footprint) {
			const isContained = contained && shellCommand(call) !== undefined;
			const judged = isContained ? () => containedFootprint(footprint()) : footprint;
			const stop = judgeProjectChange(call, judged, limits);
			if (!stop) return undefined;
			const reason = projectStopText(stop, "state");
			// Workers run unattended: a repeated refusal is no reason to wait for the user.
			return { decision: "deny", policy: "state", rule: stop.kind, reason, advice, repeats: "unasked" };
		},
		forbidsChanges: () => true,
	};
}

/** How a command is contained that must not change the project. An install needs the network, and writes only what git ignores. */
export function unchangedNeed({ runs }: Footprint): BoxNeed {
	const installs = runs.some(({ changes }) => changes.includes("packages"));
	return { scope: "ignored", network: installs ? "open" : "off" };
}
