// Applies the limits of the parent's current phase to a child session. They are permanent: the child has no run that could leave the phase.
// Unreadable limits allow nothing.
import { hostEnvironment } from "../../pi/index.ts";
import { type Policy, projectPlaces } from "../../safety/index.ts";
import { changesAreMeant, isNameRefused, judgeCall } from "../limits/index.ts";
import { currentPhase, isActive, readPinnedLimits, type WorkflowRun } from "../phase-machine/index.ts";
import { inheritedAdvice, inheritedReason } from "../prompts/index.ts";
import { verdict } from "./policy.ts";

/** Type of the custom entry in a child's session. */
const inheritedType = "workflow:inherited";

/** The entry that passes the limits of the active run to a child session; `undefined` without an active run. */
export function inheritance(
	run: WorkflowRun | undefined,
): { readonly customType: string; readonly data: unknown } | undefined {
	if (!run || !isActive(run)) return undefined;
	// A run without its definition allows nothing, and neither does the child.
	if (run.kind === "stale") return { customType: inheritedType, data: { phase: run.phaseId ?? "", tools: null } };
	const { name, tools } = currentPhase(run);
	return { customType: inheritedType, data: { phase: name, tools } };
}

/** The policy that the entry's `data` imposes on a child whose working directory is `cwd`. */
export function inheritedPolicy(data: unknown, cwd: string): Policy {
	const { phase, tools } = (data ?? {}) as { phase?: unknown; tools?: unknown };
	const limits = readPinnedLimits(tools) ?? ({ kind: "capabilities", may: [] } as const);
	const places = projectPlaces(hostEnvironment(cwd));
	return {
		name: "phase",
		judge(call, footprint) {
			if (call.own && call.annotations?.readOnlyHint && limits.kind !== "blacklist") return undefined;
			const stop = judgeCall(limits, call, footprint, places);
			return stop && verdict(stop, inheritedReason(String(phase), call.tool), inheritedAdvice);
		},
		forbidsChanges: () => !changesAreMeant(limits),
		forbidsTool: (name) => isNameRefused(limits, name),
	};
}
