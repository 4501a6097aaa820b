// One segment of a run on this host: from claiming the job until the run parks, ends, or is released. The working folder is first set to the recorded
// files, unless this host was the last to work on them. The files are published before a move is recorded, or recorded with it, the conversations
// before the run parks. The run's branch follows the record.
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { errorMessage } from "@pi-chronicle/core/definition";
import type { Run } from "@pi-chronicle/core/machine";
import type { Approver, Result, WorkerLauncher } from "@pi-chronicle/core/ports";
import type { ProjectEnvironment } from "pi-chronicle/local";
import {
	approvalOf,
	type Checkout,
	deepestRealPath,
	folderIn,
	makePrivateFolder,
	nobody,
	openLookingWorkspace,
	openProject,
	openSharedWorkspace,
	type Project,
	RunRefs,
	type RunSnapshot,
	type Supervision,
	type SupervisionEnd,
	supervise,
	WorkspaceError,
	workspaceScope,
} from "pi-chronicle/local";
import { filesOfChild, openCeilings, saveBase } from "./child-rows.ts";
import type { Database } from "./database.ts";
import { isOutage } from "./database-failure.ts";
import type { PostgresLedger } from "./held.ts";
import type { Host } from "./host.ts";
import { findLeftovers, openLeftovers } from "./leftovers.ts";
import type { HostLog } from "./log.ts";
import { readMarker, writeMarker } from "./marker.ts";
import type { TakenAnswer } from "./posts.ts";
import { publishSegment, treesIn } from "./publishing.ts";
import { RemoteChildren } from "./remote-children.ts";
import { isDelegated } from "./rows.ts";
import { openSetUp, runSetup } from "./set-up.ts";
import type { Slot } from "./slots.ts";
import type { SegmentHooks } from "./snapshot-rows.ts";
import type { PostgresStore } from "./store.ts";

/** A project as a host serves it. */
export interface ServedProject {
	readonly name: string;
	/** URL or path of its git remote. */
	readonly remote: string;
	/** Shell command that prepares a new working folder: dependencies, generated files, secrets. */
	readonly setup?: string;
	/** `submitted`: cleanup commands that the submitter approved may run; `never`: none. */
	readonly cleanup: "submitted" | "never";
	/** Names of variables of this host that its commands and workers get beside the usual ones (see `work-environment.ts`). */
	readonly passes?: readonly string[];
	readonly place: Omit<ProjectEnvironment, "cwd" | "trust">;
	/** Opens the ports of a run; replaced in tests. */
	readonly ports?: (project: Project, ledger: PostgresLedger, approver: Approver) => ReturnType<Project["ports"]>;
}

export interface SegmentOptions {
	readonly database: Database;
	readonly host: Host;
	/** The slot that the run has while it works. */
	readonly slot: Slot;
	readonly project: ServedProject;
	readonly checkout: Checkout;
	/** The project's runs, of which this host holds the one of the segment. */
	readonly store: PostgresStore;
	/** What this host offers. */
	readonly labels: readonly string[];
	readonly report: HostLog;
}

export interface RunSegment {
	readonly supervision: Supervision;
	/** Resolves once everything of the segment is published. */
	readonly ended: Promise<SupervisionEnd>;
	/** Removes what nobody needs of a run that has ended here; call it once the run is given back. */
	tidyUp(): Promise<void>;
}

/** Milliseconds for which a run that is to be aborted waits for its files. */
const abortPatienceMs = 5000;

/** Prepares the working folder and starts to supervise. Throws a sentence if the folder cannot be prepared. */
export async function startSegment(ledger: PostgresLedger, options: SegmentOptions): Promise<RunSegment> {
	const { aborting } = ledger.earlier;
	try {
		const prepared = await prepareFolder(ledger, options, aborting ? AbortSignal.timeout(abortPatienceMs) : undefined);
		return await superviseIn(prepared, ledger, options);
	} catch (error) {
		if (!aborting || isOutage(error)) throw error;
		const why = errorMessage(error);
		options.report(`It is aborted without its files: ${why}`, { level: "warn" });
		return abortWithoutFiles(ledger, options, `The run is being aborted without its files: ${why}`);
	}
}

