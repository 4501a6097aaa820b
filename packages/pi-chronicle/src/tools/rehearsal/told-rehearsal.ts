// Plays a definition and tells what happens, as it happens: for the command line and for `/rehearse`.
import type { OpenHand } from "./hand-command.ts";
import { type Playable, type RehearsalHost, type RehearsalOptions, rehearse } from "./rehearse.ts";
import { type CoverageOptions, rehearseEvery } from "./rehearse-every.ts";
import { closingLines, coverageClosing, coverageOpening, openingLines, runLine, visitLines } from "./report.ts";

export interface Telling {
	/** `tone`: a warning if it did not go as it should. */
	say(lines: readonly string[], tone?: "warning"): void;
	readonly signal: AbortSignal;
}

/** A finished rehearsal: its report, and whether it went as it should. */
interface Told {
	readonly isFine: boolean;
	readonly report: object;
}

/** Plays a definition once; `hand`: the player who answers. */
export async function tellRehearsal(
	planned: Playable,
	host: RehearsalHost,
	{ say, signal }: Telling,
	{ afterwards, hand }: Pick<RehearsalOptions, "afterwards"> & { readonly hand?: OpenHand | undefined },
): Promise<Told> {
	say(openingLines(planned.program, host.cwd, hand?.who));
	const report = await rehearse(planned, host, {
		onVisit: (visit) => say(visitLines(visit)),
		onLine: (line) => say([line]),
		afterwards,
		signal,
		byHand: hand?.open,
	});
	const closing = closingLines(report);
	const more = hand?.finish(report, closing) ?? [];
	const isFine = report.outcome === "done" && hand?.held?.(report) !== false;
	if (!signal.aborted) say([...closing, ...more], isFine ? undefined : "warning");
	return { isFine, report };
}

/** Plays every planned run. */
export async function tellCoverage(
	planned: Playable,
	host: RehearsalHost,
	{ say, signal }: Telling,
	bounds: Pick<CoverageOptions, "maxRuns" | "maxMs">,
): Promise<Told> {
	say(coverageOpening(planned, host.cwd));
	const onRun: CoverageOptions["onRun"] = (run, number, of) => say([runLine(run, number, of)]);
	const report = await rehearseEvery(planned, host, { ...bounds, onRun, signal });
	const isFine = report.outcome === "complete";
	if (!signal.aborted) say(coverageClosing(report), isFine ? undefined : "warning");
	return { isFine, report };
}
