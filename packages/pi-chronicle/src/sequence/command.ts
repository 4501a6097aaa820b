// `/sequence`: records, restores, runs, saves, shows and stops sequences. Recording needs the terminal; everything else works in every
// mode.
import type { ExtensionCommandContext } from "@earendil-works/pi-coding-agent";
import { didYouMean } from "@pi-chronicle/core/definition";
import { answerKeys, chooseOption, rejectCommand, type Scope, say } from "../pi/index.ts";
import { firstWord } from "./arguments.ts";
import {
	deleteSequence,
	findSaved,
	listSequences,
	saveRecording,
	sequenceLocation,
	showSaved,
	store,
} from "./manage.ts";
import { previewLines, stepsText } from "./preview.ts";
import { protectSession } from "./private-file.ts";
import { type SequenceSnapshot, snapshotType } from "./recorded.ts";
import { parseRunWords, type RunWords } from "./replay-words.ts";
import { savedNames, sequenceVerbs } from "./saved.ts";
import type { SequenceSession } from "./session.ts";
import { isBusy, startReplay } from "./start.ts";

const menu = {
	title: "Restore last sequence?",
	run: "Run",
	edit: "Edit",
	startNew: "Start new",
	cancel: "Cancel",
} as const;
const noTerminal =
	"Recording needs pi's terminal. Here you can run a saved sequence or this session's recording: /sequence run [name] [N] [arguments].";
const nothingRecorded =
	"This session's branch has no recorded sequence. Record one with /sequence in the terminal, or name a saved one: /sequence list.";

interface AskedReplay {
	readonly session: SequenceSession;
	readonly scope: Scope;
	readonly ctx: ExtensionCommandContext;
	/** The text after the verb. */
	readonly rest: string;
}

const verbs: Readonly<Record<(typeof sequenceVerbs)[number], (asked: AskedReplay) => void | Promise<void>>> = {
	run: runWords,
	show: ({ session, ctx, rest }) => {
		if (rest !== "") return oneName(ctx, "show", rest, (name) => showSaved(ctx, name));
		const last = session.lastRecorded;
		if (last === undefined) rejectCommand(ctx, nothingRecorded);
		else say(ctx, previewLines(last.steps).join("\n"));
	},
	list: ({ session, ctx, rest }) => {
		if (rest === "") listSequences(ctx, session.lastRecorded);
		else rejectCommand(ctx, `/sequence list takes no argument, but got "${rest}".`);
	},
	save: ({ session, ctx, rest }) =>
		oneName(ctx, "save", rest, (name) => saveRecording(ctx, name, session.lastRecorded)),
	edit: (asked) => oneName(asked.ctx, "edit", asked.rest, (name) => editSaved(asked, name)),
	delete: ({ ctx, rest }) => oneName(ctx, "delete", rest, (name) => deleteSequence(ctx, name)),
	stop: stopRun,
};

/** Verbs that a running sequence allows. */
const whileRunning: ReadonlySet<string> = new Set(["stop", "list", "show"]);

/** Runs `/sequence <args>`. Without a verb it records or offers the last recording; other words are arguments of the run. */
export async function runSequence(
	session: SequenceSession,
	scope: Scope,
	ctx: ExtensionCommandContext,
	args: string,
): Promise<void> {
	const [word, rest] = firstWord(args);
	if (!whileRunning.has(word) && isBusy(session, ctx)) return;
	if (Object.hasOwn(verbs, word)) return verbs[word as keyof typeof verbs]({ session, scope, ctx, rest: rest.trim() });
	const near = word === "" ? "" : didYouMean(word, sequenceVerbs);
	if (near !== "")
		return rejectCommand(
			ctx,
			`Unknown command: /sequence ${word}.${near} Arguments of a run follow it: /sequence run ${args.trim()}`,
		);
	const last = session.lastRecorded;
	if (last === undefined) return recordAndRun(session, scope, ctx, [], undefined, args);
	const choice = await chooseOption(ctx, {
		title: menu.title,
		message: ctx.mode === "tui" ? stepsText(last.steps) : "",
		options: [menu.run, menu.edit, menu.startNew, menu.cancel],
		keys: { [menu.run]: answerKeys.start, [menu.edit]: answerKeys.edit },
		leave: "Esc cancels",
	});
	if (choice === menu.run) return startReplay(session, ctx, replayRequest(last, args));
	if (choice === menu.edit) return recordAndRun(session, scope, ctx, last.steps, last.sequenceId, args);
	if (choice === menu.startNew) return recordAndRun(session, scope, ctx, [], undefined, args);
	if (!ctx.hasUI) rejectCommand(ctx, noTerminal);
}

/** A request for a run whose number the user has not given yet. */
function replayRequest(snapshot: SequenceSnapshot, args: string) {
	const open = { name: undefined, count: undefined, from: undefined, maxCostUsd: undefined, dryRun: false };
	return { ...open, snapshot, args };
}

