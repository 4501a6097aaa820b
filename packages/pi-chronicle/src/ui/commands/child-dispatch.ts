// Delivers a command to a child run: into its inbox, and to its parents as a signal to supervise it. The first run of the tree is resumed here if
// no process supervises it. Also finds the child that asks, and asks the user of this process.
import {
	awaitedAnswer,
	dueQuestion,
	openQuestion,
	type Run,
	type UserEvent,
	unansweredQuestion,
} from "@pi-chronicle/core/machine";
import type { Approver, Failure, Post, ReadLedger, Result, StoreFailure } from "@pi-chronicle/core/ports";
import {
	answerEvent,
	explainDistrust,
	type Project,
	type SupervisedRun,
	startSupervision,
	type WaitingChild,
	waitingChildren,
	watchRun,
} from "../../local/index.ts";
import { type DispatchOptions, type DispatchResult, postAll, type Supervisors, waitForReading } from "./delivery.ts";

/** Milliseconds for a supervisor to read its inbox. */
const readingMs = 10_000;
const pollMs = 50;

/** Delivers `events` to a child run. Without events, the child is only supervised again, for example to ask its question. */
export async function deliverToChild(
	project: Project,
	{ run }: ReadLedger,
	events: readonly UserEvent[],
	{ approver, afterwards, supervisors }: Pick<DispatchOptions, "approver" | "afterwards" | "supervisors">,
): Promise<DispatchResult> {
	const parents = await parentsOf(project, run);
	if (!parents.ok) return { kind: "failed", failure: parents.failure };
	const root = parents.value.at(-1);
	if (!root) return { kind: "refused", message: "The run has no parent." };
	const distrust = explainDistrust(project, root.run);
	if (distrust !== undefined) return { kind: "refused", message: distrust };
	const posted = await postAll(project, run.id, events);
	if (!posted.ok) return { kind: "failed", failure: posted.failure };
	const posts = posted.value;
	const { holder } = root;
	const supervisor = holder && holder.alive !== "no" ? holder : undefined;
	if (!supervisor && afterwards === "release") return { kind: "recorded", run };
	const failure = await signalParents(project, run, parents.value);
	if (failure) return { kind: "failed", failure };
	const kind = posts.length > 0 ? "left" : "taken";
	// Without a holder, the next free host of the engine reads it.
	const unread = supervisor ? ({ kind, holder: supervisor } as const) : ({ kind } as const);
	if (supervisor || project.engine) return (await deliveryOf(posts)) ?? unread;
	const tree = { root: root.run, child: run };
	return supervisors ? leaveTree(supervisors, project, root.run, posts) : continueTree(project, tree, posts, approver);
}

/** Supervises the tree in this process. */
async function continueTree(
	project: Project,
	tree: { readonly root: Run; readonly child: Run },
	posts: readonly Post[],
	approver: Approver,
): Promise<DispatchResult> {
	const opened = await project.store.open(tree.root.id);
	if (!opened.ok) return { kind: "failed", failure: opened.failure };
	return attendTree(startSupervision(project, opened.value, approver, "reopened"), tree, posts);
}

/** Leaves the posts to the process that continues the tree, if one does. */
async function leaveTree(
	supervisors: Supervisors,
	project: Project,
	root: Run,
	posts: readonly Post[],
): Promise<DispatchResult> {
	const isCarried = await supervisors.carryOn(project, root.id);
	return (isCarried ? await deliveryOf(posts) : undefined) ?? { kind: "left" };
}

async function parentsOf({ store }: Project, child: Run): Promise<Result<readonly ReadLedger[], StoreFailure>> {
	const parents: ReadLedger[] = [];
	for (let next = child.parent?.run; next !== undefined; ) {
		const read = await store.read(next);
		if (!read.ok) return read;
		parents.push(read.value);
		next = read.value.run.parent?.run;
	}
	return { ok: true, value: parents };
}

