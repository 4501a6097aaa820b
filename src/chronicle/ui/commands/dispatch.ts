// Bringing a person's word to a run: to the supervision in this process, to another process that has the run, or by taking the run up here.
// Q1 a word is recorded once; Q2 a run that nobody has is taken up, and what was said before is said to it first; Q3 an approval holds for
// the question that was seen: where the files have changed since, the question is asked anew.
import { setTimeout as sleep } from "node:timers/promises";
import {
	type Approval,
	type ApprovalQuestion,
	type Approver,
	decidedEarlier,
	type Failure,
	isParked,
	type LeaseHolder,
	type PersonEvent,
	type Post,
	type ReadLedger,
	type Run,
} from "../../core/index.ts";
import {
	answerEvent,
	explainDistrust,
	nobody,
	type Project,
	type SupervisedRun,
	startSupervision,
} from "../../engine/index.ts";
import type { RunCommand } from "./run-command.ts";

export type DispatchResult =
	/** The run goes on in this process. */
	| { readonly kind: "attended"; readonly live: SupervisedRun; readonly before: Run }
	/** Said to the supervision in this process. */
	| { readonly kind: "said" }
	/** Recorded; nobody goes on with the run. */
	| { readonly kind: "recorded"; readonly run: Run }
	/** Taken by the process that has the run. */
	| { readonly kind: "taken"; readonly holder: LeaseHolder }
	/** Left for the process that has the run; it has not taken it yet. */
	| { readonly kind: "left"; readonly holder: LeaseHolder }
	| { readonly kind: "refused"; readonly message: string }
	| { readonly kind: "failed"; readonly failure: Failure };

export interface DispatchOptions {
	readonly approver: Approver;
	/** The supervision of the run, if this process has it. */
	readonly live?: SupervisedRun | undefined;
	/** Tells the person something on the way. */
	readonly notice: (text: string) => void;
	/** Whether a run that nobody has goes on after the word, or only gets it. */
	readonly afterwards: "go on" | "let go";
}

/** Milliseconds that the process that has the run may take to hear. */
const hearingMs = 5000;
const lookMs = 50;

/** Says what `make` makes of the run as it stands. */
export async function dispatch(
	project: Project,
	id: string,
	make: (ledger: ReadLedger) => RunCommand | Promise<RunCommand>,
	options: DispatchOptions,
): Promise<DispatchResult> {
	const { live } = options;
	if (live) {
		const word = await make({ ...live.ledger, run: live.supervision.run });
		return word.kind === "refused" ? word : deliverHere(live, word);
	}
	// Whoever has the run may let it go meanwhile: then it is taken up here.
	for (let again = 0; ; again += 1) {
		const read = await project.store.read(id);
		if (!read.ok) return { kind: "failed", failure: read.failure };
		const word = await make(read.value);
		if (word.kind === "refused") return word;
		const { holder } = read.value;
		if (holder && holder.alive !== "no") {
			if (word.kind === "nothing")
				return { kind: "refused", message: `The run is supervised by another process (pid ${holder.pid}).` };
			const result = await deliverToInbox(project, read.value, holder, word);
			if (result) return result;
		} else {
			const distrust = explainDistrust(project, read.value.run);
			if (distrust !== undefined) return { kind: "refused", message: distrust };
			const opened = await project.store.open(id);
			if (opened.ok) return resumeHere(project, opened.value, word, options);
			if (opened.failure.reason !== "held" || again > 3) return { kind: "failed", failure: opened.failure };
		}
		if (again > 3)
			return { kind: "refused", message: "The run keeps changing its supervisor. Look at its status, and try again." };
	}
}

async function deliverHere(
	live: SupervisedRun,
	word: Exclude<RunCommand, { kind: "refused" }>,
): Promise<DispatchResult> {
	const { supervision } = live;
	const events = eventsOf(supervision.run, word);
	if (events.length === 0 && word.kind === "answer") return changedSince(supervision.run, word.question);
	for (const event of events) {
		const { refused, failure } = await supervision.submit(event);
		if (failure) return { kind: "failed", failure };
		if (refused !== undefined) return { kind: "refused", message: refused };
	}
	return { kind: "said" };
}

/** The events of a word for a run whose question stands as it was seen. */
function eventsOf(run: Run, word: Exclude<RunCommand, { kind: "refused" }>): readonly PersonEvent[] {
	switch (word.kind) {
		case "nothing":
			return [];
		case "events":
			return word.events;
		case "answer": {
			const question = run.stage.kind === "asking" ? run.stage.question : undefined;
			const event = question?.seq === word.question.seq ? answerEvent(question, word.approval) : undefined;
			return event ? [event] : [];
		}
	}
}

