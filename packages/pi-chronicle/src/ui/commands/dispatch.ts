// Delivers a command to a run: directly if this process supervises it, through the inbox if another process does, otherwise by resuming it here.
// A command is recorded once. A resumed run reads its inbox first. An approval covers the question that was shown: if the files have changed
// since, the question is asked again.

import {
	type ApprovalQuestion,
	decidedEarlier,
	firstAnswer,
	isAnswerTo,
	isParked,
	openQuestion,
	type Run,
	type UserEvent,
} from "@pi-chronicle/core/machine";
import type { Approval, Approver, HeldLedger, LeaseHolder, ReadLedger } from "@pi-chronicle/core/ports";
import {
	answerEvent,
	explainDistrust,
	nobody,
	type Project,
	type SupervisedRun,
	startSupervision,
} from "../../local/index.ts";
import { asksUser } from "../phrases/index.ts";
import { askHere, deliverToChild } from "./child-dispatch.ts";
import type { DispatchOptions, DispatchResult, Supervisors } from "./delivery.ts";
import { bringResolution, postAll, waitForReading } from "./delivery.ts";
import type { RunCommand } from "./run-command.ts";

type DeliverableCommand = Exclude<RunCommand, { kind: "refused" }>;
type MakeCommand = (ledger: ReadLedger) => RunCommand | Promise<RunCommand>;

/** Milliseconds for the supervisor in another process to read its inbox. */
const readingMs = 5000;
const pollMs = 50;
/** Milliseconds for a process that continues a run to start and to read its inbox. */
const startingMs = 15_000;
const enginePollMs = 200;
const maxTries = 5;

/** Delivers the command that `make` derives from the current run. */
export async function dispatch(
	project: Project,
	id: string,
	make: MakeCommand,
	options: DispatchOptions,
): Promise<DispatchResult> {
	const { live } = options;
	if (live) {
		const command = await make({ ...live.ledger, run: live.supervision.run });
		return command.kind === "refused" ? command : deliverHere(live, command);
	}
	for (let left = maxTries; left > 0; left -= 1) {
		const result = await deliverEvents(project, id, make, options);
		const isHeld = result?.kind === "failed" && result.failure.reason === "held";
		if (result && (!isHeld || left === 1)) return result;
	}
	return { kind: "refused", message: "The run keeps changing its supervisor. Check its status, then try again." };
}

/** One attempt; `undefined` if the supervisor has released the run in the meantime. */
async function deliverEvents(
	project: Project,
	id: string,
	make: MakeCommand,
	options: DispatchOptions,
): Promise<DispatchResult | undefined> {
	const read = await project.store.read(id);
	if (!read.ok) return { kind: "failed", failure: read.failure };
	const command = await commandFor(project, read.value, make);
	if (command.kind === "refused") return command;
	const { holder, run } = read.value;
	const dropped =
		command.kind === "events" && command.events.some((event) => event.kind === "child_dropped" && event.child === id);
	if (project.engine && command.kind === "nothing" && asksUser(run)) return deliverAnswer(project, run, options);
	if (run.parent && dropped) return dispatch(project, run.parent.run, async () => command, options);
	if (run.parent) return deliverToChild(project, read.value, eventsOf(run, command), options);
	if (project.engine) return deliverToEngine(project, run, command);
	if (holder && holder.alive !== "no") {
		if (command.kind !== "nothing") return deliverToInbox(project, run, holder, command);
		return { kind: "refused", message: `The run is supervised by another process (pid ${holder.pid}).` };
	}
	return deliverToNobody(project, run, command, options);
}

/** Delivers to a run that no process supervises: it continues here, or where others supervise runs. */
async function deliverToNobody(
	project: Project,
	run: Run,
	command: DeliverableCommand,
	options: DispatchOptions,
): Promise<DispatchResult> {
	const distrust = explainDistrust(project, run);
	if (distrust !== undefined) return { kind: "refused", message: distrust };
	const { supervisors, afterwards } = options;
	if (supervisors) return leaveToSupervisors(project, run, command, supervisors, afterwards);
	const opened = await project.store.open(run.id);
	return opened.ok ? resumeHere(project, opened.value, command, options) : { kind: "failed", failure: opened.failure };
}

