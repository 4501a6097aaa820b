// Figures and short phrases about a run: what it does now, what rewinds kept and undid, what its figures leave out. Pure.

import { counted } from "@pi-chronicle/core/definition";
import type { Visit } from "@pi-chronicle/core/history";
import type { ChildActivity, KeptState, Run, Spend } from "@pi-chronicle/core/machine";
import { liveTotals, type Measure, measures } from "@pi-chronicle/core/machine";
import { shortCost, shortCount, shortTime } from "../../pi/index.ts";
import { dayTime, timeOf } from "./names.ts";

/** The tool and its arguments. `args` is the line `key=value key=value` in the ledger. */
export function callText(tool: string, args: string): readonly [tool: string, words: string] {
	// The first argument identifies the call; its name adds nothing.
	return [tool, args.replace(/^[A-Za-z_]\w*=/, "")];
}

/** `bash npm test`, or what happens instead of a call. */
export function activityText({ stage, tool, args = "", next }: ChildActivity): string {
	if (next !== undefined) return `${stageTexts[stage]} until ${timeOf(next)}`;
	return tool === undefined ? stageTexts[stage] : callText(tool, args).join(" ").trim();
}

const stageTexts: Readonly<Record<ChildActivity["stage"], string>> = {
	launching: "starting a worker",
	working: "waiting for the model",
	stopping: "cleaning up, comparing files",
	restoring: "restoring files",
	children: "child runs running",
	awaiting_provider: "waiting for the provider",
};

/** The reason for waiting while the current worker is being stopped; `undefined` if none is. */
export function endingText({ stage, hold, calls }: Run): string | undefined {
	if (stage.kind !== "stopping" || stage.launch === null) return undefined;
	if (stage.how === "now" || !hold) return "stopping the worker";
	return calls.open.length > 0 ? "waiting for the call to end" : "waiting for the message to end";
}

/** `rewind kept-12  build, visit 3, 2026-01-02 10:20: 3 files changed by the rewind`. */
export function keptLine({ seq, at, visit, state, rewound }: KeptState): string {
	const what =
		rewound === null
			? "the rewind was not completed"
			: `${counted(rewound.files, "file")} changed by the rewind${rewound.left > 0 ? `, ${rewound.left} not restored` : ""}`;
	return `rewind kept-${seq}  ${state}, visit ${visit}, ${dayTime(at)}: ${what}`;
}

/** `1.2k tokens without a price, 3 answers without usage figures`; empty: nothing is left out. */
export function uncountedText({
	unmeteredTokens,
	unreportedAnswers = 0,
}: Pick<Spend, "unmeteredTokens" | "unreportedAnswers">): string {
	const unmetered = unmeteredTokens > 0 ? [`${shortCount(unmeteredTokens)} tokens without a price`] : [];
	const answers = unreportedAnswers === 1 ? "1 answer" : `${shortCount(unreportedAnswers)} answers`;
	return [...unmetered, ...(unreportedAnswers > 0 ? [`${answers} without usage figures`] : [])].join(", ");
}

export interface Undone {
	readonly visits: ReadonlySet<number>;
	readonly costUsd: number;
	readonly tokens: number;
}

export function undoneOf(visits: readonly Visit[]): Undone {
	const undone = visits.filter((visit) => visit.undone);
	return {
		visits: new Set(undone.map(({ number }) => number)),
		costUsd: undone.reduce((sum, { spend }) => sum + spend.costUsd, 0),
		tokens: undone.reduce((sum, { spend }) => sum + spend.tokens, 0),
	};
}

/** `2 visits undone by rewinds: 12.3k tokens, $0.42`; `undefined` if there are none. */
export function undoneText({ visits: { size }, costUsd, tokens }: Undone): string | undefined {
	if (size === 0) return undefined;
	return `${counted(size, "visit")} undone by rewinds: ${shortCount(tokens)} tokens, ${shortCost(costUsd)}`;
}

/** A figure with its unit. A ceiling has none, and `share` is how much of it is used, from 0. */
export interface Figure {
	readonly text: string;
	readonly limit?: { readonly text: string; readonly share: number } | undefined;
}

/** Milliseconds that the current worker has worked and that are not in the totals yet. `now` is ISO 8601. */
export function liveMs(run: Run, now: string): number {
	return liveTotals(run, now).activeMs - run.totals.activeMs;
}

/** Tokens, cost and active time of the run, or of its current state. `now` (ISO 8601): the time of a working worker is counted up to it. */
export function runFigures(run: Run, now: string, whose: "run" | "state"): Readonly<Record<Measure["figure"], Figure>> {
	const live = liveTotals(run, now);
	const { tokens = 0, costUsd = 0, activeMs = 0 } = run.states[run.state] ?? {};
	const ofState = { tokens, costUsd, activeMs: activeMs + liveMs(run, now) };
	const spent = whose === "run" ? live : ofState;
	const limits = measures(run, now).filter(({ state }) => (state === undefined) === (whose === "run"));
	const figure = (name: Measure["figure"], show: (value: number) => string, unit = ""): Figure => {
		const measure = limits.find((one) => one.figure === name && one.ceiling > 0);
		const limit = measure && { text: show(measure.ceiling), share: measure.spent / measure.ceiling };
		return { text: `${show(spent[name])}${unit}`, limit };
	};
	return {
		tokens: figure("tokens", shortCount, " tokens"),
		costUsd: figure("costUsd", shortCost),
		activeMs: figure("activeMs", shortTime),
	};
}
