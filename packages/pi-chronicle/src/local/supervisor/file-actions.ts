// Actions on the run's files: measuring them, and restoring an earlier state.
import {
	type Action,
	childrenPlanOf,
	copyId,
	type FilesMeasured,
	type KeptChildFolder,
	type Run,
} from "@pi-chronicle/core/machine";
import type { KeptFiles, KeptFolder, Workspace } from "@pi-chronicle/core/ports";
import { type CheckedOut, type FileLeft, totalChanges } from "@pi-chronicle/core/snapshot";
import { type ExecutorContext, stopOrphansOf } from "./executor-context.ts";
import { readListOf } from "./list-file.ts";

/** Changes kept with a visit; further ones are counted. */
const maxChanges = 200;
/** Files named in an event as not kept, restored or written; further ones are counted. */
export const maxLeft = 50;
const maxKeptFolders = 100;
/** Files that are named of a child's folder that stays. */
const maxKeptFiles = 20;
/** How often a rewind starts over because another process writes the files in the meantime. */
const maxRounds = 5;

/** Snapshots the files after stopping orphaned processes of workers. Records nothing once `signal` has aborted. */
export async function measureFiles(
	context: ExecutorContext,
	{ visit, purpose, since }: Extract<Action, { kind: "measure_files" }>,
	signal: AbortSignal,
): Promise<void> {
	const { record, workspace } = context;
	const fail = (detail: string) => record({ kind: "files_unmeasured", visit, purpose, detail });
	// While git scans the files, this process searches for orphans; if it finds one, git scans again after it has ended.
	const keep = childrenPlanOf(context.run())?.keep ?? [];
	const meanwhile = workspace.snapshot({ signal, keep });
	const start = purpose === "baseline" ? filesAtStart(context) : undefined;
	const list = purpose === "baseline" ? readListOf(context, context.run().state) : undefined;
	const branch = workspace.checkedOut?.();
	const strays = await stopOrphansOf(context, visit);
	const keptFolders = await removeEndedFolders(context);
	const first = await meanwhile;
	const taken = strays ? await workspace.snapshot({ signal }) : first;
	if (signal.aborted) return;
	if (!taken.ok) return void (await fail(taken.failure.message));
	const { tree } = taken.value;
	const measured = {
		kind: "files_measured",
		visit,
		purpose,
		tree,
		...(await recordedBranch(branch)),
		...remarksOn(taken.value),
		...(keptFolders.length > 0 ? { keptFolders } : {}),
		...((await list) ? { list: await list } : {}),
	} as const;
	if (start) return void (await record({ ...measured, ...(await start) }));
	if (since === null) return void (await record(measured));
	const compared = since === tree ? unchanged : await workspace.changes(since, tree, maxChanges, signal);
	if (signal.aborted) return;
	if (!compared.ok) return void (await fail(compared.failure.message));
	const ofRun = await changesOfRun(context, { visit, since, tree }, signal);
	if (signal.aborted) return;
	await record({ ...measured, ...recorded(compared.value), ...(ofRun ? { ofRun } : {}) });
}

/** What is checked out, as an event records it. */
async function recordedBranch(
	asked: Promise<CheckedOut | undefined> | undefined,
): Promise<Pick<FilesMeasured, "checkedOut">> {
	const checkedOut = await asked;
	return checkedOut ? { checkedOut } : {};
}

const unchanged = { ok: true, value: { changes: [], more: 0, total: totalChanges([]) } } as const;

function isStart({ visit, startTree }: Run): boolean {
	return visit === 1 && startTree === undefined;
}

/** What is recorded only before the first worker. A child knows the uncommitted changes from its parent. */
async function filesAtStart({
	workspace,
	run,
}: ExecutorContext): Promise<Pick<FilesMeasured, "start" | "uncommitted">> {
	if (!isStart(run())) return {};
	const uncommitted = run().parent === null ? await workspace.uncommitted?.() : undefined;
	return { start: true, ...(uncommitted ? { uncommitted } : {}) };
}

/** All changes since the run started; `undefined`: as known, because the visit has changed nothing. */
async function changesOfRun(
	{ workspace, run }: ExecutorContext,
	{ visit, since, tree }: { readonly visit: number; readonly since: string; readonly tree: string },
	signal: AbortSignal,
): Promise<FilesMeasured["ofRun"]> {
	const { startTree, snapshot } = run();
	if (startTree === since) return "same";
	// An earlier measurement of this visit may have found changes.
	if (since === tree && !snapshot.files.some((file) => file.visit === visit)) return undefined;
	const compared = startTree === undefined ? undefined : await workspace.changes(startTree, tree, maxChanges, signal);
	return compared?.ok ? recorded(compared.value) : "unknown";
}