/** The command for the run of `ledger`, with what an engine's host needs for it. */
async function commandFor({ engine }: Project, ledger: ReadLedger, make: MakeCommand): Promise<RunCommand> {
	const command = await make(ledger);
	return engine ? bringResolution(engine, ledger, command) : command;
}

async function deliverHere({ supervision }: SupervisedRun, command: DeliverableCommand): Promise<DispatchResult> {
	const events = eventsOf(supervision.run, command);
	// Only what is posted waits until an open question is asked again.
	const isAsked = events.length > 0 && supervision.run.stage.kind === "asking";
	if (command.kind === "answer" && !isAsked) return questionChanged(supervision.run, command.question);
	for (const event of events) {
		const { refused, failure } = await supervision.submit(event);
		if (failure) return { kind: "failed", failure };
		if (refused !== undefined) return { kind: "refused", message: refused };
	}
	return { kind: "said" };
}

/** Whoever stores it knows whether the question was answered before, perhaps by an answer that no host has recorded yet. */
function answerTo({ question, approval }: DeliverableCommand & { readonly kind: "answer" }): readonly UserEvent[] {
	const event = answerEvent(question, approval);
	return event ? [event] : [];
}

function eventsOf(run: Run, command: DeliverableCommand): readonly UserEvent[] {
	switch (command.kind) {
		case "nothing":
			return [];
		case "events":
			return command.events;
		case "answer": {
			const question = openQuestion(run);
			const event = question?.seq === command.question.seq ? answerEvent(question, command.approval) : undefined;
			return event ? [event] : [];
		}
	}
}

async function resumeHere(
	project: Project,
	ledger: HeldLedger,
	command: DeliverableCommand,
	{ approver, afterwards, notice }: DispatchOptions,
): Promise<DispatchResult> {
	const before = ledger.run;
	// The run may have moved on before the lease was acquired.
	if (command.kind === "answer" && !asksStill(before, command.question)) {
		await ledger.releaseLease();
		return questionChanged(before, command.question);
	}
	const asked = afterwards === "release" ? nobody : approver;
	const answering =
		command.kind === "answer" ? answerShownQuestion(asked, command.approval, command.question, notice) : asked;
	const live = startSupervision(project, ledger, answering, "reopened");
	const { supervision } = live;
	// Submitted together, so that no other action starts in between.
	const replies = command.kind === "events" ? command.events.map((event) => supervision.submit(event)) : [];
	// A parked run stays parked; one that was running must not continue because of this command.
	const release = (): typeof supervision.ended => (isParked(before) ? supervision.ended : supervision.stop());
	const over = afterwards === "release" ? release() : undefined;
	for (const reply of replies) {
		const { refused, failure } = await reply;
		if (refused === undefined) continue;
		await (over ?? supervision.stop());
		return failure ? { kind: "failed", failure } : { kind: "refused", message: refused };
	}
	if (!over) return { kind: "attended", live, before };
	const end = await over;
	return end.kind === "failed" ? { kind: "failed", failure: end.failure } : { kind: "recorded", run: end.run };
}

/**
 * Answers the question that was shown, and leaves all others to `approver`. A rejection and another target apply regardless of the files.
 */
function answerShownQuestion(
	approver: Approver,
	approval: Approval,
	seen: ApprovalQuestion,
	notice: (text: string) => void,
): Approver {
	let given = false;
	return {
		...approver,
		async approve(question, run, signal) {
			if (given) return approver.approve(question, run, signal);
			given = true;
			if (approval.kind !== "approved" || isAnswerTo(question, seen.seq)) return approval;
			notice(explainOther(run, question, seen));
			return approver.approve(question, run, signal);
		},
	};
}

/** Why an approval of `seen` does not answer `question`. */
export function explainOther(run: Run, question: ApprovalQuestion, seen: ApprovalQuestion): string {
	const isSame = question.visit === seen.visit && question.side === seen.side && question.target === seen.target;
	if (!isSame || question.diff === seen.diff)
		return `The run no longer asks the question that you answered. ${firstOf(run, seen)}This is another one: read it and answer again.`;
	return "The files have changed since you were asked, so your approval does not cover them. Review the changes and answer again.";
}

