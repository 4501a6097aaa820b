// The first message of every worker, made from one brief. Pure; the only place that composes it.
// A part that does not apply is left out; the user's words are verbatim and marked, all else is marked as the program's.
import { counted } from "../definition/index.ts";
import { type LaunchReason, markMessage, type Run, type RunDecision } from "../machine/index.ts";
import type { WorkerAbilities } from "../ports/index.ts";
import { endingOf, inFlightOf, isSetBack, queuedFor, undoneCallsOf } from "./brief-of-run.ts";
import type { CandidateChild, Ending, FirstMessageBrief, Target, Task } from "./first-message-brief.ts";
import { inFlightText, introduction, setBackText } from "./introduction.ts";
import { knownText } from "./known.ts";
import { listTexts } from "./list-text.ts";
import { beginning, shortenTexts } from "./shorten.ts";

/** Bytes of all decisions, and of those that a rewind undid among them. */
const decisionBytes = 8192;
const undoneBytes = 2048;

/** Characters of the words and of the subject of an undone decision. */
const undoneWords = 200;

interface DecidedOptions {
	/** Never left out. */
	readonly unread?: ReadonlySet<RunDecision>;
	/** Has all of them; absent: none is left out. */
	readonly file?: string;
}

/** Markdown without a title; empty if the user decided nothing. */
function decidedText(decisions: readonly RunDecision[], { unread, file }: DecidedOptions = {}): string {
	const valid = decisions.filter(({ undone }) => undone === undefined);
	const undone = decisions.filter((decision) => decision.undone !== undefined);
	const gone = undoneText(undone, file);
	const first =
		file === undefined ? 0 : firstThatFits(valid, unread ?? new Set(), decisionBytes - Buffer.byteLength(gone));
	return [
		first === 0 ? "" : `${first} older ${first === 1 ? "decision is" : "decisions are"} in ${file}: read it.`,
		valid.slice(first).map(decisionText).join("\n"),
		gone,
	]
		.filter((part) => part !== "")
		.join("\n\n");
}

/** One decision, with the words verbatim. */
function decisionText({ did, about, child, visit, state, words }: RunDecision): string {
	const where = child === undefined ? `visit ${visit}, ${state}` : `child "${child}"`;
	const subject = about === undefined ? "" : did === "answered" ? ` “${about}”` : ` ${about}`;
	return `- ${did}${subject} (${where})${words === "" ? "" : `:\n<user>${words}</user>`}`;
}

/** What rewinds undid: the beginning of each decision, as many of the newest as fit; with no `file`, all of it. */
function undoneText(undone: readonly RunDecision[], file: string | undefined): string {
	if (undone.length === 0) return "";
	const short = file === undefined ? undone : undone.map(shortDecision);
	const first = file === undefined ? 0 : firstThatFits(short, new Set(), undoneBytes);
	const cut = file !== undefined && (first > 0 || short.some((one, at) => one !== undone[at]));
	return [
		`Undone, because the user set the run back to before them${cut ? ` (${undone.length} in all, whole in ${file})` : ""}:`,
		...short.slice(first).map(decisionText),
	].join("\n");
}

function shortDecision(decision: RunDecision): RunDecision {
	const { words, about = "" } = decision;
	if (Math.max(words.length, about.length) <= undoneWords) return decision;
	const short = { ...decision, words: beginning(words, undoneWords) };
	return about === "" ? short : { ...short, about: beginning(about, undoneWords) };
}

/** Index of the first decision from which on all fit. */
function firstThatFits(decisions: readonly RunDecision[], unread: ReadonlySet<RunDecision>, bytes: number): number {
	let left = bytes;
	const last = decisions.length - 1;
	const tooMany = decisions.findLastIndex((decision, at) => {
		left -= Buffer.byteLength(decisionText(decision)) + 1;
		return left < 0 && at < last && !unread.has(decision);
	});
	return tooMany + 1;
}

