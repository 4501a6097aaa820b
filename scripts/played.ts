// The table of docs/benchmarks.md, from the transcripts of the plays.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type PlayTranscript, sharePercent } from "../packages/pi-chronicle/src/tools/rehearsal/by-hand/transcript.ts";
import { parseTranscript } from "../packages/pi-chronicle/src/tools/rehearsal/by-hand/transcript-file.ts";
import { playedFigures } from "../packages/pi-chronicle/test/played/figures.ts";

const folder = fileURLToPath(new URL("../packages/pi-chronicle/test/played", import.meta.url));

/** One row for each transcript, then the sums; a sentence if there are none. */
export function playedTable(): string {
	const played = readdirSync(folder)
		.filter((name) => name.endsWith(".yaml"))
		.sort()
		.map((name) => readPlay(name));
	if (played.length === 0) return "No transcripts are recorded.";
	const finished = played.filter(({ transcript }) => transcript.outcome === "done").length;
	const lost = played.reduce((sum, { transcript }) => sum + playedFigures(transcript).factsLost, 0);
	return [
		"| play | finished | requests | calls | refused | of these moves | questions | decisions | facts saved | facts lost | characters | by pi-chronicle |",
		"|---|---|---|---|---|---|---|---|---|---|---|---|",
		...played.map(({ name, transcript }) => rowOf(name, transcript)),
		"",
		`Finished: ${finished} of ${played.length}. Facts lost: ${lost}.`,
	].join("\n");
}

function readPlay(name: string): { readonly name: string; readonly transcript: PlayTranscript } {
	const transcript = parseTranscript(readFileSync(`${folder}/${name}`, "utf8"));
	if (typeof transcript === "string") throw new Error(`${name}: ${transcript}`);
	return { name: name.replace(/\.yaml$/, ""), transcript };
}

function rowOf(name: string, transcript: PlayTranscript): string {
	const { outcome, figures: sizes } = transcript;
	const figures = playedFigures(transcript);
	const cells = [
		name,
		outcome === "done" ? "yes" : "no",
		...[figures.requests, figures.calls, figures.refusedCalls, figures.wrongTargets],
		...[figures.questions, figures.decisions, figures.factsSaved, figures.factsLost],
		sizes.characters.toLocaleString("en"),
		`${sharePercent(sizes)} %`,
	];
	return `| ${cells.join(" | ")} |`;
}
