// The child runs of a run of this machine: ordinary runs in the same store, supervised in the process of their parent.
// An existing child is opened, never created again; questions of children are shown one at a time, in order.
import {
	type Created,
	childrenPlanOf,
	inheritedBy,
	MAX_RUNS_IN_TREE,
	type PinnedTemplate,
	planOf,
	type Run,
	type RunParent,
	SCHEMA_VERSION,
	templateOf,
} from "@pi-chronicle/core/machine";
import type {
	Approver,
	ChildOrder,
	ChildRuns,
	ChildSupervision,
	HeldLedger,
	LedgerStore,
	Result,
	StoreFailure,
	Supervision,
	WorkingCopy,
	Workspace,
} from "@pi-chronicle/core/ports";
import {
	compileDefinition,
	hashCommands,
	hashDefinition,
	type Template,
	visitLimitFields,
} from "@pi-chronicle/core/template";
import { storeFailure } from "../ledger/index.ts";
import { copyOf } from "./child-folders.ts";
import type { CleanupApprovals } from "./cleanup-approvals.ts";
import { type ChildFolders, findLostFiles, restoreFolder, setBackAtEnd } from "./lost-folder.ts";
import type { ChildTree } from "./run-tree.ts";

/** The inputs of a child's ports. */
export interface ChildPlace {
	readonly order: Pick<ChildOrder, "ceilings">;
	readonly tree: ChildTree;
	/** Its own folder; `undefined`: its parent's. */
	readonly cwd: string | undefined;
	/** The copy of the project that it works in; `undefined`: none. */
	readonly copy: WorkingCopy | undefined;
	/** Whether its files were set back to its last recorded ones. */
	readonly isSetBack: boolean;
}

interface ChildRunsOptions {
	/** The copy of the project that the parent works in; `undefined`: the project itself. */
	readonly outer?: WorkingCopy | undefined;
	/** The children's own folders on this machine; absent: they cannot get lost. */
	readonly folders?: ChildFolders;
	readonly tree: ChildTree;
	readonly store: LedgerStore;
	readonly approvals: CleanupApprovals;
	/** Supervises a child with the ports of its parent's project. */
	supervise(
		ledger: HeldLedger,
		place: ChildPlace,
		origin: "fresh" | "reopened",
	): { readonly supervision: Supervision; readonly workspace: Pick<Workspace, "snapshot"> };
}

/** Opens the child runs of a run. */
export function openChildRuns({ store, approvals, tree, outer, folders, supervise }: ChildRunsOptions): ChildRuns {
	const exists = async (id: string): Promise<boolean> => {
		const read = await store.read(id);
		return read.ok || read.failure.reason !== "unknown";
	};
	const create = async (
		order: ChildOrder,
		notes: readonly string[] = [],
	): Promise<Result<HeldLedger, StoreFailure>> => {
		const first = firstOfChild(order, approvals, notes);
		if (!first.ok) return first;
		const { id, parent } = first.value;
		if (!(await tree.add(parent.root, id))) return tooManyChildren;
		const created = await store.create(first.value);
		if (!created.ok) tree.remove(id);
		return created;
	};
	/** Makes a folder that was lost again. `undefined`: it is there. */
	const restoreLost = async ({ child: { id }, tree: start, prepare }: ChildOrder) => {
		const lost = start === null ? undefined : await findLostFiles(id, start, store, folders);
		if (!lost?.ok) return lost;
		const opened = await restoreFolder(id, lost.value, { folders, prepare: () => prepare(true) });
		return opened.ok ? { ok: true as const, value: { ...opened.value, isSetBack: lost.value.isSetBack } } : opened;
	};
	const openFolder = async (order: ChildOrder, isNew: boolean) => {
		if (order.tree === null) return undefined;
		const restored = isNew ? undefined : await restoreLost(order);
		if (restored) return restored;
		const opened = await order.prepare(isNew);
		return opened.ok ? { ok: true as const, value: { ...opened.value, isSetBack: false } } : opened;
	};
	return {
		here: true,
		exists,
		async start(order) {
			const isNew = !(await exists(order.child.id));
			const folder = await openFolder(order, isNew);
			if (folder?.ok === false) return folder;
			const opened = isNew ? await create(order, folder?.value.notes) : await store.open(order.child.id);
			if (!opened.ok) return opened;
			const copy = folder ? copyOf(folder.value, outer) : outer;
			const place = { order, tree, cwd: folder?.value.cwd, copy, isSetBack: folder?.value.isSetBack ?? false };
			const { supervision, workspace } = supervise(opened.value, place, isNew ? "fresh" : "reopened");
			const base = folder?.value.tree === order.tree ? undefined : folder?.value.tree;
			const result: ChildSupervision["result"] = async () => {
				const back = await restoreLost(order);
				if (back?.ok === false) return back;
				if (back?.value.isSetBack) return setBackAtEnd;
				const taken = await workspace.snapshot({ keep: childrenPlanOf(order.parent)?.keep ?? [] });
				if (!taken.ok) return taken;
				const { tree: now, unkept } = taken.value;
				return { ok: true, value: { tree: now, unkept, base } };
			};
			return { ok: true, value: { supervision, result } };
		},
	};
}

