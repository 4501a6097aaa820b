// Actions on child runs: starting and following one until it parks or ends, stopping it, passing it the current ceilings.
// A1 a child is supervised at most once; A2 its spend is recorded before its end; A3 nothing is recorded once the supervision ends: the
// next supervisor finds the child's run in its recorded state.
import {
	type Action,
	allowanceOf,
	type Ceilings,
	type ChildRun,
	type ChildSpend,
	type ChildSupervision,
	childrenPlanOf,
	cutText,
	type EventBody,
	explainResult,
	outputsOf,
	type Run,
	type SnapshotData,
	type Supervision,
	type SupervisionEnd,
	type Workspace,
} from "../../core/index.ts";
import { ChildReporter, totalOf } from "./child-reporter.ts";
import type { ExecutorContext } from "./executor-context.ts";
import { changesBetween } from "./file-actions.ts";

type RunChild = Extract<Action, { kind: "run_child" }>;
type ChildEnded = Extract<EventBody, { kind: "child_ended" }>;
type StopChild = Extract<Action, { kind: "stop_child" }>;

/** Maximum entries that a child passes to its parent. */
const maxHandedOver = 20;
const handedOverBytes = 1000;
const summaryBytes = 4000;
const detailBytes = 500;
const neverStarted = "It was stopped before it started.";

/** The child runs of one supervision. */
export class ChildActions {
	readonly #context: ExecutorContext;
	readonly #alive = new Map<string, ChildSupervision>();
	/** Actions that start or follow a child. */
	readonly #following = new Map<string, Promise<void>>();
	/** What the folders of children started with where it differs from the base of all. */
	readonly #bases = new Map<string, string>();
	/** Aborts set-up commands. */
	readonly #stop = new AbortController();
	#stopped = false;

	constructor(context: ExecutorContext) {
		this.#context = context;
	}

	/** Supervises the child and resolves once it is recorded that it parked or ended. */
	run({ visit, child }: RunChild): Promise<void> {
		return this.#once(child, () => this.#supervise(visit, child));
	}

