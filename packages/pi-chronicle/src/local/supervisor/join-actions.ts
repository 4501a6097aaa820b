// Actions on files at a join: merging the results of the children with the run's files, and writing the merged files.
// Nothing in the run's folder changes before `joined` is on disk; changes in the folder since then are another side of the merge; J3
// repeating an action after a crash gives the same files.
import type { Action, JoinConflict, Run } from "@pi-chronicle/core/machine";
import {
	ALL_CHILDREN,
	childrenPlanOf,
	conflictFolderId,
	dueConflict,
	isJoinedAgain,
	sideWith,
	YOUR_FILES,
} from "@pi-chronicle/core/machine";
import type { JoinedChild, KeptFolder, Result, Workspace, WorkspaceFailure } from "@pi-chronicle/core/ports";
import type { FileLeft } from "@pi-chronicle/core/snapshot";
import { checkedOutText, isOtherBranch } from "@pi-chronicle/core/snapshot";
import type { ExecutorContext } from "./executor-context.ts";
import { boundedFolder, changesBetween, maxLeft, removeEndedFolders } from "./file-actions.ts";

type Merge = Extract<Action, { kind: "merge_files" }>;
type Apply = Extract<Action, { kind: "apply_join" }>;
type JoinProgress = Apply["join"];

/** Maximum merges of one join while another process keeps writing the files. */
const maxRounds = 20;
const maxConflicts = 200;

type Merged =
	| { readonly ok: true; readonly tree: string; readonly conflicts: readonly JoinConflict[] }
	| { readonly ok: false; readonly failure: WorkspaceFailure };

interface ChildMerge {
	readonly action: Merge;
	readonly into: NonNullable<Merge["into"]>;
}

/** Merges the files of a child with those of the children joined before, or resolves the conflicts of that merge. Writes none. */
function mergeChild(context: ExecutorContext, merge: ChildMerge, signal: AbortSignal): Promise<void> {
	const { join, results, base } = merge.action;
	if (join?.choice === "hand" || join?.choice === "worker") return mergeResolved(context, merge, join, signal);
	const [result] = results;
	return mergeSides(context, merge, { base: result?.base ?? base, theirs: result?.tree ?? base }, signal);
}

/** Takes the files with resolved conflicts. If other children have been joined since, they are merged once more. */
async function mergeResolved(
	context: ExecutorContext,
	merge: ChildMerge,
	join: JoinProgress,
	signal: AbortSignal,
): Promise<void> {
	const { visit } = merge.action;
	const { child, tree: joined } = merge.into;
	const resolved = await resolveConflicts(context, { visit, join, child }, signal);
	if (signal.aborted) return;
	if (!resolved.ok) return failJoin(context, visit, resolved.failure);
	const { tree, conflicts } = resolved.value;
	if (conflicts.length === 0 && join.before !== joined)
		return mergeSides(context, merge, { base: join.before, theirs: tree }, signal);
	await context.record({ kind: "joined", visit, child, before: join.before, tree, conflicts });
}

async function mergeSides(
	context: ExecutorContext,
	{ action: { visit, results, join }, into: { child, tree: before } }: ChildMerge,
	{ base, theirs }: { readonly base: string; readonly theirs: string },
	signal: AbortSignal,
): Promise<void> {
	const { workspace, record, crashAt } = context;
	const names = { ours: ALL_CHILDREN, theirs: results[0]?.name ?? "" };
	const take = join?.choice === "ours" || join?.choice === "theirs" ? join.choice : undefined;
	const merged = await workspace.merge({ base, ours: before, theirs, names }, { take, signal });
	if (signal.aborted) return;
	if (!merged.ok) return failJoin(context, visit, merged.failure);
	crashAt("files of a child are merged");
	const conflicts = merged.value.conflicts.slice(0, maxConflicts).map(({ path, kind }) => ({ path, kind, ...names }));
	await record({ kind: "joined", visit, child, before, tree: merged.value.tree, conflicts });
}

async function failJoin(context: ExecutorContext, visit: number, { message, remedy }: WorkspaceFailure): Promise<void> {
	await context.record({ kind: "join_failed", visit, detail: `${message} ${remedy}` });
}

