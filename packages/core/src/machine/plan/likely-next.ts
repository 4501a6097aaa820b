// Predicts the next launch, so that its worker can start early. Pure. A wrong prediction only costs time: the launch itself decides.
// Only the first process of a new conversation is predicted: continuing one needs its session; a launch that the run may not make in
// its current state is not predicted.
import { HUMAN_INTERVENTION } from "../../template/index.ts";
import type { LaunchId } from "../run/launch.ts";
import type { Run, Stopping } from "../run/run.ts";
import { judgeMove } from "./moves.ts";
import { planOf } from "./plan.ts";

export interface NextLaunch {
	readonly state: string;
	readonly launch: LaunchId;
}

/** The launch that most likely follows the current worker, or the current wait; `undefined` if none is likely enough. */
export function likelyNext(run: Run): NextLaunch | undefined {
	const { stage, state, visit, attempt } = run;
	if (run.hold) return undefined;
	switch (stage.kind) {
		case "launching":
		case "working":
			return entering(run, likelyTarget(run), visit + 1);
		case "stopping":
			return afterStop(run, stage);
		case "asking": {
			const { target, side } = stage.question;
			return side === "entry" && target === state ? entering(run, state, visit) : entering(run, target, visit + 1);
		}
		case "baselining":
			return attempt === 0 ? entering(run, state, visit) : undefined;
		case "deciding":
		case "children":
		case "restoring":
		case "awaiting_provider":
		case "waiting":
		case "over":
			return undefined;
	}
}

function afterStop(run: Run, { after }: Stopping): NextLaunch | undefined {
	switch (after.kind) {
		case "enter":
			return entering(run, run.state, run.visit);
		case "ask":
			return planOf(run).terminal ? undefined : entering(run, after.target, run.visit + 1);
		case "repeat":
			return entering(run, run.state, run.visit, run.attempt + 1);
		case "again":
		case "take":
		case "finish":
		case "rewind":
			return undefined;
	}
}

function entering(run: Run, state: string | undefined, visit: number, attempt = 1): NextLaunch | undefined {
	if (state === undefined || state === HUMAN_INTERVENTION) return undefined;
	return planOf(run, state).persona ? { state, launch: { visit, attempt, launch: 1 } } : undefined;
}

/** The only target of the current state; among several, the one taken most often so far; on a tie, the latest. */
function likelyTarget(run: Run): string | undefined {
	const targets = planOf(run).next.filter((target) => target !== run.state && target !== HUMAN_INTERVENTION);
	const [only, second] = targets;
	const target = second === undefined ? only : mostFrequentTarget(run, targets);
	return target !== undefined && judgeMove(run, target).kind === "move" ? target : undefined;
}

function mostFrequentTarget({ history, state }: Run, targets: readonly string[]): string | undefined {
	const taken = new Map<string, number>();
	let most: string | undefined;
	for (const { from, to } of history) {
		if (from !== state || !targets.includes(to)) continue;
		const count = (taken.get(to) ?? 0) + 1;
		taken.set(to, count);
		if (most === undefined || count >= (taken.get(most) ?? 0)) most = to;
	}
	return most;
}
