// A coverage rehearsal: plays the planned runs one after another, each on its own copy of the project, and collects their evidence.
// An item counts as covered only by the evidence of a run, never because it was planned. The number of runs and the time are bounded; items
// beyond a bound count as not covered.
import {
	type CoverageItem,
	type CoveragePlan,
	type Evidence,
	type Excluded,
	NOT_STARTED,
	type PlannedRun,
} from "./every/index.ts";
import { type Playable, type Program, type RehearsalHost, rehearse } from "./rehearse.ts";

/** Default bounds of a rehearsal. */
export const defaultBounds = { runs: 200, minutes: 20 } as const;

export interface CoverageReport {
	readonly program: Program;
	/** `complete`: everything reachable was covered, and what was refused stayed refused. */
	readonly outcome: "complete" | "incomplete";
	readonly covered: readonly CoverageItem[];
	readonly notCovered: readonly Excluded[];
	/** What should have been refused and was not. */
	readonly notEnforced: readonly Excluded[];
	readonly unreachable: readonly Excluded[];
	readonly runs: readonly PlayedRun[];
	/** The bound that ended the rehearsal before its last run. */
	readonly bound: "runs" | "time" | undefined;
}

export interface PlayedRun {
	readonly title: string;
	/** How it ended, in a short clause. */
	readonly end: string;
	readonly ms: number;
}

export interface CoverageOptions {
	readonly maxRuns: number;
	readonly maxMs: number;
	/** Called after each run; `of`: how many are planned. */
	readonly onRun?: (run: PlayedRun, number: number, of: number) => void;
	readonly signal?: AbortSignal;
}

/** Plays all runs of a plan and reports. Throws only if a copy of the project cannot be made. */
export async function rehearseEvery(
	{ program: scripted, coverage }: Playable,
	host: RehearsalHost,
	{ maxRuns, maxMs, onRun, signal }: CoverageOptions,
): Promise<CoverageReport> {
	const { plan, play, commands } = coverage();
	const program = { ...scripted, scenario: undefined };
	const time = AbortSignal.timeout(maxMs);
	const stop = signal ? AbortSignal.any([signal, time]) : time;
	const shown: { run: PlannedRun; evidence: Evidence }[] = [];
	const runs: PlayedRun[] = [];
	for (const run of plan.runs.slice(0, maxRuns)) {
		if (stop.aborted) break;
		const startedAt = Date.now();
		let evidence: Evidence = { covered: new Set(), broken: new Map(), end: "it was stopped" };
		const report = await rehearse(
			{
				program,
				config: { script: run.script, ...(commands ? { commands: commands(run.script) } : {}) },
				async play(scene) {
					const ended = await play(scene, run.atStart);
					evidence = ended.evidence;
					return ended;
				},
			},
			host,
			{ afterwards: "remove", signal: stop },
		);
		if (stop.aborted) break;
		shown.push({ run, evidence });
		// A run without evidence has written the reason to stderr.
		const end = evidence.end === NOT_STARTED ? `${evidence.end}. ${report.errors}` : evidence.end;
		const played = { title: run.title, end, ms: Date.now() - startedAt };
		runs.push(played);
		onRun?.(played, runs.length, plan.runs.length);
	}
	const bound = runs.length === plan.runs.length ? undefined : time.aborted ? "time" : "runs";
	return { program, ...tally(plan, shown), runs, bound };
}

type Tally = Pick<CoverageReport, "outcome" | "covered" | "notCovered" | "notEnforced" | "unreachable">;

export function tally(
	{ items, unreachable, skipped = [] }: CoveragePlan,
	shown: readonly { readonly run: PlannedRun; readonly evidence: Evidence }[],
): Tally {
	const broken = new Map(shown.flatMap(({ evidence }) => [...evidence.broken]));
	const covered = new Set(shown.flatMap(({ evidence }) => [...evidence.covered]));
	const notEnforced = items.flatMap((item) => {
		const why = broken.get(item.id);
		return why === undefined ? [] : [{ ...item, why }];
	});
	const notCovered = items
		.filter(({ id }) => !covered.has(id) && !broken.has(id))
		.map((item) => {
			const tried = shown.filter(({ run }) => run.covers.includes(item.id));
			const why = tried.length === 0 ? "no run reached it" : `tried, but ${tried.at(-1)?.evidence.end}`;
			return { ...item, why };
		});
	const complete = notEnforced.length === 0 && notCovered.length === 0 && skipped.length === 0;
	return {
		outcome: complete ? "complete" : "incomplete",
		covered: [...items, ...unreachable].filter(({ id }) => covered.has(id) && !broken.has(id)),
		notCovered: [...notCovered, ...skipped],
		notEnforced,
		unreachable: unreachable.filter(({ id }) => !covered.has(id)),
	};
}