/** Removes the folders of children that the run does not need any more; returns those that stay because of their files. */
export async function removeEndedFolders({
	run,
	workspace,
	keepChildFolders = false,
}: ExecutorContext): Promise<readonly KeptChildFolder[]> {
	const { childCount, children, candidates, apart, id } = run();
	if ((childCount === 0 && !children) || keepChildFolders) return [];
	// Files of theirs are still needed.
	const group = children?.ofCopy ? [] : (children?.children ?? []);
	const needed = [...group, ...(candidates?.group.children ?? [])].map((child) => child.id);
	const removed = await workspace.removeChildren([...needed, ...(apart ? [copyId(id)] : [])]);
	return removed.ok ? removed.value.slice(0, maxKeptFolders).map(boundedFolder) : [];
}

/** A folder that stays, as an event records it. */
export function boundedFolder({ child, path, files }: KeptFolder): KeptChildFolder {
	const more = files.length - maxKeptFiles;
	return { child, path, files: files.slice(0, maxKeptFiles), ...(more > 0 ? { more } : {}) };
}

function remarksOn({ unkept, notes }: KeptFiles): Pick<FilesMeasured, "unkept" | "notes"> {
	return {
		...(unkept.length > 0 ? { unkept: unkept.slice(0, maxLeft) } : {}),
		...(notes.length > 0 ? { notes } : {}),
	};
}

/** Restores the files to `tree`, after recording their current state. Starts over if another process writes them in the meantime. */
export async function restoreFiles(
	context: ExecutorContext,
	{ tree, visit, before: known }: Extract<Action, { kind: "restore_files" }>,
	signal: AbortSignal,
): Promise<void> {
	const { workspace, crashAt } = context;
	let before = known;
	let last = known;
	for (let round = 1; ; round += 1) {
		const now = await recordFilesBefore(context, { tree, visit, last }, signal);
		if (now === undefined) return;
		last = now;
		before ??= now;
		crashAt("before files are brought back");
		const restored = await workspace.restore(tree, { expected: now, before, signal });
		crashAt("files are brought back");
		if (restored.ok) return recordRestored(context, tree, before, restored.value);
		if (signal.aborted) return;
		const { reason, message } = restored.failure;
		if (reason !== "changed" || round >= maxRounds) return recordUnrestored(context, tree, message);
	}
}

/** The current files, saved before anything is overwritten; `undefined` if nothing may be overwritten. `last` is already recorded. */
async function recordFilesBefore(
	context: ExecutorContext,
	{ tree, visit, last }: { readonly tree: string; readonly visit: number; readonly last: string | null },
	signal: AbortSignal,
): Promise<string | undefined> {
	const { record, workspace } = context;
	const kept = await workspace.snapshot({ towards: tree, signal });
	if (signal.aborted) return undefined;
	if (!kept.ok) {
		await recordUnrestored(context, tree, kept.failure.message);
		return undefined;
	}
	const found = kept.value;
	if (found.tree === last) return last;
	const branch = await recordedBranch(workspace.checkedOut?.());
	const remarks = { ...branch, ...remarksOn(found) };
	const event = { kind: "files_measured", visit, purpose: "before", tree: found.tree, ...remarks } as const;
	return (await record(event)) === undefined ? found.tree : undefined;
}

async function recordUnrestored({ record }: ExecutorContext, tree: string, detail: string): Promise<void> {
	await record({ kind: "files_unrestored", tree, detail });
}

/** The part of the changes between two trees that an event records; nothing if they cannot be compared. */
export async function changesBetween(
	workspace: Workspace,
	before: string,
	now: string,
): Promise<Pick<FilesMeasured, "changes" | "more" | "total">> {
	const compared = await workspace.changes(before, now, maxChanges);
	return compared.ok ? recorded(compared.value) : {};
}

type Compared = Extract<Awaited<ReturnType<Workspace["changes"]>>, { ok: true }>["value"];

/** Changes as an event records them. */
function recorded({ changes, more, total }: Compared): Pick<FilesMeasured, "changes" | "more" | "total"> {
	return { changes, ...(more > 0 ? { more } : {}), total };
}

async function recordRestored(
	{ record, workspace }: ExecutorContext,
	tree: string,
	before: string,
	{ tree: now, left }: { readonly tree: string; readonly left: readonly FileLeft[] },
): Promise<void> {
	await record({
		kind: "files_restored",
		tree,
		before,
		...(now === tree ? {} : { now }),
		...(await recordedBranch(workspace.checkedOut?.())),
		...(await changesBetween(workspace, before, now)),
		...(left.length > 0 ? { left: left.slice(0, maxLeft) } : {}),
		...(left.length > maxLeft ? { leftMore: left.length - maxLeft } : {}),
	});
}
