// `/workflow back --files` and `--undo`: the user sees what a restore changes before it is done, and the agent is told after it.
import type { ExtensionCommandContext } from "@earendil-works/pi-coding-agent";
import type { WorkspaceFailure } from "@pi-chronicle/core/ports";
import { checkedOutText, isOtherBranch } from "@pi-chronicle/core/snapshot";
import { askUser, leftLines, maxAsked, rejectCommand, restoreLines, say } from "../../pi/index.ts";
import { phaseAt, samePlace, type WorkflowEvent, workflowTransition } from "../phase-machine/index.ts";
import { restoredText, workflowRefusalText } from "../prompts/index.ts";
import type { PhaseSnapshot } from "./phase-files.ts";
import type { Workflows } from "./workflows.ts";

const undo = "/workflow back --undo";

/** Restores the files of the phase that `back` leads to. Returns whether the run can move there. */
export async function restorePhase(
	workflows: Workflows,
	ctx: ExtensionCommandContext,
	back: Extract<WorkflowEvent, { kind: "back" }>,
): Promise<boolean> {
	const { controller, files } = workflows;
	const run = controller.active?.run;
	if (!run) return refuse(ctx, "No workflow is active.");
	const last = workflowTransition(run, back).actions.at(-1);
	if (last?.kind === "refused") return refuse(ctx, workflowRefusalText(last.refusal));
	if (run.kind === "stale" || last?.kind !== "moved") return false;
	const { name } = phaseAt(run.definitions, last.to);
	const found = files.find(ctx.sessionManager, run.id, ({ position }) => position && samePlace(position, last.to));
	if (found) return restoreSnapshot(workflows, ctx, found, `at the beginning of "${name}"`);
	const how = ' pi saves them with `"chronicle": { "workflow": { "snapshots": true } }` in its settings.';
	return refuse(ctx, `The files at the beginning of "${name}" were not saved.${files.isOn ? "" : how}`);
}

/** Restores what the last restore has overwritten. */
export async function undoRestore(workflows: Workflows, ctx: ExtensionCommandContext): Promise<void> {
	const { controller, files } = workflows;
	const found = files.find(ctx.sessionManager, controller.held?.run.id ?? "", ({ position }) => !position);
	if (found) await restoreSnapshot(workflows, ctx, found, "before the last restore");
	else refuse(ctx, "There is nothing to undo: this workflow has not restored files.");
}

/** `when`: they were so. Returns whether they are now. */
async function restoreSnapshot(
	workflows: Workflows,
	ctx: ExtensionCommandContext,
	{ taskId, tree, checkedOut: then }: PhaseSnapshot,
	when: string,
): Promise<boolean> {
	const { controller, conversation, files, pi } = workflows;
	if (conversation.isWorking(ctx)) return refuse(ctx, "The agent is working. Stop it with Esc first.");
	const opened = await files.open(ctx, taskId);
	if (!opened.ok) return refuse(ctx, failureText(opened.failure));
	const preview = await opened.value.preview(tree, maxAsked);
	if (!preview.ok) return refuse(ctx, failureText(preview.failure));
	const now = await opened.value.checkedOut?.();
	const mixed =
		now && then && isOtherBranch(now, then)
			? `They are of ${checkedOutText(then)}, and ${checkedOutText(now)} is checked out now: files of both would be mixed.`
			: undefined;
	const { step } = controller.held?.run ?? { step: 0 };
	const message = [
		...(mixed ? [mixed] : []),
		...restoreLines(preview.value),
		`Commits stay. The current files are saved first: ${undo} restores them.`,
	].join("\n");
	const words = { no: "No, change nothing", yes: "Yes, restore them" };
	const answer = await askUser(ctx, {
		title: `Restore the files as they were ${when}?`,
		message,
		words,
		uncalled: true,
	});
	if (answer === "nobody" && mixed) return refuse(ctx, `${mixed} Check out the other one first.`);
	if (answer === "nobody") say(ctx, message);
	if (answer === "no" || conversation.isWorking(ctx) || controller.held?.run.step !== step) {
		say(ctx, "Nothing changed.");
		return false;
	}
	const before = await files.take(ctx, { taskId, step }, tree);
	const restored = before.ok ? await opened.value.restore(tree, { expected: before.value }) : before;
	if (!restored.ok) return refuse(ctx, failureText(restored.failure));
	pi.sendMessage({ customType: "workflow:restored", content: restoredText(when), display: false });
	const done = `The files are as they were ${when}. ${undo} restores those that were there before.`;
	say(ctx, [done, ...leftLines("Not restored", restored.value.left)].join("\n"));
	return true;
}

function failureText({ message, remedy }: WorkspaceFailure): string {
	return `${message} ${remedy}`;
}

function refuse(ctx: ExtensionCommandContext, reason: string): false {
	rejectCommand(ctx, reason);
	return false;
}
