// What a rewind would change: shown before it, confirmed by the user, or only shown.
import type { UserEvent } from "@pi-chronicle/core/machine";
import type { ReadLedger } from "@pi-chronicle/core/ports";
import { checkedOutText, isOtherBranch } from "@pi-chronicle/core/snapshot";
import { type Project, readBranch, withWorkspace } from "../../local/index.ts";
import { restoreLines } from "../../pi/index.ts";
import { type CommandCall, type CommandResponse, failed, refused } from "./command.ts";
import type { RunCommand } from "./run-command.ts";

type Confirm = (command: RunCommand, ledger: ReadLedger) => Promise<RunCommand>;
type Events = Extract<RunCommand, { kind: "events" }>;
type Rewind = Extract<UserEvent, { kind: "rewind_requested" }>;

/** Asks once, even if the supervisor changes meanwhile. */
export function askOnce(confirm: Confirm): Confirm {
	let asked: Promise<RunCommand> | undefined;
	return (command, ledger) => {
		asked ??= confirm(command, ledger);
		return asked;
	};
}

const maxChanges = 200;

/** Confirms a rewind: what it removes, what it cannot restore, and the command that undoes it. Without a user, another branch refuses it. */
export async function confirmRewind(call: CommandCall, command: RunCommand, ledger: ReadLedger): Promise<RunCommand> {
	const { project, host, parsed } = call;
	const rewind = rewindIn(command);
	if (command.kind !== "events" || !rewind) return command;
	const elsewhere = parsed.flags.has("other-branch") ? undefined : await explainBranch(project, command, ledger);
	if (!host.confirm) {
		const first = project.engine ? "Rewind" : "Check it out first, or rewind";
		const message = `${elsewhere} ${first} with --other-branch.`;
		return elsewhere === undefined ? command : { kind: "refused", message };
	}
	const { id } = ledger.run;
	const short = id.slice(0, 8);
	const changes = await rewindChanges(call, rewind, ledger);
	if (typeof changes === "string") return { kind: "refused", message: changes };
	const agreed = await host.confirm({
		title: `Rewind ${short} to ${targetText(rewind)}?`,
		lines: [
			...(elsewhere === undefined ? [] : [elsewhere]),
			...changes.lines,
			`The current files are saved first: ${host.prefix}rewind ${short} undo restores them.`,
		],
		no: "No, change nothing",
		yes: "Yes, rewind",
		leave: "Esc cancels",
	});
	return agreed ? command : { kind: "refused", message: "Nothing changed." };
}

/** `rewind --dry-run`: shows what the rewind would change. */
export async function previewRewind(
	call: CommandCall,
	id: string,
	make: (ledger: ReadLedger) => RunCommand | Promise<RunCommand>,
): Promise<CommandResponse> {
	const { project } = call;
	const read = await project.store.read(id);
	if (!read.ok) return failed(read.failure);
	const command = await make(read.value);
	const rewind = rewindIn(command);
	if (command.kind !== "events" || !rewind)
		return refused({ code: "refused", message: command.kind === "refused" ? command.message : "", run: id });
	const changes = await rewindChanges(call, rewind, read.value);
	if (typeof changes === "string") return refused({ code: "refused", message: changes, run: id });
	const elsewhere = await explainBranch(project, command, read.value);
	const lines = [
		`A rewind of ${id.slice(0, 8)} to ${targetText(rewind)} would change:`,
		...(elsewhere === undefined ? [] : [elsewhere]),
		...(changes.lines.length > 0 ? changes.lines : ["  nothing"]),
	];
	return { kind: "done", lines, data: { id, dryRun: true, ...changes.data } };
}

function rewindIn(command: RunCommand): Rewind | undefined {
	return command.kind === "events" ? command.events.find((event) => event.kind === "rewind_requested") : undefined;
}

function targetText({ kept, to, state }: Rewind): string {
	return kept === undefined ? `the start of visit ${to} (${state})` : `kept-${kept}`;
}

/** A sentence if another branch is checked out than when the files to restore were recorded. */
async function explainBranch(
	project: Project,
	{ startedOn }: Events,
	{ run }: ReadLedger,
): Promise<string | undefined> {
	const now = startedOn && (await readBranch(project, run));
	if (!now || !isOtherBranch(startedOn, now)) return undefined;
	const where = project.engine ? " in the run's folder" : "";
	return `Its files were recorded on ${checkedOutText(startedOn)}, and ${checkedOutText(now)} is checked out${where} now: files of both would be mixed.`;
}

async function rewindChanges({ project, host }: CommandCall, { tree }: Rewind, ledger: ReadLedger) {
	const preview = await withWorkspace(project, ledger, host.supervised.get(ledger.run.id), (workspace) =>
		workspace.preview(tree, maxChanges),
	);
	if (preview.ok) return { lines: restoreLines(preview.value), data: preview.value };
	const { reason, message, remedy } = preview.failure;
	if (reason === "unknown_tree" || reason === "no_git") return `${message} ${remedy}`;
	return { lines: [`Its changes cannot be listed: ${message}`], data: {} };
}
