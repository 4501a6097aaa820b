// The limits of the phase that a child session was started in. They hold in the child for good: it has no run that could leave the phase.
// I1 limits that cannot be read allow nothing.
import type { Policy } from "../../safety/index.ts";
import { changesAreMeant, isNameRefused, judgeCall } from "../limits/index.ts";
import { currentPhase, isActive, readPinnedLimits, type WorkflowRun } from "../machine/index.ts";
import { projectFolder, verdict } from "./policy.ts";

/** Custom entry of a child's session. */
export const inheritedType = "workflow:inherited";

/** What a child session has to be told of the run that is on; `undefined` where there is none. */
export function inheritance(
	run: WorkflowRun | undefined,
): { readonly customType: string; readonly data: unknown } | undefined {
	if (!run || !isActive(run)) return undefined;
	// Without its definition nothing is allowed, in the child neither.
	if (run.kind === "stale") return { customType: inheritedType, data: { phase: run.phaseId ?? "", tools: null } };
	const { name, tools } = currentPhase(run);
	return { customType: inheritedType, data: { phase: name, tools } };
}

/** The policy that such an entry asks for in a child that works in `cwd`. */
export function inheritedPolicy(data: unknown, cwd: string): Policy {
	const { phase, tools } = (data ?? {}) as { phase?: unknown; tools?: unknown };
	const limits = readPinnedLimits(tools) ?? ({ kind: "capabilities", may: [] } as const);
	const project = projectFolder(cwd);
	return {
		name: "phase",
		judge(call, footprint) {
			if (call.own && call.hints?.readOnlyHint && limits.kind !== "blacklist") return undefined;
			const stop = judgeCall(limits, call, footprint, project);
			const reason = `The workflow that started this session is in the phase "${String(phase)}", which does not allow this use of \`${call.tool}\`.`;
			return stop && verdict(stop, reason, "Do what this phase allows, and say in your answer what is left undone.");
		},
		forbidsChanges: () => !changesAreMeant(limits),
		forbidsTool: (name) => isNameRefused(limits, name),
	};
}
