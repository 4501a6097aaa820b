// Asks the user who resolves the conflicts of a join, and shows them.
import { chooseOption, printable, say } from "../../../pi/index.ts";
import type { Approval, ConflictChoice, Failure, ReadLedger, Result } from "../../core/index.ts";
import { diffConflicts } from "../../engine/index.ts";
import { handLine, questionLines, questionTitle } from "../phrases/index.ts";
import { type ApprovalRequest, showPatch } from "./approval-dialog.ts";

const words: Readonly<Record<ConflictChoice, string>> = {
	worker: "Let a worker resolve them",
	hand: "I have resolved them in the folder",
	ours: "Take the earlier side",
	theirs: "Take the later child",
};
const look = "Show the conflicts";
/** Letters that select an answer in the terminal. */
const keys = { [look]: "d", [words.worker]: "w", [words.hand]: "h", [words.ours]: "e", [words.theirs]: "l" };

/** `undecided` if the user postpones it. */
export async function askConflict(request: ApprovalRequest): Promise<Approval> {
	const { session, ctx, question, run, signal } = request;
	let { uncalled } = request;
	const read = await readLedger(request);
	const hand = read.ok ? ["", handLine({ ...read.value, run })] : [];
	const message = [...questionLines(question, run, new Date().toISOString()), ...hand].join("\n");
	while (!signal.aborted && !session.scope.closed) {
		const chosen = await chooseOption(ctx, {
			title: printable(questionTitle(question)),
			message: printable(message),
			options: [look, ...Object.values(words)],
			keys,
			leave: "Esc later",
			signal,
			uncalled,
		});
		uncalled = false;
		const choice = (Object.keys(words) as ConflictChoice[]).find((one) => words[one] === chosen);
		if (choice) return { kind: "approved", choice };
		if (chosen !== look) break;
		await showConflicts(request);
	}
	return { kind: "undecided" };
}

async function readLedger({ session, project, run }: ApprovalRequest): Promise<Result<ReadLedger, Failure>> {
	const live = session.supervised.get(run.id);
	return live ? { ok: true, value: live.ledger } : project.store.read(run.id);
}

async function showConflicts(request: ApprovalRequest): Promise<void> {
	const { session, ctx, project, run, signal } = request;
	const read = await readLedger(request);
	const found = read.ok ? await diffConflicts(project, { ...read.value, run }, session.supervised.get(run.id)) : read;
	if (found.ok) await showPatch(ctx, `Conflicts in ${run.state}`, found.value, [], signal);
	else say(ctx, `${found.failure.message} ${found.failure.remedy}`, "warning");
}