/** Merges the children's results into the run's files, or resolves the conflicts of the last merge. */
export async function mergeFiles(context: ExecutorContext, action: Merge, signal: AbortSignal): Promise<void> {
	const { workspace, record, crashAt } = context;
	const { visit, join, into } = action;
	if (into) return mergeChild(context, { action, into }, signal);
	const fail = (detail: string) => record({ kind: "join_failed", visit, detail });
	const elsewhere = await explainOtherBranch(context);
	if (elsewhere !== undefined) return void (await fail(elsewhere));
	if (join?.choice === "hand" || join?.choice === "worker") return takeResolution(context, visit, join, signal);
	const keep = childrenPlanOf(context.run())?.keep ?? [];
	const kept = await workspace.snapshot({ signal, keep });
	if (signal.aborted) return;
	if (!kept.ok) return void (await fail(kept.failure.message));
	const before = kept.value.tree;
	const side = join?.choice === "ours" || join?.choice === "theirs" ? join.choice : undefined;
	const merged = await mergeAll(workspace, before, action, side);
	if (signal.aborted) return;
	if (!merged.ok) return failJoin(context, visit, merged.failure);
	crashAt("files are merged");
	const { tree, conflicts } = merged;
	await record({ kind: "joined", visit, before, tree, conflicts: conflicts.slice(0, maxConflicts) });
}

/** Why nothing is joined if another branch is checked out than when the visit began: files of both would be mixed. */
async function explainOtherBranch({ workspace, run }: ExecutorContext): Promise<string | undefined> {
	const { baseline, checkedOut, children } = run();
	const ofCopy = children?.ofCopy;
	const isAllowed = ofCopy?.otherBranch || isJoinedAgain(run());
	const before = ofCopy ? (isAllowed ? undefined : checkedOut) : baseline?.checkedOut;
	const now = before && (await workspace.checkedOut?.());
	if (!now || !isOtherBranch(before, now)) return undefined;
	const [then, here] = [checkedOutText(before), checkedOutText(now)];
	return `${ofCopy ? "The run" : "The children"} began on ${then}, and ${here} is checked out now. Check out ${then} and resume, or join into ${here} with resume --other-branch.`;
}

/** One result after another. `side`: the side that wins a conflict; `theirs` is the later one. */
async function mergeAll(
	workspace: Workspace,
	before: string,
	{ base, results }: Merge,
	side: "ours" | "theirs" | undefined,
): Promise<Merged> {
	let tree = before;
	const conflicts: JoinConflict[] = [];
	let last = YOUR_FILES;
	for (const { name, tree: theirs, base: started } of results) {
		const merged = await workspace.merge(
			{ base: started ?? base, ours: tree, theirs, names: { ours: last, theirs: name } },
			{ take: side },
		);
		if (!merged.ok) return merged;
		tree = merged.value.tree;
		conflicts.push(...merged.value.conflicts.map(({ path, kind }) => ({ path, kind, ours: last, theirs: name })));
		last = sideWith(last, name);
	}
	return { ok: true, tree, conflicts };
}

/** Takes the files with resolved conflicts; files that still contain markers remain conflicts. */
async function takeResolution(
	context: ExecutorContext,
	visit: number,
	join: JoinProgress,
	signal: AbortSignal,
): Promise<void> {
	const { record } = context;
	const resolved = await resolveConflicts(context, { visit, join }, signal);
	if (signal.aborted) return;
	if (!resolved.ok) return void (await record({ kind: "join_failed", visit, detail: resolved.failure.message }));
	await record({ kind: "joined", visit, before: join.before, ...resolved.value });
}

/** Conflicts that were resolved: those of the files of `child`, or of all children. */
interface Resolution {
	readonly visit: number;
	readonly join: JoinProgress;
	readonly child?: string;
}

/** The files with resolved conflicts, and the conflicts that are left in them. */
async function resolveConflicts(
	context: ExecutorContext,
	resolution: Resolution,
	signal: AbortSignal,
): Promise<Result<{ readonly tree: string; readonly conflicts: readonly JoinConflict[] }, WorkspaceFailure>> {
	const { conflicts } = resolution.join;
	const resolved = await resolutionOf(context, resolution, signal);
	if (!resolved.ok) return resolved;
	const { tree } = resolved.value;
	const paths = [...new Set(conflicts.map(({ path }) => path))];
	const marked = await context.workspace.conflictMarkers(tree, paths);
	if (!marked.ok) return marked;
	return { ok: true, value: { tree, conflicts: conflicts.filter(({ path }) => marked.value.includes(path)) } };
}

function resolutionOf(
	context: ExecutorContext,
	{ join: { choice, tree, resolved }, child }: Resolution,
	signal: AbortSignal,
) {
	const { workspace, run } = context;
	const index = run().children?.children.find(({ id }) => id === child)?.index;
	if (choice === "worker") return mergeWorkersResult(context, tree, index, signal);
	if (resolved === undefined) return takeResolved(workspace, conflictFolderId(run(), index), tree, signal);
	// The merge knows, or brings, a tree of another machine.
	return workspace.merge(
		{ base: tree, ours: tree, theirs: resolved, names: { ours: ALL_CHILDREN, theirs: YOUR_FILES } },
		{ signal },
	);
}

