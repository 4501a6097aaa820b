// Builds commands to a run from its current state. Pure: delivers nothing. An answer names the event that it answers; a command that does not
// apply is refused with a message before anything is opened or written.

import { counted, didYouMean } from "@pi-chronicle/core/definition";
import type { VisitStart } from "@pi-chronicle/core/history";
import {
	type ApprovalQuestion,
	awaitedAnswer,
	type Ceilings,
	candidatesIn,
	decide,
	decidedEarlier,
	explainWinner,
	findCandidate,
	findTarget,
	firstAnswer,
	isAnswerTo,
	isRefusal,
	lastAnswer,
	MESSAGE_LENGTH,
	openQuestion,
	type Run,
	type Seen,
	type TemplateReload,
	type UserEvent,
	unansweredQuestion,
} from "@pi-chronicle/core/machine";
import type { Approval } from "@pi-chronicle/core/ports";
import type { CheckedOut } from "@pi-chronicle/core/snapshot";
import { HUMAN_INTERVENTION } from "@pi-chronicle/core/template";
import { askedLines } from "../phrases/index.ts";
import { isResolution } from "./answer-choices.ts";

export type RunCommand =
	/** An answer to the question that the run asks. */
	| {
			readonly kind: "answer";
			readonly approval: Exclude<Approval, { kind: "undecided" }>;
			readonly question: ApprovalQuestion;
	  }
	/** `startedOn`: what was checked out when the files that a rewind restores were recorded. */
	| { readonly kind: "events"; readonly events: readonly UserEvent[]; readonly startedOn?: CheckedOut | undefined }
	/** The run only has to be resumed. */
	| { readonly kind: "nothing" }
	| { readonly kind: "refused"; readonly message: string };

/**
 * Approves the move, or the start of a state, that the run asks about. `choice`: who resolves the conflicts that it asks about, or the child
 * that it takes with the move.
 */
export function approveCommand(run: Run, words: string, choice?: string): RunCommand {
	const question = openQuestion(run);
	if (!question) return refusedArguments(`${unasked(run)} Nothing to approve.`);
	const how = question.side === "conflict" ? readResolution(choice) : readWinner(run, question, choice);
	if (typeof how === "string") return refusedArguments(how);
	return { kind: "answer", question, approval: { kind: "approved", ...saying(words), ...how } };
}

type Approved = Extract<Approval, { kind: "approved" }>;

function readResolution(choice: string | undefined): Pick<Approved, "choice"> | string {
	if (choice === undefined) return explainChoices;
	return isResolution(choice) ? { choice } : `--choice takes ours, theirs, worker or hand here, not "${choice}".`;
}

function readWinner(
	run: Run,
	question: ApprovalQuestion,
	choice: string | undefined,
): Pick<Approved, "winner"> | string {
	if (choice === undefined) return {};
	if (candidatesIn(run, question.state).length === 0)
		return "--choice resolves conflicts or names the child to take, but the run asks about neither.";
	const named = findCandidate(run, question.state, choice);
	return explainWinner(run, question.target, named ?? choice) ?? { winner: named ?? choice };
}

const explainChoices =
	"Changes conflict. Choose who resolves them: approve --choice ours (the earlier side), theirs (the later child), worker, or hand (you have resolved them in the folder that status names).";

/** Lets the parent continue without the child. */
export function dropCommand(child: Run): RunCommand {
	return child.parent
		? { kind: "events", events: [{ kind: "child_dropped", child: child.id, ends: true }] }
		: refusedArguments("Only a child run can be dropped: name one of the children that view lists.");
}

/** Answers the worker's question. A choice is given by its number or its text. */
export function answerCommand(run: Run, words: string): RunCommand {
	const question = unansweredQuestion(run);
	if (!question) return refusedArguments(`${unasked(run)} It asks no question.`);
	if (words === "") return refusedArguments(["Write the answer: answer <words>.", ...askedLines(question)].join("\n"));
	const answer = chosenAnswer(words, question.choices);
	return checked(run, [{ kind: "ask_answered", answers: question.seq, verdict: "answered", words: answer }]);
}

