// The dialog about the conflicts of a join. A side is taken in two steps: the second one names the child and the files, and how to undo it.
// A dialog that the user leaves decides nothing.

import type { ConflictChoice, JoinConflict } from "@pi-chronicle/core/machine";
import type { Approval, Failure, ReadLedger, Result } from "@pi-chronicle/core/ports";
import { diffConflicts } from "../../local/index.ts";
import { chooseOption, printable, say } from "../../pi/index.ts";
import { answerKeys } from "../../tui/index.ts";
import { conflictFiles, handLine, questionLines, questionTitle } from "../phrases/index.ts";
import { type ApprovalRequest, showPatch } from "./dialogs.ts";
import { commandPrefix } from "./session-project.ts";

const look = "Show the conflicts";
const worker = "Let a worker resolve them";
const hand = "By hand: I have resolved them in the folder";
const back = "Back";

/** `undecided` if the user postpones it. */
export async function askConflict(request: ApprovalRequest): Promise<Approval> {
	const { session, ctx, question, run, signal } = request;
	let { uncalled } = request;
	const read = await readLedger(request);
	const byHand = read.ok ? ["", handLine({ ...read.value, run })] : [];
	const message = [...questionLines(question, run, new Date().toISOString()), ...byHand].join("\n");
	const { conflicts = [] } = question;
	const sides = { ours: sideText(conflicts, "ours"), theirs: sideText(conflicts, "theirs") };
	const answers = new Map<string | undefined, () => Promise<ConflictChoice | undefined>>([
		[look, () => showConflicts(request)],
		[worker, async () => "worker"],
		[hand, async () => "hand"],
		[sides.ours, () => confirmSide(request, sides.ours, "ours")],
		[sides.theirs, () => confirmSide(request, sides.theirs, "theirs")],
	]);
	while (!signal.aborted && !session.scope.closed) {
		const chosen = await chooseOption(ctx, {
			title: printable(questionTitle(question)),
			message: printable(message),
			options: [look, worker, hand, sides.ours, sides.theirs],
			keys: { [look]: answerKeys.changes, [worker]: answerKeys.worker, [hand]: answerKeys.byHand },
			leave: "Esc later",
			signal,
			uncalled,
		});
		uncalled = false;
		const answer = answers.get(chosen);
		if (!answer) break;
		const choice = await answer();
		if (choice !== undefined) return { kind: "approved", choice };
	}
	return { kind: "undecided" };
}

/** `Take the later side: api`. The names are those of children, or of what was joined before them. */
function sideText(conflicts: readonly JoinConflict[], side: "ours" | "theirs"): string {
	const names = [...new Set(conflicts.map((conflict) => conflict[side]))];
	const which = side === "ours" ? "earlier" : "later";
	return printable(`Take the ${which} side: ${names.join(", ")}`);
}

/** `side`, unless the user goes back. */
async function confirmSide(
	{ ctx, project, question, run, signal }: ApprovalRequest,
	chosen: string,
	side: "ours" | "theirs",
): Promise<ConflictChoice | undefined> {
	const undo = `${commandPrefix(project)}rewind ${run.id.slice(0, 8)} ${run.visit}`;
	const answer = await chooseOption(ctx, {
		title: `${chosen}?`,
		message: printable(
			[
				"The other side's changes to these places are left out:",
				...conflictFiles(question),
				"",
				`To undo it later: ${undo} restores the run and its files to the start of visit ${run.visit}.`,
			].join("\n"),
		),
		options: [back, chosen],
		keys: { [chosen]: answerKeys.yes, [back]: answerKeys.no },
		leave: "Esc back",
		signal,
	});
	return answer === chosen ? side : undefined;
}

async function readLedger({ session, project, run }: ApprovalRequest): Promise<Result<ReadLedger, Failure>> {
	const live = session.supervised.get(run.id);
	return live ? { ok: true, value: live.ledger } : project.store.read(run.id);
}

async function showConflicts(request: ApprovalRequest): Promise<undefined> {
	const { session, ctx, project, run, signal } = request;
	const read = await readLedger(request);
	const found = read.ok ? await diffConflicts(project, { ...read.value, run }, session.supervised.get(run.id)) : read;
	if (found.ok) await showPatch(ctx, `Conflicts in ${run.state}`, found.value, [], signal);
	else say(ctx, `${found.failure.message} ${found.failure.remedy}`, "warning");
	return undefined;
}
