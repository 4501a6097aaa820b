// A question about a run in the terminal: its work, changes, cost and status. Pure.

import type { Run } from "@pi-chronicle/core/machine";
import { type AnswerKey, answerKeys, dim, type Line, plain, type SheetSpec, wrapParts } from "../../tui/index.ts";
import { crumbsOf } from "../phrases/index.ts";
import { changedFile, patchPage } from "./patch.ts";
import { crumbLine, separatorOf } from "./timeline.ts";

type Body = SheetSpec<never>["body"];

/** Begins the line of an approval with the cost. */
const costLabel = "So far: ";

/** The answers to an approval. `diff` comes first: a stray Enter only shows the diff. `choose`: approves with another child than the worker's. */
export type ApprovalAnswer = "diff" | "approve" | "choose" | "reject" | "elsewhere" | "tell" | "later";

const letters: Readonly<Record<ApprovalAnswer, AnswerKey>> = {
	diff: answerKeys.changes,
	approve: answerKeys.approve,
	choose: answerKeys.another,
	reject: answerKeys.reject,
	elsewhere: answerKeys.elsewhere,
	tell: answerKeys.tell,
	later: answerKeys.later,
};

export interface AskedText {
	readonly title: string;
	readonly text: string;
	readonly choices: readonly string[];
	readonly ownWords: string;
	readonly uncalled: boolean;
}

/** A worker's question. Other words come first: a stray Enter only opens the line for them. */
export function askedSheet(
	{ title, text, choices, ownWords, uncalled }: AskedText,
	run: Run,
): SheetSpec<number | "words"> {
	const proposed = choices.map((words, index) => ({ value: index, words, key: `${index + 1}` as const }));
	return {
		title,
		body: approvalBody(text.split("\n"), run),
		choices: [{ value: "words", words: ownWords, key: answerKeys.ownWords }, ...proposed],
		leave: "Esc later",
		uncalled,
	};
}

export interface ApprovalText {
	readonly title: string;
	readonly lines: readonly string[];
	readonly words: Readonly<Partial<Record<ApprovalAnswer, string>>>;
	/** It opens automatically, not through a command of the user. */
	readonly uncalled: boolean;
	/** The changes, shown below the text; `cut`: there are more. */
	readonly diff?: { readonly patch: string; readonly cut: boolean } | undefined;
}

export function approvalSheet(
	{ title, lines, words, uncalled, diff }: ApprovalText,
	run: Run,
): SheetSpec<ApprovalAnswer> {
	const choices = (Object.keys(letters) as ApprovalAnswer[]).flatMap((value) => {
		const label = words[value];
		return label === undefined ? [] : [{ value, words: label, key: letters[value] }];
	});
	return { title, body: approvalBody(lines, run, diff), choices, leave: "Esc later", uncalled };
}

function approvalBody(lines: readonly string[], run: Run, diff?: ApprovalText["diff"]): Body {
	const crumbs = crumbsOf(run);
	const changes = diff && diff.patch !== "" ? [[plain("")], ...patchPage(diff.patch, diff).lines] : [];
	const draw = (width: number): Line[] => {
		const path = wrapParts(crumbs.map(crumbLine), separatorOf(crumbs), width);
		const text = linesOf(lines);
		// Below the cost; a worker's question has none.
		const cost = text.findIndex(([part]) => part?.text.startsWith(costLabel));
		if (cost === -1) return [...text, [plain("")], ...path];
		return [...text.slice(0, cost + 1), ...path, ...text.slice(cost + 1), ...changes];
	};
	return { kind: "drawn", draw };
}

/** Changed files styled, the cost dimmed, the rest plain. */
function linesOf(lines: readonly string[]): Line[] {
	return lines
		.join("\n")
		.split("\n")
		.map((text): Line => (text.startsWith(costLabel) ? [dim(text)] : changedFile(text)));
}