/** The choice that `words` names by its text or its number, otherwise `words`. */
function chosenAnswer(words: string, choices: readonly string[]): string {
	const written = words.trim();
	return (
		findTarget(written, choices) ?? (/^[1-9]$/.test(written) ? choices[Number(written) - 1] : undefined) ?? written
	);
}

export function rejectionCommand(run: Run, words: string): RunCommand {
	if (words === "") return refusedArguments("Tell the worker why: reject <text>.");
	const question = openQuestion(run);
	if (!question) return refusedArguments(`${unasked(run)} Nothing to approve.`);
	return { kind: "answer", question, approval: { kind: "rejected", words } };
}

export interface RaisedLimits extends Ceilings {
	/** Of this state instead of the whole run. */
	readonly state?: string;
}

export interface ResumeOptions {
	readonly raise?: RaisedLimits;
	/** `provider/id`, for states that name none. */
	readonly model?: string;
	readonly reload?: TemplateReload | undefined;
	/** Join although another branch is checked out. */
	readonly otherBranch?: boolean;
}

/** Continues after a pause or at a ceiling, with new ceilings if given; an interrupted run is only resumed. */
export function resumeCommand(
	run: Run,
	words: string,
	{ raise = {}, model, reload, otherBranch = false }: ResumeOptions = {},
): RunCommand {
	const raised = [...raisedLimits(raise), ...(model === undefined ? [] : [{ kind: "model_changed" as const, model }])];
	const { stage } = run;
	if (stage.kind === "over") return refusedArguments(`${statusSentence(run)} Continue it in a state: reopen <state>.`);
	if (run.status === HUMAN_INTERVENTION)
		return raised.length > 0
			? checked(run, raised)
			: refusedArguments(`${statusSentence(run)} Decide: release, release <state>, or abort.`);
	if (stage.kind === "waiting") {
		const branch = otherBranch ? { otherBranch } : {};
		const how = { ...saying(words), ...(reload ? { reload } : {}), ...branch, seen: seenOf(run) };
		return checked(run, [...raised, { kind: "resumed", answers: stage.since, ...how }]);
	}
	if (stage.kind === "awaiting_provider" && !reload)
		return checked(run, [...raised, { kind: "resumed", answers: stage.since, ...saying(words), seen: seenOf(run) }]);
	if (reload)
		return refusedArguments(
			`${statusSentence(run)} --reload takes the edited template when a waiting run continues: pause it first, or rewind <visit> --reload.`,
		);
	const messages: UserEvent[] = words === "" ? [] : [{ kind: "told", text: words, seen: seenOf(run) }];
	const events = [...raised, ...messages];
	return events.length === 0 ? { kind: "nothing" } : checked(run, events);
}

function raisedLimits({ state, ...limits }: RaisedLimits): UserEvent[] {
	if (Object.keys(limits).length === 0) return [];
	return [{ kind: "limits_changed", limits, state }];
}

/**
 * Releases the run from `human_intervention`, or sends it from another wait to a state. `text`: words, after the state `to` if their beginning
 * names one.
 */
export function releaseCommand(run: Run, to: string | undefined, text: string, done = false): RunCommand {
	const known = to === undefined ? undefined : stateOf(run, to);
	const words = known === undefined ? text : afterState(text, to);
	if (to !== undefined && known === undefined && !(done || isWords(run, to, text))) return noState(run, to);
	const { stage } = run;
	if (stage.kind === "asking" && known !== undefined && !done)
		return {
			kind: "answer",
			approval: { kind: "sent", to: known, ...saying(words) },
			question: stage.question,
		};
	if (stage.kind !== "waiting" && stage.kind !== "asking")
		return refusedArguments(`${unasked(run)} Only a waiting run can be sent to a state.`);
	const answers = stage.kind === "asking" ? stage.question.seq : stage.since;
	return checked(run, [
		{
			kind: "released",
			answers,
			to: known,
			...(done ? { done } : {}),
			...saying(words),
			seen: seenOf(run),
		},
	]);
}

/** Whether a text that begins with `first`, which is no state, is a message alone: no state is needed, and none was misspelled. */
function isWords(run: Run, first: string, text: string): boolean {
	return run.status === HUMAN_INTERVENTION && text !== first && didYouMean(first, run.plan.states.keys()) === "";
}