/** Supervises a run that is to be aborted and whose folder cannot be prepared: no worker and no command runs, and no file changes. */
async function abortWithoutFiles(
	ledger: PostgresLedger,
	{ project, checkout, database, store }: SegmentOptions,
	detail: string,
): Promise<RunSegment> {
	const { run, trees, folder: cwd, earlier } = ledger;
	await makePrivateFolder(cwd);
	const served = openServed(project, cwd, checkout.workOf(run.id));
	const ports = project.ports?.(served, ledger, nobody) ?? served.ports(ledger, nobody);
	const files = { run: run.id, trees, remote: project.remote, cwd, folder: cwd, leftOut: served.ownFolders };
	const workspace = openLookingWorkspace({ ...files, ...workspaceScope(run) }, earlier.head);
	const { approvals } = served;
	const children = new RemoteChildren({ database, store, approvals, parent: run.id, trees, workspace });
	const supervision = supervise(
		ledger,
		{
			...{ ...ports, workspace, children, givesBackWaits: true as const },
			commands: { run: async () => ({ result: { kind: "refused", detail }, output: "" }) },
			launcher: {
				...ports.launcher,
				launch: async () => ({ ok: false, failure: { reason: "tools", detail } }),
				keepReady: async () => {},
			},
		},
		"reopened",
	);
	const finish = async (): Promise<SupervisionEnd> => {
		const end = await supervision.ended;
		await children.close();
		return end;
	};
	return { supervision, ended: finish(), tidyUp: async () => {} };
}

async function superviseIn(
	prepared: PreparedFolder,
	ledger: PostgresLedger,
	options: SegmentOptions,
): Promise<RunSegment> {
	const { project, database, report, store, checkout } = options;
	const { run, trees } = ledger;
	const { cwd, folder, published } = prepared;
	const served = openServed(project, cwd, checkout.workOf(run.id));
	const workspace = openSharedWorkspace({
		...{ run: run.id, trees, remote: project.remote, cwd, folder: ledger.folder, published, report },
		leftOut: served.ownFolders,
		...workspaceScope(run),
		checkedOut: run.checkedOut,
		elsewhere: (children) => findLeftovers(database, run.id, children),
	});
	const leftovers = openLeftovers({
		...{ database, store, run, workspace, report, host: options.host.name },
		...{ folder: ledger.folder, work: deepestRealPath(checkout.workOf(run.id)) },
	});
	let live: Supervision | undefined;
	const publishing = publishSegment(ledger, workspace, leftovers, (event) => void live?.submit(event));
	const answer = await ledger.takeAnswer();
	const approver = answer ? answerOnce(answer) : nobody;
	const ports = project.ports?.(served, ledger, approver) ?? served.ports(ledger, approver);
	const setUp = openSetUp(ledger, { cwd, isNew: prepared.isNew, commands: ports.commands, store, leftovers });
	ledger.use(answer ? settleAnswer(publishing.hooks, answer) : publishing.hooks);
	const { approvals } = served;
	const children = new RemoteChildren({ database, store, approvals, parent: run.id, trees, workspace });
	const limits = run.parent && (await openCeilings(options, run.id, () => live?.updateLimits()));
	const all = {
		...{ ...ports, workspace, children, labels: options.labels, givesBackWaits: true as const },
		launcher: launchPrepared(ports.launcher, options.slot, setUp),
		...(prepared.isSetBack ? { self: { ...ports.self, setBack: true as const } } : {}),
		ceilings: limits ? () => limits.ceilings() : undefined,
	};
	const supervision = supervise(ledger, all, run.seq === 1 ? "fresh" : "reopened");
	live = supervision;
	const follow = (now: Run): void => {
		if (isDelegated(now)) options.slot.release();
		children.drop(now);
	};
	follow(run);
	supervision.watch(follow);
	const finish = async (): Promise<SupervisionEnd> => {
		const end = await supervision.ended;
		limits?.close();
		await children.close();
		const last = await publishing.settle();
		if (last) await writeMarker(ledger, folder, last);
		if (end.kind === "parked") await answer?.settle(questionChanged);
		return end;
	};
	return {
		supervision,
		ended: finish(),
		async tidyUp() {
			if (supervision.run.stage.kind !== "over") return;
			await (run.parent ? checkout.remove(run.id) : tidyUp(options, run.id, cwd)).catch(() => {});
		},
	};
}

