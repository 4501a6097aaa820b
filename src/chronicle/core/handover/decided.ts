// What the user decided, as text: every word, in order.
// D1 a decision is whole or left out; the newest are whole, and so is every one that no worker has read yet; D2 what is left out is counted,
// with the file that has it; D3 what a rewind undid is named.
import type { RunDecision } from "../machine/index.ts";
import { beginning } from "./shorten.ts";

/** Bytes of all decisions, and of those that a rewind undid among them. */
const decisionBytes = 8192;
const undoneBytes = 2048;

/** Characters of the words and of the subject of an undone decision. */
const undoneWords = 200;

export interface DecidedOptions {
	/** Never left out. */
	readonly unread?: ReadonlySet<RunDecision>;
	/** Has all of them; absent: none is left out. */
	readonly file?: string;
}

/** Markdown without a title; empty if the user decided nothing. */
export function decidedText(decisions: readonly RunDecision[], { unread, file }: DecidedOptions = {}): string {
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
export function decisionText({ did, about, child, visit, state, words }: RunDecision): string {
	const where = child === undefined ? `visit ${visit}, ${state}` : `child "${child}"`;
	const subject = about === undefined ? "" : did === "answered" ? ` “${about}”` : ` ${about}`;
	return `- ${did}${subject} (${where})${words === "" ? "" : `:\n<user>${words}</user>`}`;
}

/** What rewinds undid: the beginning of each decision, as many of the newest as fit; with no `file`, all of it. */
function undoneText(undone: readonly RunDecision[], file: string | undefined): string {
	if (undone.length === 0) return "";
	const short = file === undefined ? undone : undone.map(shortened);
	const first = file === undefined ? 0 : firstThatFits(short, new Set(), undoneBytes);
	const cut = file !== undefined && (first > 0 || short.some((one, at) => one !== undone[at]));
	return [
		`Undone, because the user set the run back to before them${cut ? ` (${undone.length} in all, whole in ${file})` : ""}:`,
		...short.slice(first).map(decisionText),
	].join("\n");
}

function shortened(decision: RunDecision): RunDecision {
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