/** What the user wrote after the name of a state, with its lines. */
function afterState(text: string, state = ""): string {
	const start = text.trimStart();
	const name = [state, `"${state}"`, `'${state}'`].find((written) => start.startsWith(written));
	return (name === undefined ? start.replace(/^\S+/, "") : start.slice(name.length)).trim();
}

/** `text`: the state, and words after it. */
export function reopenCommand(run: Run, to: string, text: string): RunCommand {
	const known = stateOf(run, to);
	if (known === undefined) return noState(run, to);
	const words = afterState(text, to);
	const { stage } = run;
	if (stage.kind !== "over") return refusedArguments(`${statusSentence(run)} Only a finished run can be reopened.`);
	return checked(run, [{ kind: "reopened", answers: stage.since, to: known, ...saying(words), seen: seenOf(run) }]);
}

/** Joins the files of a run apart that has ended, or continues to. `otherBranch`: although another branch is checked out. */
export function joinCommand(run: Run, otherBranch: boolean): RunCommand {
	if (run.children?.ofCopy) return resumeCommand(run, "", { otherBranch });
	return takingCommand(run, { kind: "join_requested", ...(otherBranch ? { otherBranch } : {}) });
}

/** Records that a branch or a patch was made of the files of a run apart. */
export function takenCommand(run: Run, as: "branch" | "patch", name: string): RunCommand {
	return takingCommand(run, { kind: "copy_taken", as, name });
}

export function discardCommand(run: Run): RunCommand {
	return takingCommand(run, { kind: "copy_discarded" });
}

type Taking = Extract<UserEvent, { kind: "join_requested" | "copy_taken" | "copy_discarded" }>;
type WithoutAnswer<Event> = Event extends unknown ? Omit<Event, "answers"> : never;

function takingCommand(run: Run, event: WithoutAnswer<Taking>): RunCommand {
	const { stage } = run;
	// The machine says why it refuses a run that is not over.
	return checked(run, [{ ...event, answers: stage.kind === "over" ? stage.since : 0 }]);
}

export function tellCommand(run: Run, words: string): RunCommand {
	if (words === "") return refusedArguments("Write the message: tell <text>.");
	return checked(run, [{ kind: "told", text: words, seen: seenOf(run) }]);
}

export function pauseCommand(run: Run): RunCommand {
	return checked(run, [{ kind: "pause_requested", cause: "person", detail: "Paused by you." }]);
}

export function abortCommand(run: Run, words: string): RunCommand {
	return checked(run, [{ kind: "abort_requested", ...saying(words) }]);
}

export function rewindCommand(
	run: Run,
	visit: number,
	start: VisitStart | undefined,
	reload?: TemplateReload,
): RunCommand {
	if (visit < 1 || visit > run.visit || !Number.isInteger(visit))
		return refusedArguments(`The run has ${counted(run.visit, "visit")}: rewind <1…${run.visit}>.`);
	if (!start) return refusedArguments(`Visit ${visit} has not started, or is no longer in the record.`);
	if (start.tree === null)
		return refusedArguments(
			`The files of visit ${visit} could not be recorded when it started, so they cannot be restored.`,
		);
	if (start.state === HUMAN_INTERVENTION)
		return refusedArguments(`Visit ${visit} is ${HUMAN_INTERVENTION}: there is nothing to restore.`);
	const { state, tree, snapshot, pairMoves } = start;
	const how = { ...(reload ? { reload } : {}), seen: seenOf(run) };
	const event = { kind: "rewind_requested", to: visit, state, tree, snapshot, pairMoves, ...how } as const;
	return rewindOf(checked(run, [event]), start);
}

/** Undoes a rewind. */
export function undoCommand(run: Run, seq: number, start: VisitStart | undefined): RunCommand {
	const names = run.kept.map((state) => `kept-${state.seq}`);
	const there = names.length === 0 ? "No rewind of this run has saved files." : `Saved: ${names.join(", ")}.`;
	if (!start || start.tree === null) return refusedArguments(`kept-${seq} does not exist. ${there}`);
	const { visit, state, tree, snapshot, pairMoves } = start;
	const event = { kind: "rewind_requested", to: visit, state, tree, snapshot, pairMoves, kept: seq } as const;
	return rewindOf(checked(run, [event]), start);
}

