// What a child may still use of the ceilings of its parents: a remainder of the whole tree as of one moment, and what that remainder already
// includes of the child's own use. Pure.
// T1 evaluated at any later moment, it is reduced by what the child has used since; T2 use that is running counts up to that moment.
import { allowanceOf } from "./budget.ts";
import { activityMs, workersBelow } from "./child-activity.ts";
import type { ChildRun } from "./child-group.ts";
import type { Ceilings, Run } from "./run.ts";
import { liveTotals } from "./totals.ts";

const figures = ["costUsd", "tokens", "activeMs"] as const;

export type SpendFigures = Pick<Ceilings, (typeof figures)[number]>;

export interface TreeCeilings {
	/** What all parents together still leave. */
	readonly left: SpendFigures;
	/** What of the child's use `left` includes. */
	readonly counted: Required<SpendFigures>;
	/** Whether `tokens` include tokens read from the cache; absent in rows of earlier versions: as the child counts. */
	readonly countCacheReads?: boolean;
}

type Used = Pick<Run["totals"], "costUsd" | "tokens" | "cacheRead" | "activeMs">;

/** What `child` of `parent` may use as of `now` (ISO 8601). `outer`: what the parent's own parents still leave it. */
export function ceilingsOf(
	parent: Run,
	child: Pick<ChildRun, "counted" | "activity">,
	now: string,
	outer?: SpendFigures,
): TreeCeilings {
	const { spend, activeMs } = child.counted;
	const { countCacheReads } = parent.plan.limits;
	return {
		left: leastOf(allowanceOf(parent, now), outer),
		counted: usedOf({ ...spend, activeMs: activeMs + activityMs(child.activity, now) }, countCacheReads),
		countCacheReads,
	};
}

/** What the child `run` may still use as of `now` (ISO 8601). */
export function remainderOf({ left, counted, countCacheReads }: TreeCeilings, run: Run, now: string): SpendFigures {
	const own = run.plan.limits.countCacheReads;
	const used = usedOf(liveTotals(run, now), countCacheReads ?? own);
	// Where the tree counts tokens differently from the child, only the tree's own count can tell when they are used up.
	const isComparable = countCacheReads === undefined || countCacheReads === own;
	const rest = figures.flatMap((figure) => {
		const most = left[figure];
		if (most === undefined || (figure === "tokens" && !isComparable)) return [];
		return [[figure, Math.max(0, most - (used[figure] - counted[figure]))] as const];
	});
	return Object.fromEntries(rest);
}

function usedOf({ costUsd, tokens, cacheRead, activeMs }: Used, countCacheReads: boolean): Required<SpendFigures> {
	return { costUsd, tokens: countCacheReads ? tokens : tokens - cacheRead, activeMs };
}

/** The smaller of each figure. */
export function leastOf(own: SpendFigures, outer: SpendFigures | undefined): SpendFigures {
	const least = figures.flatMap((figure) => {
		const limits = [own[figure], outer?.[figure]].filter((limit) => limit !== undefined);
		return limits.length === 0 ? [] : [[figure, Math.min(...limits)] as const];
	});
	return Object.fromEntries(least);
}

/** Milliseconds until the workers of the children use up the time of the run; `undefined`: none works, or no ceiling applies. */
export function childTimeLeft(run: Run, now: string): number | undefined {
	const working = workersBelow(run);
	const { activeMs } = allowanceOf(run, now);
	return run.stage.kind !== "children" || working === 0 || activeMs === undefined ? undefined : activeMs / working;
}
