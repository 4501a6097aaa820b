// `join` and `discard`: what becomes of the files of a run apart, which has worked in a copy of the project.
import { resolve } from "node:path";
import { explainUntakable, type Run } from "@pi-chronicle/core/machine";
import type { HeldLedger, Result } from "@pi-chronicle/core/ports";
import type { FileLeft } from "@pi-chronicle/core/snapshot";
import { discardCopy, makeCopyBranch, writeCopyPatch } from "../../local/index.ts";
import { changeLines, exitCodes, leftLines } from "../../pi/index.ts";
import { commandWord } from "../phrases/index.ts";
import {
	type Command,
	type CommandCall,
	type CommandResponse,
	failed,
	interrupted,
	misuse,
	noWaitUsage,
	refused,
} from "./command.ts";
import type { DispatchResult } from "./delivery.ts";
import { dispatch } from "./dispatch.ts";
import { discardCommand, joinCommand, type RunCommand, takenCommand } from "./run-command.ts";
import { resolveRun } from "./run-name.ts";
import { stopResult } from "./steer.ts";

const join: Command = {
	name: "join",
	takes: "<run>",
	details: `Takes the files of a run that was started with --apart, once it has ended. Without an option, its changes are merged into the project
three-way; conflicts are asked about, as with children. What you changed meanwhile stays. A run that has worked on since can be joined again.`,
	exits:
		"0 taken, 1 the files cannot be taken, 2 no such run, or it has nothing to take, 3 conflicts wait for your answer, 130 interrupted",
	shellOptions: noWaitUsage,
	options: `  --branch <name>  instead, commit them on this new branch, one commit for each visit; nothing is checked out
  --patch <file>   instead, write them as a patch for git apply
  --other-branch   join although another branch is checked out than when the run began
`,
	maxNames: 1,
	needs: "pi",
	async perform(call) {
		const { parsed, project, host } = call;
		const { branch, patch } = parsed.values;
		const ways = [branch, patch, parsed.flags.has("other-branch") ? "" : undefined].filter((way) => way !== undefined);
		if (ways.length > 1) return misuse("--branch, --patch and --other-branch exclude each other: give one of them.");
		const id = await runOf(call, "join");
		if (typeof id === "object") return id;
		if (branch !== undefined)
			return takeAside(call, id, {
				make: (ledger) => makeCopyBranch(project, ledger, branch),
				record: (run) => takenCommand(run, "branch", branch),
				describe: ({ commit, commits, isOld }) =>
					isOld
						? `The branch ${branch} has it all (${commit.slice(0, 12)}).`
						: `Made the branch ${branch} with ${commits} ${commits === 1 ? "commit" : "commits"} (${commit.slice(0, 12)}). Nothing is checked out: git switch ${branch}, or git merge ${branch}.`,
			});
		if (patch !== undefined) {
			const path = resolve(project.place.cwd, patch);
			return takeAside(call, id, {
				make: (ledger) => writeCopyPatch(project, ledger, path),
				record: (run) => takenCommand(run, "patch", path),
				describe: ({ bytes }) =>
					bytes === 0
						? `Wrote ${path}, which is empty: the run has changed no file.`
						: `Wrote ${path} (${bytes} bytes). To apply it, in the root of the repository: git apply ${commandWord(path)}`,
			});
		}
		const otherBranch = parsed.flags.has("other-branch");
		const result = await deliverTake(call, id, (run) => joinCommand(run, otherBranch));
		if (result.kind !== "attended") return answerOf(result, id);
		// A join that is continued may have changed files before it waited.
		const since = result.before.children?.ofCopy?.since ?? result.before.seq;
		return joinResult(call, id, since, await host.attend(project, result.live));
	},
};

const discard: Command = {
	name: "discard",
	takes: "<run>",
	details: `Gives up what was not taken of the files of a run that was started with --apart, and removes its copy of the project. The run must
have ended, and cannot continue afterward; its ledger stays until remove or prune.`,
	exits: "0 discarded, 1 not recorded, 2 no such run, or it does not apply",
	maxNames: 1,
	needs: "nothing",
	async perform(call) {
		const { project, host } = call;
		const id = await runOf(call, "discard");
		if (typeof id === "object") return id;
		const read = await project.store.read(id);
		if (!read.ok) return failed(read.failure);
		const { run, folder } = read.value;
		const isAgain = run.apart?.discarded === true;
		if (!isAgain && run.stage.kind === "over" && host.confirm) {
			const agreed = await host.confirm({
				title: `Discard the files of ${run.template.name} ${id.slice(0, 8)}?`,
				lines: ["What was not joined or taken is lost. The run cannot continue."],
				no: "No, keep them",
				yes: "Yes, discard them",
				leave: "Esc keeps",
			});
			if (!agreed) return { kind: "done", lines: ["Nothing was discarded."], data: { id, discarded: false } };
		}
		const result = isAgain ? undefined : await deliverTake(call, id, discardCommand, "release");
		if (result && result.kind !== "recorded") return answerOf(result, id);
		await discardCopy(folder);
		const lines = [`The files of the run ${id.slice(0, 8)} are discarded${isAgain ? " already" : ""}.`];
		return { kind: "done", lines, data: { id, discarded: true } };
	},
};