function rewindOf(command: RunCommand, { checkedOut }: VisitStart): RunCommand {
	return command.kind === "events" ? { ...command, startedOn: checkedOut } : command;
}

/** The status of a run that does not ask what a user answers, with who has answered it, if somebody has. */
function unasked(run: Run): string {
	return [statusSentence(run), lastAnswer(run)].filter((part) => part !== undefined).join(" ");
}

function statusSentence({ id, status, state }: Run): string {
	const short = id.slice(0, 8);
	switch (status) {
		case "running":
			return `The run ${short} is in "${state}" and is not waiting for you.`;
		case "asks":
			return `The run ${short} waits for the answer to a question in "${state}".`;
		case "awaiting_provider":
			return `The run ${short} waits for the provider in "${state}".`;
		case "awaiting_approval":
			return `The run ${short} waits for an approval in "${state}".`;
		case "paused":
			return `The run ${short} is paused in "${state}".`;
		case "budget_exceeded":
			return `The run ${short} has reached a limit in "${state}".`;
		case "human_intervention":
			return `The run ${short} waits for your decision.`;
		case "done":
		case "failed":
		case "aborted":
			return `The run ${short} is over (${status}).`;
	}
}

function stateOf(run: Run, written: string): string | undefined {
	const plain = (name: string): string => name.toLowerCase().replace(/[-_\s]/g, "");
	const names = statesOf(run);
	const alike = names.filter((name) => plain(name) === plain(written));
	return alike.find((name) => name === written) ?? (alike.length === 1 ? alike[0] : undefined);
}

/** States that a run can be sent to. */
export function statesOf(run: Run): string[] {
	return [...run.plan.states.keys()].filter((name) => name !== HUMAN_INTERVENTION);
}

function noState(run: Run, written: string): RunCommand {
	const names = statesOf(run);
	return refusedArguments(
		`"${written}" is not a state of this run.${didYouMean(written, names)} States: ${names.join(", ")}.`,
	);
}

function seenOf({ visit, attempt }: Run): Seen {
	return { visit, attempt };
}

/** Why a message is refused; `undefined` if its length is valid. */
export function tooLong({ length }: string): string | undefined {
	return length > MESSAGE_LENGTH
		? `A message can have at most ${MESSAGE_LENGTH} characters; this one has ${length}. Put the long part in a file and name the file.`
		: undefined;
}

/** Refuses an answer to visit `seen` if the run has left it. */
export function refuseEarlier(run: Run, seen: number): RunCommand | undefined {
	const earlier = decidedEarlier(run, { visit: seen });
	return earlier && refusedArguments(earlier.message);
}

/** Refuses an answer to the event `seen` if the run no longer waits for it. */
export function refuseOther(run: Run, seen: number): RunCommand | undefined {
	// A paused run takes the answer to its question, too.
	if (awaitedAnswer(run) === seen || unansweredQuestion(run)?.seq === seen) return undefined;
	const question = openQuestion(run);
	if (question && isAnswerTo(question, seen)) return undefined;
	const why = [firstAnswer(run, seen), statusSentence(run)].filter((part) => part !== undefined).join(" ");
	return refusedArguments(`The run no longer waits for an answer to event ${seen}. ${why} Check its status.`);
}

/** Refuses an approval of the files in `tree` if the run asks about others. */
export function refuseOtherFiles({ stage }: Run, tree: string): RunCommand | undefined {
	if (stage.kind !== "asking" || stage.question.diff === tree) return undefined;
	return refusedArguments("The files have changed since you saw the question. Look at it again.");
}

function saying(words: string): { readonly words?: string } {
	return words === "" ? {} : { words };
}

function refusedArguments(message: string): RunCommand {
	return { kind: "refused", message };
}

/** The events, if the machine accepts them in this order. */
function checked(run: Run, events: readonly UserEvent[]): RunCommand {
	let at = run;
	for (const event of events) {
		const batch = decide(at, event, run.updatedAt);
		if (isRefusal(batch)) return refusedArguments(batch.message);
		at = batch.run;
	}
	return { kind: "events", events };
}