/** Launches workers once the run has a slot, which one that has waited for its children lacks, and its folder is set up. */
function launchPrepared(
	launcher: WorkerLauncher,
	slot: Slot,
	setUp: (signal: AbortSignal) => Promise<Result<void>>,
): WorkerLauncher {
	return {
		...launcher,
		async launch(order, host, signal) {
			await slot.acquire(signal);
			const set = await setUp(signal);
			if (set.ok || signal.aborted) return launcher.launch(order, host, signal);
			const { message, remedy } = set.failure;
			return { ok: false, failure: { reason: "tools", detail: `${message} ${remedy}`.trim() } };
		},
		keepReady: async (order) => launcher.keepReady(slot.isTaken ? order : undefined),
	};
}

const questionChanged = "The question has changed. Check the run's status.";

/** Gives the answer to the question that it was given for. An approval covers no other files than those that were shown. */
function answerOnce({ event, settle }: TakenAnswer): Approver {
	let given = false;
	return {
		...nobody,
		async approve({ seq }) {
			if (given) return { kind: "undecided" };
			given = true;
			const isCurrent = event.kind !== "approved" || event.answers === seq;
			const approval = approvalOf(event);
			if (isCurrent && approval.kind !== "undecided") return approval;
			await settle(
				"The question has changed since you were asked: other files, or another answer came first. Look at it with status and answer again.",
			);
			return { kind: "undecided" };
		},
	};
}

/** Notifies the sender once the answer is recorded. */
function settleAnswer(hooks: SegmentHooks, { settle }: TakenAnswer): SegmentHooks {
	return {
		...hooks,
		afterAppend(events, now, staged) {
			hooks.afterAppend(events, now, staged);
			if (events.some(({ kind }) => kind === "approved" || kind === "rejected" || kind === "released"))
				void settle().catch(() => {});
		},
	};
}

/** `work`: the root of the run's working folder, which may be in pi's agent folder. */
function openServed({ place, cleanup }: ServedProject, cwd: string, work: string): Project {
	const standing = cleanup === "submitted" ? "approved" : "never";
	const root = deepestRealPath(work);
	return openProject(
		{ ...place, cwd, trust: "trusted" },
		{ statusOf: () => standing, remember: async () => {} },
		{ root, project: root, closed: [] },
	);
}

/** Where a run works on this host. */
interface PreparedFolder {
	readonly cwd: string;
	/** The same, below the root of the working folder. */
	readonly folder: string;
	/** The snapshot that the run is at, which is on the remote; undefined: it is not known. */
	readonly published: Pick<RunSnapshot, "tree" | "parent"> | undefined;
	/** Whether the working folder was made now. */
	readonly isNew: boolean;
	/** Whether its files were set to the last published snapshot, so that later changes are gone. */
	readonly isSetBack: boolean;
}

