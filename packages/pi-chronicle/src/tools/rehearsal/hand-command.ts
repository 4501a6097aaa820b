// `pi-chronicle rehearse --by-hand` and `--replay`: who plays, where the transcript goes, and what is printed at the end.
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { attempt, replaceFileSync } from "../../disk/index.ts";
import {
	compareTranscripts,
	folderProblem,
	openFilesPlayer,
	openReplayPlayer,
	openTerminalPlayer,
	type PlayTranscript,
	parseTranscript,
	sharePercent,
	writeTranscript,
} from "./by-hand/index.ts";
import type { OpenPlayer } from "./by-hand.ts";
import type { RehearsalReport } from "./rehearse.ts";

/** Where a player answers: in this terminal, or in a folder (absolute). */
type HandPlace = { readonly kind: "terminal" } | { readonly kind: "folder"; readonly folder: string };

export interface HandOptions {
	readonly place: HandPlace;
	/** File for the transcript, absolute. */
	readonly transcript: string | undefined;
	/** Minutes without an answer after which the rehearsal ends. */
	readonly waitMinutes: number;
}

/** Minutes that a play over files waits for one answer by default. */
export const defaultWaitMinutes = 60;

/** An open player. */
export interface OpenHand {
	readonly open: OpenPlayer;
	/** Publishes the result: writes the transcript, and returns the lines for the end of the report. */
	finish(report: RehearsalReport, lines: readonly string[]): string[];
	/** Who answers, for the report's first lines. */
	readonly who: string;
	/** Of a replay: whether the run went as before. */
	held?(report: RehearsalReport): boolean;
	close(): void;
}

/** Why a play cannot start; `undefined`: it can. */
export function handProblem({ place, transcript }: HandOptions): string | undefined {
	if (transcript !== undefined && existsSync(transcript)) return `The file for the transcript exists: ${transcript}.`;
	return place.kind === "folder" ? folderProblem(place.folder) : undefined;
}

export function openHand({ place, transcript, waitMinutes }: HandOptions): OpenHand {
	const player =
		place.kind === "folder"
			? { ...openFilesPlayer(place.folder, waitMinutes * 60_000), close: () => {} }
			: openTerminalPlayer({ input: process.stdin, write: (text) => void process.stdout.write(text) });
	const who = place.kind === "folder" ? `in ${place.folder}: how-to-answer.md there says how` : "in this terminal";
	return {
		who: `You answer for the model, ${who}. No cost.`,
		open: () => player,
		finish(report, lines) {
			const file = transcript ?? (place.kind === "folder" ? join(place.folder, "transcript.yaml") : undefined);
			const more = [...playedLines(report), ...saveTranscript(report, file)];
			player.finish([`# ${report.outcome === "done" ? "Done" : "Stopped"}`, "", ...lines, ...more]);
			return more;
		},
		close: () => player.close(),
	};
}

function saveTranscript({ transcript }: RehearsalReport, file: string | undefined): string[] {
	if (!transcript || file === undefined) return [];
	replaceFileSync(file, writeTranscript(transcript));
	return [`Transcript: ${file}`];
}

function playedLines({ gaveUp, transcript, result }: RehearsalReport): string[] {
	return [
		...(result === undefined ? [] : ["", "Result of the run:", result, ""]),
		...(gaveUp === undefined ? [] : [gaveUp]),
		...(transcript ? [sizeLine(transcript)] : []),
	];
}

function sizeLine({ entries, figures }: PlayTranscript): string {
	const requests = entries.filter(({ kind }) => kind === "model").length;
	return `Requests: ${requests}, ${figures.characters.toLocaleString("en")} characters in all, ${sharePercent(figures)} % of them by pi-chronicle.`;
}

/** The transcript in a file, relative to here; a string says why it cannot be read. */
export function openTranscript(file: string): PlayTranscript | string {
	const path = resolve(file);
	const text = attempt(() => readFileSync(path, "utf8"));
	if (text === undefined) return `The transcript cannot be read: ${path}.`;
	const read = parseTranscript(text);
	return typeof read === "string" ? `${path}: ${read}` : read;
}

/** Replays a transcript. `transcript`: file for the one of the replay, absolute. */
export function openReplay(then: PlayTranscript, transcript: string | undefined): OpenHand {
	const compare = (report: RehearsalReport) => report.transcript && compareTranscripts(then, report.transcript);
	return {
		who: "A transcript answers for the model. No cost.",
		open: (around) => openReplayPlayer(then, around),
		finish(report) {
			const found = compare(report);
			return [
				...playedLines(report),
				...(found?.differences.length
					? ["Requests that read differently now:", ...found.differences]
					: ["Every request reads as before."]),
				...(found?.breaks.length ? ["The run went differently:", ...found.breaks.map((line) => `  ${line}`)] : []),
				...saveTranscript(report, transcript),
			];
		},
		held: (report) => report.gaveUp === undefined && compare(report)?.breaks.length === 0,
		close: () => {},
	};
}