	/** Pauses or aborts the child. */
	async stop({ visit, child, how, detail }: StopChild): Promise<void> {
		const live = this.#alive.get(child.id);
		if (live) await this.#submitStop(live, how, detail);
		await this.#following.get(child.id);
		if (this.#stopped || isOver(this.#context.run(), child)) return;
		await this.#once(child, () => this.#stopUnsupervised(visit, child, how, detail));
	}

	updateLimits(): void {
		for (const child of this.#alive.values()) child.supervision.updateLimits();
	}

	/** Releases every child in its recorded state, and waits until none is supervised. */
	async stopAll(): Promise<void> {
		this.#stopped = true;
		this.#stop.abort();
		await Promise.all([...this.#alive.values()].map(({ supervision }) => supervision.stop()));
		await Promise.all(this.#following.values());
	}

	async #once({ id }: ChildRun, action: () => Promise<void>): Promise<void> {
		const before = this.#following.get(id);
		if (before) return before;
		const following = action().finally(() => this.#following.delete(id));
		this.#following.set(id, following);
		return following;
	}

	async #supervise(visit: number, child: ChildRun): Promise<void> {
		const live = await this.#start(visit, child);
		if (!live) return;
		await resume(live.supervision, child);
		await this.#follow(visit, child, live);
	}

	/** `undefined`: the supervision ends, or it is recorded why the child could not be started. */
	async #start(visit: number, child: ChildRun): Promise<ChildSupervision | undefined> {
		const { children, run, crashAt } = this.#context;
		const failed = (detail: string) => this.#park(visit, child, "paused", detail);
		if (!children) return failed("This supervisor cannot run children.");
		const files = await this.#prepareFiles(child, await children.isSetUp(child.id));
		if (this.#stopped) return undefined;
		if ("problem" in files) return failed(files.problem);
		const started = await children.start({
			parent: run(),
			child,
			files: files.cwd === undefined ? "shared" : "own",
			cwd: files.cwd,
			allowance: () => this.#allowance(),
		});
		if (!started.ok) return failed(`${started.failure.message} ${started.failure.remedy}`);
		this.#alive.set(child.id, started.value);
		crashAt("child is up");
		if (this.#stopped) {
			await started.value.supervision.stop();
			this.#alive.delete(child.id);
			return undefined;
		}
		return started.value;
	}

	/** The child's own folder, set up before its first worker. */
	async #prepareFiles(
		{ id, merges }: ChildRun,
		isSetUp: boolean,
	): Promise<{ readonly cwd: string | undefined } | { readonly problem: string }> {
		const { workspace, run } = this.#context;
		const group = run().children;
		const tree = merges ?? (group?.files === "own" ? group.base : null);
		if (tree === null || tree === undefined) return { cwd: undefined };
		const plan = childrenPlanOf(run());
		const opened = await workspace.openChild(id, tree, { links: plan?.links ?? [] });
		if (!opened.ok) return { problem: `${opened.failure.message} ${opened.failure.remedy}` };
		const { cwd } = opened.value;
		if (opened.value.tree !== tree) this.#bases.set(id, opened.value.tree);
		const problem = isSetUp || merges !== undefined ? undefined : await this.#setUp(cwd);
		return problem === undefined ? { cwd } : { problem };
	}

	/** Runs the set-up commands; returns why one failed. They may run twice after a crash. */
	async #setUp(cwd: string): Promise<string | undefined> {
		const { commands, run } = this.#context;
		const setup = childrenPlanOf(run())?.setup ?? [];
		if (setup.length === 0) return undefined;
		if (run().cleanupApproval === null || run().cleanupApproval !== run().cleanupHash) return explainUnapproved(run());
		for (const { command, timeoutMs } of setup) {
			const { result, output } = await commands.run(command, cwd, timeoutMs, this.#stop.signal, run().cleanupHash);
			if (this.#stopped) return undefined;
			if (result.kind === "exited" && result.code === 0) continue;
			const how = explainResult(result);
			return `The set-up command failed (${how}): ${command.slice(0, 100)}${output ? ` · ${output.slice(-300)}` : ""}`;
		}
		return undefined;
	}

	async #follow(visit: number, child: ChildRun, { supervision: live, workspace }: ChildSupervision): Promise<void> {
		const reporter = new ChildReporter({
			visit,
			child,
			run: () => live.run,
			isStopped: () => this.#stopped,
			record: (event) => this.#context.record(event),
			onSpent: () => this.updateLimits(),
		});
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
		await this.#recordEnd(visit, child, { ...end, detail }, workspace);
		this.#alive.delete(child.id);
	}

	async #recordEnd(
		visit: number,
		child: ChildRun,
		end: SupervisionEnd & Pick<EndOfChild, "detail">,
		workspace: Workspace,
	): Promise<void> {
		if (this.#stopped) return;
		const { run } = end;
		if (end.kind === "failed") return void (await this.#park(visit, child, "paused", end.failure.message));
		if (run.stage.kind !== "over") return void (await this.#park(visit, child, waitOf(run), waitDetail(run)));
		let tree: string | null = null;
		if (run.status === "done" && run.parent?.files === "own") {
			const kept = await workspace.snapshot();
			if (this.#stopped) return;
			if (!kept.ok)
				return void (await this.#park(visit, child, "paused", `Its files could not be saved: ${kept.failure.message}`));
			tree = kept.value.tree;
		}
		this.#context.crashAt("child files are kept");
		const changes = tree === null ? {} : await this.#changesOf(child, tree);
		if (this.#stopped) return;
		await this.#context.record({
			...endedEvent(visit, child, { run, tree, detail: end.detail }),
			...this.#baseOf(child),
			...changes,
		});
	}

	/** What the child has changed in its folder, as far as that is known. */
	async #changesOf({ id, merges }: ChildRun, tree: string): Promise<Pick<ChildEnded, "changes" | "more">> {
		const { workspace, run } = this.#context;
		const base = this.#bases.get(id) ?? merges ?? run().children?.base ?? null;
		return base === null ? {} : changesBetween(workspace, base, tree);
	}

	#baseOf({ id }: ChildRun): { readonly base?: string } {
		const base = this.#bases.get(id);
		return base === undefined ? {} : { base };
	}

	async #park(
		visit: number,
		{ id }: ChildRun,
		status: Extract<EventBody, { kind: "child_parked" }>["status"],
		detail: string,
	): Promise<undefined> {
		if (!this.#stopped)
			await this.#context.record({ kind: "child_parked", visit, child: id, status, detail: cutText(detail, 900).text });
		return undefined;
	}

	/** Stops a child that is supervised; one that waits for an answer is given back. */
	async #submitStop({ supervision: live }: ChildSupervision, how: StopChild["how"], detail: string): Promise<void> {
		const { refused } = await live.submit(
			how === "abort"
				? { kind: "abort_requested", words: detail }
				: { kind: "pause_requested", cause: "parent", detail },
		);
		if (refused !== undefined) await live.stop();
	}

	async #stopUnsupervised(visit: number, child: ChildRun, how: StopChild["how"], detail: string): Promise<void> {
		const { children, record } = this.#context;
		if (how === "pause") return void (await this.#park(visit, child, "paused", detail));
		if (!children || !(await children.exists(child.id))) {
			const total: ChildSpend = child.counted;
			const handover = { summary: "", data: {} };
			await record({
				kind: "child_ended",
				visit,
				child: child.id,
				status: "aborted",
				detail: neverStarted,
				tree: null,
				total,
				handover,
			});
			return;
		}
		const live = await this.#start(visit, child);
		if (!live) return;
		const following = this.#follow(visit, child, live);
		await this.#submitStop(live, how, detail);
		await following;
	}

	/** The remaining allowance of this run or of its parent. */
	#allowance(): ReturnType<typeof allowanceOf> {
		const { run, clock, allowance } = this.#context;
		return leastOf(allowanceOf(run(), new Date(clock.now()).toISOString()), allowance?.());
	}
}

function explainUnapproved({ id, visit }: Run): string {
	const way = `rewind ${id.slice(0, 8)} ${visit} --reload --approve-cleanup`;
	return `Its set-up commands are not approved. ${way} approves them, and plans the children anew.`;
}

type Figures = Pick<Ceilings, "costUsd" | "tokens" | "activeMs">;

/** The smaller of each figure. */
export function leastOf(own: Figures, outer: Figures | undefined): Figures {
	const all: { costUsd?: number; tokens?: number; activeMs?: number } = {};
	for (const figure of ["costUsd", "tokens", "activeMs"] as const) {
		const limits = [own[figure], outer?.[figure]].filter((limit) => limit !== undefined);
		if (limits.length > 0) all[figure] = Math.min(...limits);
	}
	return all;
}

/** Resumes a child that its parent paused, or that the user resumed with its parent. */
async function resume(supervision: Supervision, child: ChildRun): Promise<void> {
	const { stage, status, hold } = supervision.run;
	if (stage.kind !== "waiting" || status === "human_intervention") return;
	if (child.resume || hold?.cause === "parent") await supervision.submit({ kind: "resumed", answers: stage.since });
}

function isOver(run: Run, { id }: ChildRun): boolean {
	const child = run.children?.children.find((one) => one.id === id);
	return child === undefined || (child.status !== "pending" && child.status !== "parked");
}

function waitOf({ status }: Run): Extract<EventBody, { kind: "child_parked" }>["status"] {
	return status === "awaiting_approval" || status === "budget_exceeded" || status === "human_intervention"
		? status
		: "paused";
}

function waitDetail(run: Run): string {
	const { stage, hold, notices, state } = run;
	if (stage.kind === "asking")
		return stage.question.side === "conflict"
			? "it asks how to resolve conflicts."
			: `it asks to move from ${state} to ${stage.question.target}.`;
	return hold?.detail ?? notices.at(-1) ?? `it is ${run.status} in ${state}.`;
}

interface EndOfChild {
	readonly run: Run;
	readonly tree: string | null;
	/** Of the event `finished`; `undefined`: another process recorded it. */
	readonly detail: string | undefined;
}

function endedEvent(visit: number, child: ChildRun, { run, tree, detail }: EndOfChild): ChildEnded {
	const status = run.status === "done" || run.status === "failed" ? run.status : "aborted";
	const summary = run.snapshot.summaries.at(-1)?.text ?? run.visitRecord.summary;
	return {
		kind: "child_ended",
		visit,
		child: child.id,
		status,
		detail: status === "done" ? "" : cutText(endReasonOf(run, detail), detailBytes).text,
		tree,
		total: totalOf(run),
		handover: { summary: cutText(summary, summaryBytes).text, data: handoverOf(child, run), ...outputOf(run) },
	};
}

/**
 * Why the child is not done, on one line; empty if nothing is known. `detail`: that of its last event, if this process has seen it. Otherwise the child moved
 * to its last state for the reason in the summary, or was ended for the one in its last notice.
 */
function endReasonOf({ history, state, notices, status }: Run, detail: string | undefined): string {
	const last = history.at(-1);
	const moved = status === "failed" && last?.to === state ? last.summary : undefined;
	return (moved ?? detail ?? notices.at(-1) ?? "").replace(/\s+/g, " ").trim();
}

/** What the child's last state with data has handed over. */
function outputOf({ status, snapshot }: Run): { readonly output?: unknown } {
	const last = outputsOf(snapshot).at(-1);
	return last && status === "done" ? { output: last.data } : {};
}

/** The child's findings and open tasks, under its name. */
function handoverOf({ name }: ChildRun, { snapshot }: Run): SnapshotData {
	const named = (entries: Run["snapshot"]["findings"]) =>
		entries.slice(-maxHandedOver).map(({ key, text }) => ({
			...(key === undefined ? {} : { key: `${name} · ${key}`.slice(0, 80) }),
			text: cutText(key === undefined ? `${name}: ${text}` : text, handedOverBytes).text,
		}));
	const findings = named(snapshot.findings);
	const pendingTasks = named(snapshot.pendingTasks);
	return {
		...(findings.length > 0 ? { findings } : {}),
		...(pendingTasks.length > 0 ? { pendingTasks } : {}),
	};
}
