// Actions on child runs: starting and following one until it parks or ends, stopping it, passing it the current ceilings.
// A child is supervised at most once; its spend is recorded before its end; nothing is recorded once the supervision ends: the
// next supervisor finds the child's run in its recorded state.
import {
	activityOf,
	type ChildEnded,
	type ChildRun,
	type ChildWait,
	ceilingsOf,
	childrenPlanOf,
	childTimeLeft,
	copyId,
	decisionsSince,
	type Run,
	type RunChild,
	type StopChild,
	type TreeCeilings,
	type WaitingBelow,
} from "@pi-chronicle/core/machine";
import type { ChildFolder, ChildSupervision, Result, Supervision, SupervisionEnd } from "@pi-chronicle/core/ports";
import { cutText } from "@pi-chronicle/core/snapshot";
import { HUMAN_INTERVENTION } from "@pi-chronicle/core/template";
import { type EndOfChild, endedEvent } from "./child-end.ts";
import { ChildReporter, shownOf } from "./child-reporter.ts";
import { setUpChild } from "./child-setup.ts";
import { type ExecutorContext, nowOf, outerRemainder } from "./executor-context.ts";
import { changesBetween } from "./file-actions.ts";

type FilesOfChild = Pick<ChildEnded, "tree" | "base" | "changes" | "more" | "changed" | "ignored">;

const neverStarted = "It was stopped before it started.";
const released = {
	ok: false,
	failure: { reason: "stopped", message: "The supervision ends.", remedy: "Resume the run." },
} as const;

/** The child runs of one supervision. */
export class ChildActions {
	readonly #context: ExecutorContext;
	readonly #alive = new Map<string, ChildSupervision>();
	/** Actions that start or follow a child. */
	readonly #following = new Map<string, Promise<void>>();
	readonly #reporters = new Set<ChildReporter>();
	/** Aborts set-up commands. */
	readonly #stop = new AbortController();
	/** Fires when the workers of the children have used up the time of the run. */
	#timer: NodeJS.Timeout | undefined;
	#stopped = false;

	constructor(context: ExecutorContext) {
		this.#context = context;
	}

