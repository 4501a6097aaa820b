// `/sequence`: record, restore, run, show. Recording needs the terminal; running works in every mode.
import type { ExtensionCommandContext } from "@earendil-works/pi-coding-agent";
import { exitCodes, failWith, type Scope, say } from "../pi/index.ts";
import { hasPlaceholder, splitArguments } from "./arguments.ts";
import { previewLines } from "./preview.ts";
import { type SequenceSnapshot, snapshotType } from "./recorded.ts";
import { runRecorded } from "./run.ts";
import { looksLikeNumber, manyRuns, parseRunCount } from "./run-count.ts";
import type { SequenceSession } from "./session.ts";

const menu = {
	title: "Restore last sequence?",
	run: "Run",
	edit: "Edit",
	startNew: "Start new",
	cancel: "Cancel",
} as const;
const noTerminal =
	"Recording a sequence needs pi's terminal screen. Here you can run the one that this session has: /sequence run [N] [arguments].";
const nothingRecorded = "This session's branch has no recorded sequence. Record one with /sequence in the terminal.";

/** Runs `/sequence <args>`: alone it records or offers the last recording; `run [N] [arguments]` and `show` are verbs; other words are arguments of the run. */
export async function runSequence(
	session: SequenceSession,
	scope: Scope,
	ctx: ExtensionCommandContext,
	args: string,
): Promise<void> {
	if (isBusy(session, ctx)) return;
	const [verb = "", rest = ""] = split(args);
	const last = session.lastRecorded;
	if (verb === "show") {
		if (last === undefined) refuse(ctx, nothingRecorded);
		else say(ctx, previewLines(last.steps).join("\n"));
		return;
	}
	if (verb === "run") {
		if (last === undefined) return refuse(ctx, nothingRecorded);
		const [count = "", more = ""] = split(rest);
		return looksLikeNumber(count) ? start(session, ctx, last, more, count) : start(session, ctx, last, rest, "1");
	}
	if (last === undefined) return recordAndRun(session, scope, ctx, [], undefined, args);
	const choice = await ctx.ui.select(menu.title, [menu.run, menu.edit, menu.startNew, menu.cancel]);
	if (choice === menu.run) return start(session, ctx, last, args, undefined);
	if (choice === menu.edit) return recordAndRun(session, scope, ctx, last.steps, last.sequenceId, args);
	if (choice === menu.startNew) return recordAndRun(session, scope, ctx, [], undefined, args);
	if (!ctx.hasUI) refuse(ctx, noTerminal);
}

/** Whether this session records or replays already, and then the person has been told. Asked again after every question. */
function isBusy(session: SequenceSession, ctx: ExtensionCommandContext): boolean {
	if (session.activeRun !== undefined) refuse(ctx, "A sequence is running; Esc stops it.");
	else if (session.recording) refuse(ctx, "A sequence is being recorded; Ctrl+Enter finishes it, Esc leaves it.");
	else return false;
	return true;
}

/** Says why not. Where nobody looks at notifications, pi's exit shows it too. */
function refuse(ctx: ExtensionCommandContext, reason: string): void {
	failWith(ctx, exitCodes.usage);
	say(ctx, reason, "error");
}

function split(text: string): [string, string] {
	const [, first = "", rest = ""] = /^\s*(\S*)\s*([\s\S]*)$/.exec(text) ?? [];
	return [first, rest];
}

async function recordAndRun(
	session: SequenceSession,
	scope: Scope,
	ctx: ExtensionCommandContext,
	steps: readonly string[],
	sequenceId: string | undefined,
	args: string,
): Promise<void> {
	if (ctx.mode !== "tui") return refuse(ctx, noTerminal);
	const { recordSteps } = await import("./recorder.ts");
	// Two that were asked for at once: the other one may be open by now.
	if (isBusy(session, ctx)) return;
	session.recording = true;
	const result = await recordSteps(ctx, scope, () => session.knownCommands(), steps).finally(() => {
		session.recording = false;
	});
	if (result.kind === "cancelled" || scope.closed) return;
	const snapshot = keep(session, result.steps, sequenceId);
	await start(session, ctx, snapshot, args, undefined);
}

/** Writes the recording into the session, unless nothing changed. */
function keep(session: SequenceSession, steps: readonly string[], sequenceId: string | undefined): SequenceSnapshot {
	const last = session.lastRecorded;
	const same =
		last !== undefined && last.sequenceId === sequenceId && JSON.stringify(last.steps) === JSON.stringify(steps);
	if (same) return last;
	const snapshot: SequenceSnapshot = {
		version: 1,
		sequenceId: sequenceId ?? crypto.randomUUID(),
		steps,
		updatedAt: Date.now(),
	};
	session.pi.appendEntry(snapshotType, snapshot);
	session.lastRecorded = snapshot;
	return snapshot;
}

/** Asks what is still open (how often, with which arguments) and runs. */
async function start(
	session: SequenceSession,
	ctx: ExtensionCommandContext,
	snapshot: SequenceSnapshot,
	args: string,
	count: string | undefined,
): Promise<void> {
	const total = await readCount(ctx, count);
	if (total === undefined) return;
	const words = await readArguments(ctx, snapshot, args);
	if (words === undefined || isBusy(session, ctx)) return;
	// Asked now: after a run this context may belong to a session that was replaced.
	const { hasUI } = ctx;
	const end = await runRecorded(ctx, snapshot, words, total);
	if (end.kind === "stopped") failWith({ hasUI }, exitCodes.failed);
}

async function readCount(ctx: ExtensionCommandContext, given: string | undefined): Promise<number | undefined> {
	let answer = given;
	while (true) {
		answer ??= await ctx.ui.input("Run this sequence how many times? [1]", "1");
		if (answer === undefined) return undefined;
		const parsed = parseRunCount(answer);
		if (parsed.kind === "refused") {
			if (given !== undefined) {
				refuse(ctx, `${parsed.reason} An argument that looks like one follows the number: /sequence run 1 ${given}`);
				return undefined;
			}
			refuse(ctx, parsed.reason);
			answer = undefined;
			continue;
		}
		if (parsed.count <= manyRuns || !ctx.hasUI) return parsed.count;
		const sure = await ctx.ui.confirm("Run it that often?", `${parsed.count} runs, each in a session of its own.`);
		return sure ? parsed.count : undefined;
	}
}

/** The run's arguments: as given, else asked for once when a step has a placeholder. */
async function readArguments(
	ctx: ExtensionCommandContext,
	snapshot: SequenceSnapshot,
	given: string,
): Promise<string[] | undefined> {
	if (given.trim() !== "" || !ctx.hasUI || !snapshot.steps.some(hasPlaceholder)) return splitArguments(given);
	const answer = await ctx.ui.input("Arguments for $@? (empty: the placeholders become empty)");
	if (answer === undefined) return undefined;
	const words = splitArguments(answer);
	return words.length === 0 ? [""] : words;
}
