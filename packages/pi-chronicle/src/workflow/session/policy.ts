// The limits of the current phase as a policy of the package's gate. It applies only while a run is active.
import { hostEnvironment } from "../../pi/index.ts";
import {
	containedFootprint,
	type Policy,
	projectPlaces,
	type SessionBox,
	shellCommand,
	type ToolCall,
	type Verdict,
} from "../../safety/index.ts";
import {
	changesAreMeant,
	containmentOf,
	isNameRefused,
	judgeCall,
	type Stop,
	stepTool,
	stopRule,
	stopText,
} from "../limits/index.ts";
import { currentPhase, isActive, type WorkflowRun } from "../phase-machine/index.ts";
import { afterStepText, blockAdvice, blockReason, type StepAction, staleReason } from "../prompts/index.ts";

/** Judges every call by the phase that `run` is in when the call starts. A run without its definition allows nothing. */
export function phasePolicy(run: () => WorkflowRun | undefined, cwd: string, box: Pick<SessionBox, "works">): Policy {
	const places = projectPlaces(hostEnvironment(cwd));
	const isContained = async (call: ToolCall) => shellCommand(call) !== undefined && (await box.works());
	return {
		name: "phase",
		async judge(call, footprint) {
			const current = run();
			if (!current || !isActive(current) || call.tool === stepTool) return undefined;
			if (current.kind === "stale")
				return {
					decision: "deny",
					policy: "phase",
					rule: "definition-missing",
					reason: staleReason(current.missing),
					repeats: "unasked",
				};
			const { tools } = currentPhase(current);
			// This package's read-only tools (notebook, handoff) affect nothing that a phase limits. Only a blacklist that names one stops it.
			if (call.own && call.annotations?.readOnlyHint && tools.kind !== "blacklist") return undefined;
			const first = judgeCall(tools, call, footprint, places);
			// What a list leaves unknown may run in the sandbox; a phase without `exec` runs no programs.
			const isOpen = first !== undefined && tools.kind !== "capabilities" && (await isContained(call));
			const stop = isOpen ? judgeCall(tools, call, () => containedFootprint(footprint()), places) : first;
			return stop && verdict(stop, blockReason(current, call.tool), blockAdvice(current));
		},
		async confines(call, footprint) {
			const current = run();
			if (!current || !isActive(current) || current.kind === "stale") return undefined;
			const need = containmentOf(currentPhase(current).tools, footprint());
			return need && (await isContained(call)) ? need : undefined;
		},
		forbidsChanges() {
			const current = run();
			if (!current || !isActive(current)) return false;
			return current.kind === "stale" || !changesAreMeant(currentPhase(current).tools);
		},
		forbidsTool(name) {
			const current = run();
			if (!current || !isActive(current)) return false;
			return current.kind === "stale" || isNameRefused(currentPhase(current).tools, name);
		},
	};
}

/** Refuses the calls that follow the model's step `step` in its message: the model wrote them before it read what the step led to. */
export function afterStepPolicy(step: string, did: StepAction): Policy {
	const follows = ({ tool, siblings }: ToolCall) => tool !== stepTool && siblings.some(({ id }) => id === step);
	return {
		name: "phase",
		ignores: (call) => !follows(call),
		judge: (call) =>
			follows(call)
				? {
						decision: "deny",
						policy: "phase",
						rule: "after-step",
						reason: afterStepText(did),
						advice: "Make the call in your next message if it is still right.",
						repeats: "unasked",
					}
				: undefined,
	};
}

/** The verdict on a call that a phase's limits stop. `reason` explains the refusal; `advice` suggests an alternative. */
export function verdict(stop: Stop, reason: string, advice: string): Verdict {
	const why = stopText(stop);
	return {
		decision: "deny",
		policy: "phase",
		rule: stopRule(stop),
		reason: why === undefined ? reason : `${reason}\n${why}`,
		advice,
		// Workflows run unattended, so a model that hits the same limit again is no reason to stop and wait for the user.
		repeats: "unasked",
	};
}