/** The message of a new conversation. */
export function firstMessageText(brief: FirstMessageBrief): string {
	const { state, decisions, unread, file, unmeasured, known, abilities } = brief;
	const decided = decidedText(decisions, { unread, file });
	const told = [state.instructions, state.description, brief.task.text].join("\n");
	return markMessage(
		joined([
			...introduction(brief),
			briefTaskText(brief.task, file),
			decided === ""
				? ""
				: `## What the user decided\n\nOldest first. Each overrides those before it, and what is known below.\n\n${decided}`,
			state.instructions === undefined ? "" : `## Instructions for this state\n\n${state.instructions}`,
			choiceText(brief.candidates, file),
			`## What is known\n\n${joined([knownText(known, { file, edits: abilities?.edits ?? true, told }), ...unmeasured])}`,
			`## How to end\n\n${howToEnd(brief.ending, abilities?.edits)}`,
		]),
	);
}

/** Everything that the brief knows, unabridged, as a file. */
export function fullHandover({ run, state, task, decisions, candidates, known }: FirstMessageBrief): string {
	const decided = decidedText(decisions);
	return `${joined([
		`# ${run}: what "${state.name}" starts with`,
		briefTaskText(task),
		decided === "" ? "" : `## What the user decided\n\n${decided}`,
		choiceText(candidates),
		`## What is known\n\n${knownText(known)}`,
	])}\n`;
}

/** Maximum characters of the task of the whole run beside the worker's own. */
const shownWhole = 1000;

/** `file` has all of it; without it, nothing is shortened. */
function briefTaskText({ text, by, whole = "" }: Task, file?: string): string {
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

/** How the state ends, with the meaning of each target. `edits`: whether the worker may write files. */
function howToEnd({ targets, lists }: Ending, edits = true): string {
	const lines = targets.map(targetLine).join("\n");
	return `Save what later states need with \`workflow_update_snapshot\` once you know it. End with \`workflow_transition\`, to one of these:\n${[lines, ...listTexts(lists, edits)].join("\n\n")}`;
}

function targetLine({ name, meaning, data, abilities, children, approved }: Target): string {
	const who = children ?? (abilities ? doings(abilities) : "");
	return `- \`${name}\`: ${meaning}${data ? ", with `data`" : ""}${who === "" ? "" : ` (${who})`}${approved ? "; the user must approve" : ""}`;
}

function doings({ edits, runs, other }: WorkerAbilities): string {
	const can = ["reads", ...(edits ? ["edits"] : []), ...(runs ? ["runs commands"] : []), ...(other ? ["more"] : [])];
	return can.length === 1 ? "only reads" : can.join(", ");
}

function joined(parts: readonly string[]): string {
	return parts.filter((part) => part !== "").join("\n\n");
}

export function continuedText(run: Run, because: LaunchReason): string {
	const { decisions, texts } = queuedFor(run);
	return markMessage(
		joined([
			reasonText(because),
			isSetBack(run) ? setBackText(undoneCallsOf(run)) : "",
			inFlightText(inFlightOf(run)),
			decisions.length === 0 ? "" : `The user decided:\n${decisions.map(decisionText).join("\n")}`,
			...texts,
			`Continue the state "${run.state}" from where you stopped.`,
			howToEnd(endingOf(run)),
		]),
	);
}

function reasonText(because: LaunchReason): string {
	switch (because) {
		case "interrupted":
			return "You were interrupted: the process that ran you ended. Your conversation up to here is complete.";
		case "crashed":
			return "Your process ended unexpectedly. Your conversation up to here is complete.";
		case "timed_out":
			return "Your process was stopped because it took too long or was silent for too long. Work in smaller steps, and save findings early.";
		case "provider_error":
			return "The model's provider failed for a while.";
		case "rejected":
			return "The user did not approve the move that you requested.";
		case "resumed":
			return "The run was paused and has been resumed.";
		case "answered":
			return "The user has answered your question: see the result of `ask_user`.";
		case "entered":
		case "repeated":
		case "session_lost":
			return "The state continues.";
	}
}