/** The first event of a child's ledger. */
export function firstOfChild(
	order: ChildOrder,
	approvals: Pick<CleanupApprovals, "statusOf">,
	notes: readonly string[] = [],
): Result<Created & { readonly parent: RunParent }, StoreFailure> {
	const { parent, child, files } = order;
	const found = child.merges === undefined ? branchTemplate(parent, child.branch) : mergeTemplate(parent);
	if (!found?.plan) return unknownTemplate(child.template);
	const cleanup = hashCommands(found.plan);
	const standing = cleanup === undefined ? "unknown" : approvals.statusOf(cleanup);
	const isApproved = standing === "approved" || standing === "own";
	const { children, readOnlyAgents } = parent.template;
	const first = {
		kind: "created",
		schemaVersion: SCHEMA_VERSION,
		id: child.id,
		template: {
			name: found.name,
			hash: found.hash,
			definition: found.definition,
			file: found.file,
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
			...(notes.length > 0 ? { notes } : {}),
		},
		inherited: inheritedBy(parent, child),
		task: child.task,
		...(isApproved ? { cleanupApproval: cleanup } : {}),
		...(parent.model === null ? {} : { model: parent.model }),
	} as const;
	return { ok: true, value: first };
}

interface ChildDefinition extends PinnedTemplate {
	readonly name: string;
	readonly plan: Template | undefined;
}

function branchTemplate(parent: Run, index: number): ChildDefinition | undefined {
	const branch = childrenPlanOf(parent)?.branches[index];
	return branch && templateOf(parent, branch);
}

/** One state, in which a worker resolves the conflicts of a join. */
function mergeTemplate(parent: Run): ChildDefinition {
	const persona = childrenPlanOf(parent)?.mergeBy ?? "An engineer who merges the work of others with care";
	const { questions } = planOf(parent);
	const merge = { persona, shell: "free", next: ["done"], ...(questions ? { questions } : {}) };
	const definition = { name: "merge", limits: visitLimitFields(parent.plan.limits), states: { merge } };
	return { name: "merge", hash: hashDefinition(definition), definition, plan: compileDefinition(definition, "merge") };
}

function unknownTemplate(name: string) {
	return storeFailure("corrupt", `The definition of "${name}" is not part of the parent run.`, "Start a new run.");
}

/** The failure where a tree of runs has as many children as it can have. */
export const tooManyChildren = storeFailure(
	"too_long",
	`A run and its children can have at most ${MAX_RUNS_IN_TREE} children.`,
	"Split the work into several runs.",
);

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
		ask: (question, run, signal) =>
			queued(async () => (signal.aborted ? undefined : approver.ask(question, run, signal))),
		answer: (question, run, signal) =>
			queued(async () => (signal.aborted ? { kind: "undecided" } : approver.answer(question, run, signal))),
	};
}