function oneName(
	ctx: ExtensionCommandContext,
	verb: string,
	rest: string,
	use: (name: string) => void | Promise<void>,
): void | Promise<void> {
	const [name, surplus] = firstWord(rest);
	if (name === "") return rejectCommand(ctx, `Name a sequence: /sequence ${verb} <name>`);
	if (surplus.trim() !== "")
		return rejectCommand(ctx, `Too many arguments for /sequence ${verb} ${name}: "${surplus.trim()}".`);
	return use(name);
}

/** `/sequence run`. */
async function runWords({ session, ctx, rest }: AskedReplay): Promise<void> {
	const words = parseRunWords(rest, new Set(savedNames(sequenceLocation(ctx))));
	if (words.kind === "refused") return rejectCommand(ctx, words.reason);
	const { name } = words;
	if (name === undefined) return runLastRecorded({ session, ctx, rest }, words);
	const sequence = findSaved(ctx, name)?.sequence;
	if (sequence === undefined) return;
	const snapshot = { version: 1, sequenceId: name, steps: sequence.steps, updatedAt: Date.now() } as const;
	const maxCostUsd = words.maxCostUsd ?? sequence.maxCost;
	return startReplay(session, ctx, {
		...words,
		count: words.count ?? sequence.runs,
		maxCostUsd,
		snapshot,
		rules: sequence,
	});
}

/** Runs the session's recording, unless the first word is nearly the name of a saved sequence. */
async function runLastRecorded(
	{ session, ctx, rest }: Pick<AskedReplay, "session" | "ctx" | "rest">,
	words: RunWords,
): Promise<void> {
	const known = savedNames(sequenceLocation(ctx));
	const [first] = firstWord(words.args);
	// Before the arguments, `--` or a number says that the word is one of them.
	const near = first !== "" && rest.startsWith(first) ? didYouMean(first, known) : "";
	const last = session.lastRecorded;
	if (last !== undefined && near === "")
		return startReplay(session, ctx, { ...words, count: words.count ?? 1, snapshot: last });
	if (last !== undefined)
		return rejectCommand(
			ctx,
			`There is no saved sequence "${first}".${near} As an argument of the recording: /sequence run -- ${rest}`,
		);
	const hint = first === "" || known.length === 0 ? "" : `\nSaved sequences: ${known.join(", ")}.${near}`;
	return rejectCommand(ctx, `${nothingRecorded}${hint}`);
}

/** `/sequence stop [now|step|run]`. */
async function stopRun({ session, ctx, rest }: AskedReplay): Promise<void> {
	const run = session.activeRun;
	if (run === undefined) return rejectCommand(ctx, "No sequence is running.");
	switch (rest) {
		case "now":
			run.halt("The sequence was stopped.");
			if (!ctx.isIdle()) ctx.abort();
			return;
		case "":
		case "step":
			run.after = "step";
			return say(ctx, "The sequence stops after this step.");
		case "run":
			run.after = "run";
			return say(ctx, "The sequence stops after this run.");
		default:
			return rejectCommand(ctx, `/sequence stop takes now, step or run, not "${rest}".`);
	}
}

/** `/sequence edit <name>`: opens the recorder with the steps of a file. */
async function editSaved({ session, scope, ctx }: AskedReplay, name: string): Promise<void> {
	const saved = findSaved(ctx, name);
	if (saved === undefined) return;
	if (ctx.mode !== "tui") return rejectCommand(ctx, `Edit the file: ${saved.file}`);
	const steps = await recordSequence(session, scope, ctx, saved.sequence.steps);
	if (steps === undefined) return;
	store(ctx, sequenceLocation(ctx), name, steps, saved);
}

/** Opens the recorder; `undefined` if the user left it without finishing. */
async function recordSequence(
	session: SequenceSession,
	scope: Scope,
	ctx: ExtensionCommandContext,
	steps: readonly string[],
): Promise<readonly string[] | undefined> {
	const { recordSteps } = await import("./recorder.ts");
	// If two were requested at once, the other one may already be open.
	if (isBusy(session, ctx)) return undefined;
	session.recording = true;
	const result = await recordSteps(ctx, scope, () => session.knownCommands(), steps).finally(() => {
		session.recording = false;
	});
	return result.kind === "cancelled" || scope.closed ? undefined : result.steps;
}

async function recordAndRun(
	session: SequenceSession,
	scope: Scope,
	ctx: ExtensionCommandContext,
	steps: readonly string[],
	sequenceId: string | undefined,
	args: string,
): Promise<void> {
	if (ctx.mode !== "tui") return rejectCommand(ctx, noTerminal);
	const recorded = await recordSequence(session, scope, ctx, steps);
	if (recorded === undefined) return;
	await startReplay(session, ctx, replayRequest(keepSequence(session, ctx, recorded, sequenceId), args));
}

/** Writes the recording into the session, unless nothing changed. */
function keepSequence(
	session: SequenceSession,
	ctx: ExtensionCommandContext,
	steps: readonly string[],
	sequenceId: string | undefined,
): SequenceSnapshot {
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
	protectSession(ctx);
	return snapshot;
}