export const takingCommands: readonly Command[] = [join, discard];

/** The run that the command names, or why there is none. */
async function runOf(call: CommandCall, verb: string): Promise<string | CommandResponse> {
	const { parsed, project, host } = call;
	const [name] = parsed.names;
	if (name === undefined) return misuse(`Name a run: ${host.prefix}${verb} <run>.`);
	if (project.engine)
		return refused({
			code: "usage",
			message:
				"The runs of an engine work in folders of their own on its hosts, and each has its result on a branch of the remote.",
			remedy: `Its status names the branch: ${host.prefix}status ${name}`,
		});
	const found = await resolveRun(project, name, [...host.supervised.keys()]);
	return found.ok ? found.value : failed(found.failure);
}

function deliverTake(
	{ project, host, signal }: CommandCall,
	id: string,
	make: (run: Run) => RunCommand,
	afterwards: "continue" | "release" = "continue",
): Promise<DispatchResult> {
	const live = host.supervised.get(id);
	const approver = host.approver(project, "called");
	const { warn: notice } = host;
	// Recording needs no worker.
	const supervisors = afterwards === "continue" ? host.supervisors : undefined;
	return dispatch(project, id, ({ run }) => make(run), { approver, notice, live, afterwards, supervisors, signal });
}

function answerOf(result: DispatchResult, id: string): CommandResponse {
	if (result.kind === "failed") return failed(result.failure);
	if (result.kind === "refused") return refused({ code: "refused", message: result.message, run: id });
	const lines = [`Requested; the status of ${id.slice(0, 8)} says what comes of it.`];
	return { kind: "done", lines, data: { id, heard: result.kind } };
}

/** What a join has changed, or what it waits for. `since`: the last event before it. */
async function joinResult(
	call: CommandCall,
	id: string,
	since: number,
	end: Awaited<ReturnType<CommandCall["host"]["attend"]>>,
): Promise<CommandResponse> {
	const stopped = await stopResult(call, id, end);
	if (end?.kind !== "parked" || end.run.stage.kind !== "over" || stopped.kind !== "done") return stopped;
	const { apart, template } = end.run;
	const read = await call.project.store.read(id);
	if (!read.ok) return failed(read.failure);
	let lines: readonly string[] = ["The join was given up; the project was not changed."];
	let changes: object = {};
	for await (const event of read.value.events(since)) {
		if (event.kind !== "join_applied") continue;
		const { left = [], leftMore = 0, total } = event;
		changes = { changes: event.changes ?? [], more: event.more ?? 0, ...(total ? { total } : {}), left };
		lines = [
			`Joined the files of ${template.name} ${id.slice(0, 8)} into the project.`,
			...changeLines(event),
			...leftLines("Not written", left, leftMore),
		];
	}
	const data = { ...stopped.data, id, joined: apart?.joined !== undefined, ...changes, exitCode: exitCodes.done };
	return { kind: "done", lines, data, exitCode: exitCodes.done };
}

/** A way to take files without the project's folder. */
interface Aside<Made> {
	make(ledger: HeldLedger): Promise<Result<Made>>;
	record(run: Run): RunCommand;
	describe(made: Made): string;
}

async function takeAside<Made extends { readonly left: readonly FileLeft[] }>(
	call: CommandCall,
	id: string,
	{ make, record, describe }: Aside<Made>,
): Promise<CommandResponse> {
	const { project, signal } = call;
	const opened = await project.store.open(id);
	if (!opened.ok) return failed(opened.failure);
	const ledger = opened.value;
	const problem = explainUntakable(ledger.run);
	const made = problem === undefined ? await make(ledger) : undefined;
	await ledger.releaseLease();
	if (!made) return refused({ code: "refused", message: problem ?? "", run: id });
	if (!made.ok) return failed(made.failure, exitCodes.failed);
	if (signal.aborted) return interrupted;
	const recorded = await deliverTake(call, id, record, "release");
	if (recorded.kind !== "recorded") return answerOf(recorded, id);
	const { left } = made.value;
	return {
		kind: "done",
		lines: [describe(made.value), ...leftLines("Only in the copy", left)],
		data: { id, ...made.value },
	};
}
