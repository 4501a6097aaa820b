// The first message of every worker, made from one brief. Pure; the only place that composes it.
// M1 a part that does not apply is left out; M2 the user's words are verbatim and marked, all else is marked as the program's.
import { counted } from "../../../definition/index.ts";
import { markMessage } from "../machine/index.ts";
import type { WorkerAbilities } from "../ports/index.ts";
import { decidedText } from "./decided.ts";
import type { CandidateChild, Ending, FirstMessageBrief, Target, Task } from "./first-message-brief.ts";
import { introduction } from "./introduction.ts";
import { knownText } from "./known.ts";
import { beginning, shortenTexts } from "./shorten.ts";

/** The message of a new conversation. */
export function firstMessageText(brief: FirstMessageBrief): string {
	const { state, decisions, unread, file, unmeasured, known, abilities } = brief;
	const decided = decidedText(decisions, { unread, file });
	return markMessage(
		joined([
			...introduction(brief),
			taskText(brief.task, file),
			decided === ""
				? ""
				: `## What the user decided\n\nOldest first. Each overrides those before it, and what is known below.\n\n${decided}`,
			state.instructions === undefined ? "" : `## Instructions for this state\n\n${state.instructions}`,
			choiceText(brief.candidates, file),
			`## What is known\n\n${joined([knownText(known, { file, edits: abilities?.edits ?? true }), ...unmeasured])}`,
			`## How to end\n\n${howToEnd(brief.ending)}`,
		]),
	);
}

/** Everything that the brief knows, unabridged, as a file. */
export function fullHandover({ run, state, task, decisions, candidates, known }: FirstMessageBrief): string {
	const decided = decidedText(decisions);
	return `${joined([
		`# ${run}: what "${state.name}" starts with`,
		taskText(task),
		decided === "" ? "" : `## What the user decided\n\n${decided}`,
		choiceText(candidates),
		`## What is known\n\n${knownText(known)}`,
	])}\n`;
}

/** Maximum characters of the task of the whole run beside the worker's own. */
const shownWhole = 1000;

/** `file` has all of it; without it, nothing is shortened. */
function taskText({ text, by, whole = "" }: Task, file?: string): string {
	const title = {
		user: "The task, as the user wrote it",
		template: "Your task, made from the template",
		merge: "Your task, from pi-chronicle",
	}[by];
	const shown =
		file === undefined || whole.length <= shownWhole ? whole : `${beginning(whole, shownWhole)} (whole in ${file})`;
	return joined([
		`## ${title}\n\n${text}`,
		whole === "" ? "" : `The task of the whole run, as the user wrote it:\n\n${shown}`,
	]);
}

/** Maximum bytes of what the children that the worker chooses from have done. */
const choiceBytes = 12_000;

/** The children that the worker chooses from: what they did, and where their files are. `file` as in `taskText`. */
function choiceText(candidates: readonly CandidateChild[], file?: string): string {
	if (candidates.length === 0) return "";
	const lines = candidates.map(({ name, summary, folder, files }) => {
		const changed = files === undefined ? "" : `(${counted(files, "file")} changed) `;
		return `- \`${name}\`${folder === undefined ? "" : `, files in ${folder}`}: ${changed}${summary || "done"}`;
	});
	const { texts, cut } = file === undefined ? { texts: lines, cut: [] } : shortenTexts(lines, choiceBytes);
	return [
		"## Choose one\n\nThese children have each done the work, and none of their files are in your folder yet. Read and compare them there; change nothing in them. Name the best one as `winner` in the data of your transition: its files are then merged into yours, and those of the others are dropped.",
		texts.join("\n"),
		...(cut.length === 0 ? [] : [`Shortened here: ${counted(cut.length, "summary", "summaries")}. Whole in ${file}.`]),
	].join("\n\n");
}

/** How the state ends, with the meaning of each target. */
export function howToEnd({ targets, data }: Ending): string {
	const lines = targets.map(targetLine).join("\n");
	return `Save what later states need with \`workflow_update_snapshot\` as soon as you know it. End with \`workflow_transition\`${data ? ", with `data` that matches its schema" : ""}, to one of these:\n${lines}`;
}

function targetLine({ name, meaning, abilities, children, approved }: Target): string {
	const who = children ?? (abilities ? doings(abilities) : "");
	return `- \`${name}\`: ${meaning}${who === "" ? "" : ` (${who})`}${approved ? "; the user must approve" : ""}`;
}

function doings({ edits, runs, other }: WorkerAbilities): string {
	const can = ["reads", ...(edits ? ["edits"] : []), ...(runs ? ["runs commands"] : []), ...(other ? ["more"] : [])];
	return can.length === 1 ? "only reads" : can.join(", ");
}

export function joined(parts: readonly string[]): string {
	return parts.filter((part) => part !== "").join("\n\n");
}