async function resumeHere(
	project: Project,
	ledger: Parameters<typeof startSupervision>[1],
	word: Exclude<RunCommand, { kind: "refused" }>,
	{ approver, afterwards, notice }: DispatchOptions,
): Promise<DispatchResult> {
	const before = ledger.run;
	// Whoever had it may have moved on between the look and the lease.
	if (word.kind === "answer" && !asksStill(before, word.question)) {
		await ledger.releaseLease();
		return changedSince(before, word.question);
	}
	const asked = afterwards === "let go" ? nobody : approver;
	const answering = word.kind === "answer" ? answerOnce(asked, word.approval, word.question.seq, notice) : asked;
	const live = startSupervision(project, ledger, answering, "reopened");
	const { supervision } = live;
	// Said in one breath, so that nothing else is begun in between.
	const replies = word.kind === "events" ? word.events.map((event) => supervision.submit(event)) : [];
	// A run that waits goes on waiting; one that was at work does not begin again for a word.
	const letGo = (): typeof supervision.ended => (isParked(before) ? supervision.ended : supervision.stop());
	const over = afterwards === "let go" ? letGo() : undefined;
	for (const reply of replies) {
		const { refused, failure } = await reply;
		if (refused === undefined) continue;
		await (over ?? supervision.stop());
		if (failure) return { kind: "failed", failure };
		return { kind: "refused", message: refused };
	}
	if (!over) return { kind: "attended", live, before };
	const end = await over;
	return end.kind === "failed" ? { kind: "failed", failure: end.failure } : { kind: "recorded", run: end.run };
}

/** Answers the question that was seen; any other goes to `approver`. A no and another way hold whatever the files are. */
function answerOnce(approver: Approver, approval: Approval, seen: number, notice: (text: string) => void): Approver {
	let given = false;
	return {
		...approver,
		async approve(question, run, signal) {
			if (given) return approver.approve(question, run, signal);
			given = true;
			if (approval.kind !== "approved" || question.seq === seen) return approval;
			notice(
				"The files have changed since you were asked, so your approval does not cover them. Look at the changes, and answer again.",
			);
			return approver.approve(question, run, signal);
		},
	};
}

/** Leaves the word for the process that has the run; `undefined` where that has let it go meanwhile. */
async function deliverToInbox(
	{ store }: Project,
	{ run }: ReadLedger,
	holder: LeaseHolder,
	word: Exclude<RunCommand, { kind: "refused" }>,
): Promise<DispatchResult | undefined> {
	const events = eventsOf(run, word);
	if (events.length === 0)
		return word.kind === "answer"
			? changedSince(run, word.question)
			: { kind: "refused", message: "The command changes nothing." };
	const posts: Post[] = [];
	for (const event of events) {
		const posted = await store.post(run.id, event);
		if (!posted.ok) return { kind: "failed", failure: posted.failure };
		posts.push(posted.value);
	}
	for (const until = performance.now() + hearingMs; performance.now() < until; await sleep(lookMs)) {
		const states = await Promise.all(posts.map((post) => post.state()));
		const refused = states.find((state) => state.kind === "refused");
		if (refused) return { kind: "refused", message: refused.reason };
		if (states.every(({ kind }) => kind === "taken")) return { kind: "taken", holder };
		const now = await store.read(run.id);
		if (!now.ok || now.value.holder) continue;
		// Nobody takes it any more: it is taken back, so that it is said once, by whoever takes the run up.
		const withdrawn = await Promise.all(posts.map((post) => post.withdraw()));
		return withdrawn.every((back) => !back) ? { kind: "taken", holder } : undefined;
	}
	return { kind: "left", holder };
}

/** Whether the run asks what it asked, perhaps of files that have changed since. */
function asksStill({ stage }: Run, seen: ApprovalQuestion): boolean {
	const now =
		stage.kind === "asking"
			? stage.question
			: stage.kind === "stopping" && stage.after.kind === "ask"
				? stage.after.earlier
				: null;
	return (
		now?.visit === seen.visit && now.target === seen.target && now.side === seen.side && now.summary === seen.summary
	);
}

function changedSince(run: Run, { visit }: ApprovalQuestion): DispatchResult {
	const earlier = decidedEarlier(run, { visit });
	return { kind: "refused", message: earlier?.message ?? "The question has changed. Look at the run again." };
}
