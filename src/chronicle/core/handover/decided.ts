// What the user decided, as text: every word, in order.
// D1 a decision is whole or left out; the newest are whole, and so is every one that no worker has read yet; D2 what is left out is counted,
// with the file that has it; D3 what a rewind undid is named.
import type { RunDecision } from "../machine/index.ts";

const decisionBytes = 8192;

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
	const first = file === undefined ? 0 : firstThatFits(valid, unread ?? new Set());
	return [
		first === 0 ? "" : `${first} older ${first === 1 ? "decision is" : "decisions are"} in ${file}: read it.`,
		valid.slice(first).map(decisionText).join("\n"),
		undone.length === 0
			? ""
			: `Undone, because the user set the run back to before them:\n${undone.map((one) => undoneText(one, file)).join("\n")}`,
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

function undoneText(decision: RunDecision, file: string | undefined): string {
	const { words } = decision;
	const isLong = file !== undefined && words.length > undoneWords;
	return decisionText(isLong ? { ...decision, words: `${words.slice(0, undoneWords)}…` } : decision);
}

/** Index of the first decision from which on all fit. */
function firstThatFits(decisions: readonly RunDecision[], unread: ReadonlySet<RunDecision>): number {
	let left = decisionBytes;
	const last = decisions.length - 1;
	const tooMany = decisions.findLastIndex((decision, at) => {
		left -= Buffer.byteLength(decisionText(decision)) + 1;
		return left < 0 && at < last && !unread.has(decision);
	});
	return tooMany + 1;
}