/** Puts the command into the inbox of the run's supervisor; `undefined` if the supervisor has released the run in the meantime. */
async function deliverToInbox(
	project: Project,
	run: Run,
	holder: LeaseHolder,
	command: DeliverableCommand,
): Promise<DispatchResult | undefined> {
	const events = eventsOf(run, command);
	if (events.length === 0)
		return command.kind === "answer"
			? questionChanged(run, command.question)
			: { kind: "refused", message: "The command has no effect." };
	const posted = await postAll(project, run.id, events);
	if (!posted.ok) return { kind: "failed", failure: posted.failure };
	const posts = posted.value;
	// Without a holder, no process reads the inbox anymore.
	const isLeft = async (): Promise<boolean> => {
		const now = await project.store.read(run.id);
		return now.ok && !now.value.holder;
	};
	const read = await waitForReading(posts, { ms: readingMs, pollMs, isLeft });
	if (read !== "left") return read === "taken" ? { kind: "taken", holder } : (read ?? { kind: "left", holder });
	// The command is withdrawn, so that it is recorded once, by the next supervisor.
	const withdrawn = await Promise.all(posts.map((post) => post.withdraw()));
	return withdrawn.every((back) => !back) ? { kind: "taken", holder } : undefined;
}

/** Asks the user here what a run on an engine asks, and delivers the answer. */
async function deliverAnswer(
	project: Project,
	run: Run,
	options: DispatchOptions,
): Promise<DispatchResult | undefined> {
	const answer = await askHere(project, run, options.approver, options.signal);
	if (!answer) return { kind: "postponed" };
	const { id, event } = answer;
	return deliverEvents(project, id, async () => ({ kind: "events", events: [event] }), options);
}

/** Leaves the command to the hosts of the engine, and waits a while for one to read it. */
async function deliverToEngine(project: Project, run: Run, command: DeliverableCommand): Promise<DispatchResult> {
	const { engine } = project;
	const events = command.kind === "answer" ? answerTo(command) : eventsOf(run, command);
	if (events.length === 0) {
		const woken = await engine?.wake(run.id);
		return woken?.ok === false ? { kind: "failed", failure: woken.failure } : { kind: "left" };
	}
	const posted = await postAll(project, run.id, events);
	if (!posted.ok) return { kind: "failed", failure: posted.failure };
	const read = await waitForReading(posted.value, { ms: readingMs, pollMs: enginePollMs });
	return typeof read === "object" ? read : { kind: read === "taken" ? "taken" : "left" };
}

/** Posts the command for the next supervisor, and waits a while for the one that continues the run. */
async function leaveToSupervisors(
	project: Project,
	run: Run,
	command: DeliverableCommand,
	supervisors: Supervisors,
	afterwards: DispatchOptions["afterwards"],
): Promise<DispatchResult> {
	const events = eventsOf(run, command);
	if (command.kind === "answer" && events.length === 0) return questionChanged(run, command.question);
	const posted = await postAll(project, run.id, events);
	if (!posted.ok) return { kind: "failed", failure: posted.failure };
	const isCarried = afterwards === "continue" && (await supervisors.carryOn(project, run.id));
	if (!isCarried) return { kind: "left" };
	const read = await waitForReading(posted.value, { ms: startingMs, pollMs });
	return typeof read === "object" ? read : { kind: read === "taken" ? "taken" : "left" };
}

/** Whether the run still asks the question, perhaps about files that have changed since. */
function asksStill(run: Run, seen: ApprovalQuestion): boolean {
	const now = openQuestion(run);
	return (
		now?.visit === seen.visit && now.target === seen.target && now.side === seen.side && now.summary === seen.summary
	);
}

function questionChanged(run: Run, seen: ApprovalQuestion): DispatchResult {
	const changed = decidedEarlier(run, { visit: seen.visit })?.message ?? "The question has changed.";
	return { kind: "refused", message: `${changed} ${firstOf(run, seen)}Check the run's status.` };
}

/** Who has answered the question, and a blank, or nothing. */
function firstOf(run: Run, { seq }: ApprovalQuestion): string {
	const first = firstAnswer(run, seq);
	return first === undefined ? "" : `${first} `;
}