/** Merges the files with those of the last worker that resolved conflicts. */
function mergeWorkersResult(
	{ workspace, run }: ExecutorContext,
	tree: string,
	index: number | undefined,
	signal: AbortSignal,
) {
	const all = run().children?.children;
	const merger = all?.findLast(({ merges, joins }) => merges !== undefined && joins === index);
	const names = { ours: ALL_CHILDREN, theirs: merger?.name ?? ALL_CHILDREN };
	const base = merger?.base ?? tree;
	return workspace.merge({ base, ours: tree, theirs: merger?.tree ?? tree, names }, { signal });
}

/** The files of `folder`, which was created from `tree`, plus the entries of `tree` that such a folder does not get, such as repositories. */
async function takeResolved(workspace: Workspace, folder: string, tree: string, signal: AbortSignal) {
	const opened = await workspace.openChild(folder, tree, { signal });
	if (!opened.ok) return opened;
	const kept = await workspace.keepChild(folder, signal);
	if (!kept.ok) return kept;
	const names = { ours: ALL_CHILDREN, theirs: YOUR_FILES };
	return workspace.merge({ base: opened.value.tree, ours: tree, theirs: kept.value.tree, names }, { signal });
}

/** Prepares the folder in which the user can resolve the conflicts by hand; returns its path. */
export async function openConflictFolder({ workspace, run }: ExecutorContext): Promise<string | undefined> {
	const { children } = run();
	const due = children && dueConflict(children);
	if (!due) return undefined;
	const opened = await workspace.openChild(conflictFolderId(run(), due.child?.index), due.join.tree);
	return opened.ok ? opened.value.cwd : undefined;
}

/** Writes the merged files to the run's folder. Changes there since the merge are merged first. */
export async function applyJoin(context: ExecutorContext, { visit, join }: Apply, signal: AbortSignal): Promise<void> {
	const { workspace, record, crashAt, forbidden } = context;
	const fail = (detail: string) => record({ kind: "join_failed", visit, detail });
	const elsewhere = await explainOtherBranch(context);
	if (elsewhere !== undefined) return void (await fail(elsewhere));
	crashAt("before merged files are written");
	const names = { ours: YOUR_FILES, theirs: ALL_CHILDREN };
	const children = joinedChildren(context.run());
	const change = { from: join.before, to: join.tree, names, children };
	const joined = await workspace.join({ ...change, ...(forbidden ? { forbidden } : {}) }, signal);
	if (signal.aborted) return;
	if (!joined.ok) return void (await fail(`${joined.failure.message} ${joined.failure.remedy}`));
	// A merge that detects renames may resolve conflicts that a join, which may find renames half done, does not.
	if (joined.value.conflicts.length > 0) return mergeAgain(context, visit, join, joined.value.tree, signal);
	crashAt("merged files are written");
	// No visit that would do it follows.
	if (context.run().children?.ofCopy) await removeEndedFolders(context);
	const isKnown = isJoinedAgain(context.run());
	await recordApplied(context, visit, join.before, isKnown ? { ...joined.value, kept: [] } : joined.value);
}

/** The children whose files are joined, with those of the worker that resolved conflicts. */
function joinedChildren({ children }: Run): readonly JoinedChild[] {
	return (children?.children ?? []).flatMap(({ id, status, tree }) =>
		status === "done" && tree !== null ? [{ child: id, tree }] : [],
	);
}

async function recordApplied(
	{ workspace, record }: ExecutorContext,
	visit: number,
	before: string,
	{
		tree,
		left,
		kept = [],
	}: { readonly tree: string; readonly left: readonly FileLeft[]; readonly kept?: readonly KeptFolder[] },
): Promise<void> {
	await record({
		kind: "join_applied",
		visit,
		tree,
		...(await changesBetween(workspace, before, tree)),
		...(left.length > 0 ? { left: left.slice(0, maxLeft) } : {}),
		...(left.length > maxLeft ? { leftMore: left.length - maxLeft } : {}),
		...(kept.length > 0 ? { kept: kept.map(boundedFolder) } : {}),
	});
}

async function mergeAgain(
	{ workspace, record }: ExecutorContext,
	visit: number,
	join: JoinProgress,
	now: string,
	signal: AbortSignal,
): Promise<void> {
	if (join.round >= maxRounds)
		return void (await record({
			kind: "join_failed",
			visit,
			detail: "The files keep changing while the results are joined.",
		}));
	const names = { ours: YOUR_FILES, theirs: ALL_CHILDREN };
	const merged = await workspace.merge({ base: join.before, ours: now, theirs: join.tree, names });
	if (signal.aborted) return;
	if (!merged.ok) return void (await record({ kind: "join_failed", visit, detail: merged.failure.message }));
	const { tree } = merged.value;
	const conflicts = merged.value.conflicts.map(({ path, kind }) => ({ path, kind, ...names }));
	await record({ kind: "joined", visit, before: now, tree, conflicts });
}
