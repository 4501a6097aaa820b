// The child runs of a run of this project: ordinary runs in the same store, supervised in the process of their parent.
// C1 an existing child is opened, never created again; C2 questions of children are shown one at a time, in order.
import {
	type Approver,
	type ChildOrder,
	type ChildRuns,
	type ChildSupervision,
	type Created,
	childrenPlanOf,
	compileDefinition,
	type EventBody,
	type HeldLedger,
	hashCleanup,
	hashDefinition,
	MAX_RUNS_IN_TREE,
	type Result,
	type Run,
	type RunParent,
	SCHEMA_VERSION,
	type StoreFailure,
	type Template,
	templateOf,
} from "../../core/index.ts";
import type { ChildTree } from "./child-tree.ts";
import type { CleanupApprovals } from "./cleanup-approvals.ts";

/** The inputs of a child's ports. */
export interface ChildPlace {
	readonly order: ChildOrder;
	readonly tree: ChildTree;
}

interface ChildRunsOptions {
	readonly tree: ChildTree;
	readonly store: {
		create(first: EventBody & { readonly kind: "created" }): Promise<Result<HeldLedger, StoreFailure>>;
		open(id: string): Promise<Result<HeldLedger, StoreFailure>>;
		read(id: string): Promise<Result<unknown, StoreFailure>>;
	};
	readonly approvals: CleanupApprovals;
	/** Supervises a child with the ports of its parent's project. */
	supervise(ledger: HeldLedger, order: ChildOrder, origin: "fresh" | "reopened"): ChildSupervision;
}

/** Opens the child runs of a run. */
export function openChildRuns({ store, approvals, tree, supervise }: ChildRunsOptions): ChildRuns {
	const exists = async (id: string): Promise<boolean> => {
		const read = await store.read(id);
		return read.ok || read.failure.reason !== "unknown";
	};
	return {
		exists,
		isSetUp: exists,
		async start(order) {
			const opened = await store.open(order.child.id);
			if (opened.ok) return { ok: true, value: supervise(opened.value, order, "reopened") };
			if (opened.failure.reason !== "unknown") return opened;
			const first = createdEvent(order, approvals);
			if ("reason" in first) return { ok: false, failure: first };
			if (!(await tree.add(first.parent.root, first.id))) return { ok: false, failure: tooMany };
			const created = await store.create(first);
			if (!created.ok) {
				tree.remove(first.id);
				return created;
			}
			return { ok: true, value: supervise(created.value, order, "fresh") };
		},
	};
}

/** The first event of a child's ledger. */
function createdEvent(
	order: ChildOrder,
	approvals: CleanupApprovals,
): (Created & { readonly parent: RunParent }) | StoreFailure {
	const { parent, child, files } = order;
	const found = child.merges === undefined ? branchTemplate(parent, child.branch) : mergeTemplate(parent);
	if (!found?.plan) return unknownTemplate(child.template);
	const cleanup = hashCleanup(found.plan);
	const isApproved = cleanup !== undefined && approvals.statusOf(cleanup) !== "unknown";
	const { children, readOnlyAgents } = parent.template;
	return {
		kind: "created",
		schemaVersion: SCHEMA_VERSION,
		id: child.id,
		template: {
			name: found.name,
			hash: found.hash,
			definition: found.definition,
			...(found.file === undefined ? {} : { file: found.file }),
			...(children ? { children } : {}),
			...(readOnlyAgents ? { readOnlyAgents } : {}),
		},
		parent: {
			run: parent.id,
			root: parent.parent?.root ?? parent.id,
			visit: parent.visit,
			index: child.index,
			name: child.name,
			level: (parent.parent?.level ?? 0) + 1,
			files,
		},
		task: child.task,
		...(isApproved ? { cleanupApproval: cleanup } : {}),
		...(parent.model === null ? {} : { model: parent.model }),
	};
}

interface ChildDefinition {
	readonly name: string;
	readonly hash: string;
	readonly definition: unknown;
	readonly plan: Template | undefined;
	readonly file?: string;
}

function branchTemplate(parent: Run, index: number): ChildDefinition | undefined {
	const branch = childrenPlanOf(parent)?.branches[index];
	return branch && templateOf(parent, branch);
}

/** One state, in which a worker resolves the conflicts of a join. */
function mergeTemplate(parent: Run): ChildDefinition {
	const persona = childrenPlanOf(parent)?.mergeBy ?? "An engineer who merges the work of others with care";
	const definition = { name: "merge", states: { merge: { persona } } };
	return { name: "merge", hash: hashDefinition(definition), definition, plan: compileDefinition(definition, "merge") };
}

function unknownTemplate(name: string): StoreFailure {
	return {
		reason: "corrupt",
		message: `The definition of "${name}" is not part of the parent run.`,
		remedy: "Start a new run.",
	};
}

const tooMany: StoreFailure = {
	reason: "too_long",
	message: `A run and its children can have at most ${MAX_RUNS_IN_TREE} children.`,
	remedy: "Split the work into several runs.",
};

/** An approver that asks one question after another. */
export function oneAtATime(approver: Approver): Approver {
	let last: Promise<unknown> = Promise.resolve();
	const queued = <T>(ask: () => Promise<T>): Promise<T> => {
		const next = last.then(ask, ask);
		last = next.catch(() => {});
		return next;
	};
	return {
		approve: (question, run, signal) =>
			queued(async () => (signal.aborted ? { kind: "undecided" } : approver.approve(question, run, signal))),
		answer: (question, run, signal) =>
			queued(async () => (signal.aborted ? { kind: "undecided" } : approver.answer(question, run, signal))),
	};
}