	/**
	 * Supervises the child and resolves once it is recorded that it parked or ended. A child that starts again at once, because of what was recorded, is
	 * supervised after the action that recorded it.
	 */
	run({ visit, child }: RunChild): Promise<void> {
		return this.#after(child, async () => {
			if (!isDue(this.#context.run(), child)) return;
			if (child.id === copyId(this.#context.run().id)) await this.#keepCopy(visit, child);
			else await this.#supervise(visit, child);
		});
	}

	/** Pauses or aborts the child. */
	async stop({ visit, child, how, detail }: StopChild): Promise<void> {
		const live = this.#alive.get(child.id);
		if (live) await this.#submitStop(live, how, detail);
		await this.#after(child, async () => {
			if (!isOver(this.#context.run(), child)) await this.#stopUnsupervised(visit, child, how, detail);
		});
	}

	updateLimits(): void {
		this.#watchTime();
		for (const child of this.#alive.values()) child.supervision.updateLimits();
	}

	/** Releases every child in its recorded state, and waits until none is supervised. */
	async stopAll(): Promise<void> {
		this.#stopped = true;
		clearTimeout(this.#timer);
		this.#stop.abort();
		await Promise.all([...this.#alive.values()].map(({ supervision }) => supervision.stop()));
		// Whoever began an action hears of its failure.
		await Promise.allSettled(this.#following.values());
	}

	/** Does an action on a child after its earlier actions have ended, unless the supervision has ended by then. */
	async #after({ id }: ChildRun, action: () => Promise<void>): Promise<void> {
		// The failure of an earlier action is reported to its own caller.
		for (let before = this.#following.get(id); before; before = this.#following.get(id)) await before.catch(() => {});
		if (this.#stopped) return;
		const following = action().finally(() => this.#following.delete(id));
		this.#following.set(id, following);
		await following;
	}

	/** Records the files of the copy that the run has worked in, as those of a child that is done. */
	async #keepCopy(visit: number, child: ChildRun): Promise<void> {
		const { workspace, record } = this.#context;
		const files = await this.#filesOf(visit, child, { status: "done" }, async () => {
			const kept = await workspace.keepChild(child.id);
			return kept.ok ? { ok: true, value: { tree: kept.value.tree, unkept: kept.value.unkept } } : kept;
		});
		if (!files || this.#stopped) return;
		const handover = { summary: "", data: {} };
		const ended = { kind: "child_ended", visit, child: child.id, status: "done", detail: "" } as const;
		await record({ ...ended, ...files, total: child.counted, handover });
	}

	async #supervise(visit: number, child: ChildRun): Promise<void> {
		const live = await this.#start(visit, child);
		if (!live) return;
		await goOnSupervising(this.#context.run(), child, live.supervision);
		await this.#follow(visit, child, live);
	}

	/** `undefined`: the supervision ends, or it is recorded why the child could not be started. */
	async #start(visit: number, child: ChildRun): Promise<ChildSupervision | undefined> {
		const { children, run, crashAt } = this.#context;
		const failed = (detail: string) => this.#park(visit, child, "paused", detail);
		if (!children) return failed("This supervisor cannot run children.");
		const group = run().children;
		const tree = child.merges ?? (group?.files === "own" ? (child.from ?? group.base) : null);
		const started = await children.start({
			parent: run(),
			child,
			files: tree === null ? "shared" : "own",
			tree,
			prepare: (isNew) => this.#prepareFolder(child, tree ?? "", isNew),
			ceilings: () => this.#ceilings(child),
		});
		if (!started.ok) return failed(`${started.failure.message} ${started.failure.remedy}`.trim());
		this.#alive.set(child.id, started.value);
		crashAt("child is up");
		if (this.#stopped) {
			await started.value.supervision.stop();
			this.#alive.delete(child.id);
			return undefined;
		}
		return started.value;
	}

	/** The child's own folder on this machine, set up before its first worker. */
	async #prepareFolder({ id, merges }: ChildRun, tree: string, isNew: boolean): Promise<Result<ChildFolder>> {
		const { workspace, commands, run } = this.#context;
		const { links = [], setup = [] } = childrenPlanOf(run()) ?? {};
		const opened = await workspace.openChild(id, tree, { links, hasSetup: setup.length > 0 });
		if (!opened.ok || this.#stopped) return opened.ok ? released : opened;
		if (!isNew || merges !== undefined) return opened;
		const { signal } = this.#stop;
		const set = await setUpChild({ parent: run(), commands, cwd: opened.value.cwd, signal });
		if (this.#stopped) return released;
		if (!set.ok) return set;
		await workspace.noteSetUp(id);
		return opened;
	}

	async #follow(visit: number, child: ChildRun, { supervision: live, result }: ChildSupervision): Promise<void> {
		const reporter = new ChildReporter({
			visit,
			child,
			run: () => live.run,
			activity: () => (live.activity ? live.activity() : activityOf(live.run)),
			isStopped: () => this.#stopped,
			record: (event) => this.#context.record(event),
			onCounted: () => this.updateLimits(),
		});
		this.#reporters.add(reporter);
		let detail: string | undefined;
		const unwatch = live.watch((_run, event) => {
			if (event.kind === "finished") detail = event.detail ?? "";
			void reporter.report();
		});
		await reporter.report();
		const end = await live.ended;
		unwatch();
		await reporter.report();
		reporter.close();
		this.#reporters.delete(reporter);
		await this.#recordEnd(visit, child, { ...end, detail }, result);
		this.#alive.delete(child.id);
		this.updateLimits();
	}

	async #recordEnd(
		visit: number,
		child: ChildRun,
		end: SupervisionEnd & Pick<EndOfChild, "detail">,
		result: ChildSupervision["result"],
	): Promise<void> {
		if (this.#stopped) return;
		const { run } = end;
		if (end.kind === "failed") return void (await this.#park(visit, child, "paused", end.failure.message));
		if (run.stage.kind !== "over")
			return void (await this.#park(visit, child, waitOf(run), waitDetail(run), waitingBelow(run)));
		const files = run.parent?.files === "own" ? await this.#filesOf(visit, child, run, result) : { tree: null };
		if (files && !this.#stopped)
			await this.#context.record({ ...endedEvent(visit, child, { run, detail: end.detail }), ...files });
	}

	/** The files of a child that has ended; `undefined`: it is recorded why they could not be saved. */
	async #filesOf(
		visit: number,
		child: ChildRun,
		{ status }: Pick<Run, "status">,
		result: ChildSupervision["result"],
	): Promise<FilesOfChild | undefined> {
		const { workspace, crashAt } = this.#context;
		const kept = status === "done" ? await result() : undefined;
		if (kept?.ok === false) {
			if (!this.#stopped)
				await this.#park(visit, child, "paused", `Its files could not be saved: ${kept.failure.message}`);
			return undefined;
		}
		crashAt("child files are kept");
		const left = await workspace.endChild(child.id, kept && { unkept: [], ...kept.value });
		const ignored = left.ok && left.value.ignored !== undefined ? { ignored: left.value.ignored } : {};
		if (!kept) return { tree: null, ...ignored };
		const { unkept: _, ...named } = kept.value;
		return { ...named, ...(await this.#changesOf(child, named)), ...ignored };
	}

	/** What the child has changed in its folder, as far as that is known. */
	async #changesOf(
		{ merges, from }: ChildRun,
		{ tree, base = merges ?? from ?? this.#context.run().children?.base ?? undefined }: { tree: string; base?: string },
	): Promise<Pick<ChildEnded, "changes" | "more" | "changed">> {
		if (base === undefined) return {};
		const { total: changed, ...listed } = await changesBetween(this.#context.workspace, base, tree);
		return { ...listed, ...(changed ? { changed } : {}) };
	}

	async #park(
		visit: number,
		{ id }: ChildRun,
		status: ChildWait,
		detail: string,
		below?: WaitingBelow,
	): Promise<undefined> {
		if (!this.#stopped)
			await this.#context.record({
				...{ kind: "child_parked", visit, child: id, status, detail: cutText(detail, 900).text },
				...(below ? { below } : {}),
			});
		return undefined;
	}

	/** Stops a child that is supervised; one that waits for an answer is given back. */
	async #submitStop({ supervision: live }: ChildSupervision, how: StopChild["how"], detail: string): Promise<void> {
		const { refused } = await live.submit(
			how === "abort"
				? { kind: "abort_requested", byParent: detail }
				: { kind: "pause_requested", cause: "parent", detail },
		);
		if (refused !== undefined) await live.stop();
	}

	async #stopUnsupervised(visit: number, child: ChildRun, how: StopChild["how"], detail: string): Promise<void> {
		const { children, record } = this.#context;
		if (how === "pause") return void (await this.#park(visit, child, "paused", detail));
		if (!children || !(await children.exists(child.id))) {
			const ended = { kind: "child_ended", visit, child: child.id, status: "aborted", detail: neverStarted } as const;
			await record({ ...ended, tree: null, total: child.counted, handover: { summary: "", data: {} } });
			return;
		}
		const live = await this.#start(visit, child);
		if (!live) return;
		await Promise.all([this.#follow(visit, child, live), this.#submitStop(live, how, detail)]);
	}

	/** What this run and its parents leave the child now. */
	#ceilings(child: ChildRun): TreeCeilings {
		const run = this.#context.run();
		const known = run.children?.children.find(({ id }) => id === child.id) ?? child;
		return ceilingsOf(run, known, nowOf(this.#context), outerRemainder(this.#context));
	}

	/** Has the run judge its ceilings again when the workers of its children have used up its time. */
	#watchTime(): void {
		clearTimeout(this.#timer);
		const left = this.#stopped ? undefined : childTimeLeft(this.#context.run(), nowOf(this.#context));
		// A timer's delay is 31 bits wide.
		if (left !== undefined) this.#timer = setTimeout(() => void this.#judgeTime(), Math.min(left + 1, 2 ** 31 - 1));
	}

	async #judgeTime(): Promise<void> {
		const { run, record } = this.#context;
		await Promise.all([...this.#reporters].map((reporter) => reporter.refresh()));
		const { visit, children = [] } = run().children ?? {};
		const working = children.find(({ activity }) => activity?.since !== undefined);
		if (this.#stopped || visit === undefined || !working) return;
		const { id, counted, state, activity } = working;
		await record({ kind: "child_spent", visit, child: id, ...counted, ...shownOf(state, activity) });
		if (run().children?.stopping === null) this.#watchTime();
	}
}

/**
 * Tells a child that began before what the user has decided in its parents since, and resumes it if its parent paused it, or the user resumed it
 * with its parent. Submitted together: between two events, a run that waits is given back.
 */
async function goOnSupervising(parent: Run, child: ChildRun, supervision: Supervision): Promise<void> {
	const { run } = supervision;
	const { stage, status, hold } = run;
	if (stage.kind === "over") return;
	const decisions = decisionsSince(parent, run).map((decision) => ({ kind: "decision_inherited", decision }) as const);
	const resumes =
		stage.kind === "waiting" && status !== HUMAN_INTERVENTION && (child.resume || hold?.cause === "parent");
	const events = [...decisions, ...(resumes ? [{ kind: "resumed", answers: stage.since } as const] : [])];
	await Promise.all(events.map((event) => supervision.submit(event)));
}

/** Whether the child is still to be started for the `starts`-th time. */
function isDue(run: Run, { id, starts }: ChildRun): boolean {
	const child = run.children?.children.find((one) => one.id === id);
	return child?.status === "pending" && child.starts === starts;
}

function isOver(run: Run, { id }: ChildRun): boolean {
	const child = run.children?.children.find((one) => one.id === id);
	return !child || !(child.status === "pending" || child.status === "parked" || child.dropping);
}

function waitOf({ status }: Run): ChildWait {
	return status === "asks" ||
		status === "awaiting_approval" ||
		status === "budget_exceeded" ||
		status === "human_intervention"
		? status
		: "paused";
}

/** The run further down for which this one waits; `undefined`: the user has to answer this one. */
function waitingBelow({ stage, question, children }: Run): WaitingBelow | undefined {
	const parked = children?.children.find(({ status }) => status === "parked");
	if (stage.kind === "asking" || question || !parked) return undefined;
	return parked.below ?? { run: parked.id, status: parked.waits ?? "paused" };
}

function waitDetail(run: Run): string {
	const { stage, hold, notices, state } = run;
	if (stage.kind === "asking")
		return stage.question.side === "conflict"
			? "it asks how to resolve conflicts."
			: `it asks to move from ${state} to ${stage.question.target}.`;
	if (hold?.cause === "question") return `it asks: ${hold.detail}`;
	const summary = run.status === HUMAN_INTERVENTION ? (run.snapshot.summaries.at(-1)?.text ?? "") : "";
	if (hold && summary !== "") return `${hold.detail} It says: ${summary.split("\n", 1)[0]}`;
	return hold?.detail ?? notices.at(-1) ?? `it is ${run.status} in ${state}.`;
}
