// Asks the user who resolves the conflicts of a join.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { choosePerson, printable } from "../../../pi/index.ts";
import type { Approval, ApprovalQuestion, ConflictChoice, Run } from "../../core/index.ts";
import { questionLines, questionTitle } from "../text/index.ts";

const words: Readonly<Record<ConflictChoice, string>> = {
	worker: "Let a worker resolve them",
	hand: "I have resolved them in the folder",
	ours: "Take the earlier side",
	theirs: "Take the later child",
};

/** `undecided` if the user postpones it. */
export async function askConflict(
	ctx: ExtensionContext,
	question: ApprovalQuestion,
	run: Run,
	{ signal, uncalled }: { readonly signal: AbortSignal; readonly uncalled: boolean },
): Promise<Approval> {
	const lines = questionLines(question, run, new Date().toISOString());
	const chosen = await choosePerson(ctx, {
		title: printable(questionTitle(question)),
		message: printable(lines.join("\n")),
		options: Object.values(words),
		leave: "Esc later",
		signal,
		uncalled,
	});
	const choice = (Object.keys(words) as ConflictChoice[]).find((one) => words[one] === chosen);
	return choice ? { kind: "approved", choice } : { kind: "undecided" };
}