/** The folder that the run works in, with the recorded files. */
async function prepareFolder(
	ledger: PostgresLedger,
	{ project, checkout, database }: SegmentOptions,
	signal?: AbortSignal,
): Promise<PreparedFolder> {
	const { run, earlier, trees } = ledger;
	await checkout.publishRecorded(ledger, trees, signal);
	const work = checkout.workOf(run.id);
	const known = await readMarker(ledger.folder);
	const write = (folder: string) => writeMarker(ledger, folder);
	if (known?.fence === earlier.fence && existsSync(join(work, ".git")) && existsSync(join(work, known.folder))) {
		await write(known.folder);
		const published = known.published?.tree === earlier.head ? known.published : undefined;
		return { cwd: folderIn(work, known.folder), folder: known.folder, published, isNew: false, isSetBack: false };
	}
	if (earlier.head === null) throw new Error("The run has no published files to start from.");
	const recorded = earlier.folder === null ? undefined : { folder: earlier.folder, parent: earlier.head_parent };
	const base = await checkout.fetchRun(run.id, trees, earlier.head, recorded, signal);
	const isNew = await checkout.reset(run.id, base);
	await checkout.takeConversations(run.id, earlier.conversations);
	const cwd = folderIn(work, base.note.folder);
	const published = { tree: earlier.head, parent: base.parent };
	const { ownFolders } = openProject({ ...project.place, cwd, trust: "untrusted" });
	const files = openSharedWorkspace({
		...{ run: run.id, trees, remote: project.remote, cwd, folder: ledger.folder, published },
		leftOut: ownFolders,
		...workspaceScope(run),
	});
	const restored = await files.restore(earlier.head);
	if (!restored.ok) {
		const message = `The run's files could not be restored: ${restored.failure.message}`;
		throw new WorkspaceError({ ...restored.failure, message });
	}
	// The files can have a link in its place.
	folderIn(work, base.note.folder);
	// What could not be restored, such as large files, is no change of the child.
	if (run.parent?.files === "own" && ledger.base === null) await saveBase(database, run.id, restored.value.tree);
	if (project.setup !== undefined) {
		const prepared = join(ledger.folder, "prepared");
		if (isNew) await rm(prepared, { force: true });
		await runSetup(project.setup, { cwd, env: project.place.env ?? process.env, run: run.id, prepared });
	}
	await write(base.note.folder);
	return { cwd, folder: base.note.folder, published, isNew, isSetBack: true };
}

/** The snapshots that a run names, and the one that has its files now: no event names that where it has ended before its first worker. */
async function treesOf(database: Database, store: PostgresStore, id: string): Promise<readonly string[]> {
	const { head } = await filesOfChild(database, id);
	const trees = head === null ? [] : [head];
	const read = await store.read(id);
	if (read.ok) for await (const event of read.value.events()) trees.push(...treesIn(event));
	return trees;
}

/** Removes what the hosts no longer need of a finished run and its children: unreferenced snapshots, and the folders here. */
async function tidyUp({ database, store, project, checkout }: SegmentOptions, run: string, cwd: string): Promise<void> {
	const family = await store.family(run);
	const named = new Map<string, Set<string>>(family.map(({ trees }) => [trees, new Set()]));
	for (const { id, trees } of family)
		for (const name of await treesOf(database, store, id)) named.get(trees)?.add(name);
	const files = join(checkout.folderOf(run), "files");
	for (const { id, conversations } of family) {
		const refs = new RunRefs({ run: id, remote: project.remote, cwd, store: files });
		await refs.collect({ trees: named.get(id) ?? new Set(), conversations }).catch(() => {});
	}
	for (const { id } of family.toReversed()) await checkout.remove(id).catch(() => {});
}

/**
 * Gives the run of a segment back as soon as its present state has ended, or while its children work. The next attempt is not reserved yet
 * then: it would count as interrupted.
 */
export function stopAtMove({ supervision }: RunSegment): void {
	const stopBetween = ({ stage }: Run): void => {
		if (stage.kind === "baselining" || stage.kind === "children") void supervision.stop();
	};
	supervision.watch(stopBetween);
	stopBetween(supervision.run);
}