async function signalParents(
	{ store }: Project,
	child: Run,
	parents: readonly ReadLedger[],
): Promise<Failure | undefined> {
	let below = child.id;
	for (const { run } of parents) {
		const posted = await store.post(run.id, { kind: "child_signaled", child: below });
		if (!posted.ok) return posted.failure;
		below = run.id;
	}
	return undefined;
}

/** `undefined`: not everything has been read yet. */
async function deliveryOf(posts: readonly Post[]): Promise<DispatchResult | undefined> {
	const read = await waitForReading(posts, { ms: readingMs, pollMs });
	return read === "taken" ? { kind: "said" } : typeof read === "object" ? read : undefined;
}

/** Supervises the tree here, unless the child refuses the command. */
async function attendTree(
	live: SupervisedRun,
	{ root, child }: { readonly root: Run; readonly child: Run },
	posts: readonly Post[],
): Promise<DispatchResult> {
	const over = live.supervision.ended.then(() => undefined);
	const read = await Promise.race([deliveryOf(posts), over]);
	if (read?.kind !== "refused") return { kind: "attended", live, before: root, child };
	await live.supervision.stop();
	return read;
}

/** Whether it asks for an approval. */
export function asksApproval(run: Run): boolean {
	return openQuestion(run) !== undefined;
}

/** Whether its worker asks the user. */
export function asksAnswer(run: Run): boolean {
	return unansweredQuestion(run) !== undefined;
}

function asksUser(run: Run): boolean {
	return asksApproval(run) || asksAnswer(run);
}

/**
 * The run that asks for an approval or an answer, or its children at any depth that do. `named`: only those that have this name or the beginning of
 * this id, or a run above them that has the name.
 */
export async function askingChildren(
	{ store }: Pick<Project, "store">,
	run: Run,
	asks: (run: Run) => boolean = asksUser,
	named?: string,
): Promise<readonly Run[]> {
	if (asks(run) && named === undefined) return [run];
	const waiting = await waitingChildren(store, run);
	const written = named?.trim().toLowerCase();
	const isNamed = ({ names, read }: WaitingChild): boolean =>
		written === undefined ||
		(written !== "" && (names.some((name) => name.toLowerCase() === written) || read.run.id.startsWith(written)));
	return waiting
		.filter(isNamed)
		.map(({ read }) => read.run)
		.filter(asks);
}

export interface AnswerHere {
	/** The run that asked: the one that was named, or a child. */
	readonly id: string;
	readonly event: UserEvent;
}

interface Asked {
	readonly seq: number;
	ask(approver: Approver, signal: AbortSignal): Promise<UserEvent | undefined>;
}

function askedByRun(run: Run): Asked | undefined {
	const approval = openQuestion(run);
	if (approval) {
		const ask: Asked["ask"] = async (approver, signal) =>
			answerEvent(approval, { via: approver.via, ...(await approver.approve(approval, run, signal)) });
		return { seq: approval.seq, ask };
	}
	const question = dueQuestion(run);
	if (!question) return undefined;
	const { seq } = question;
	return {
		seq,
		async ask(approver, signal) {
			const words = await approver.ask(question, run, signal);
			return words === undefined
				? undefined
				: { kind: "ask_answered", answers: seq, verdict: "answered", words, via: approver.via };
		},
	};
}

/** The user's answer to the question of `run`, or of its child that asks first; `undefined`: none. A question that is answered elsewhere closes. */
export async function askHere(
	project: Project,
	run: Run,
	approver: Approver,
	signal?: AbortSignal,
): Promise<AnswerHere | undefined> {
	const [asking] = await askingChildren(project, run);
	const asked = asking && askedByRun(asking);
	if (!asking || !asked) return undefined;
	const over = new AbortController();
	const close = (): void => over.abort();
	signal?.addEventListener("abort", close, { once: true });
	if (signal?.aborted) close();
	const unwatch = watchRun(project, asking.id, ({ run: now }) => {
		if (awaitedAnswer(now) !== asked.seq) close();
	});
	try {
		const event = await asked.ask(approver, over.signal);
		return event && !over.signal.aborted ? { id: asking.id, event } : undefined;
	} finally {
		unwatch();
		signal?.removeEventListener("abort", close);
	}
}
