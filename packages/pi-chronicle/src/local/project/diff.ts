// Compares files: since the current state started, in an earlier visit, or since the run started.
// A run of another process is inspected without touching that process's files; nothing in the project is changed.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { readHistory } from "@pi-chronicle/core/history";
import { apartState, candidatesIn, copyId, type Run, winnerOf, YOUR_FILES } from "@pi-chronicle/core/machine";
import type { Failure, ReadLedger, Result, Workspace } from "@pi-chronicle/core/ports";
import { type ChangeTotals, type FileChange, type FileLeft, totalChanges } from "@pi-chronicle/core/snapshot";
import { findChildPlace, openGitWorkspace } from "../workspace/index.ts";
import { type Project, workspaceScope } from "./project.ts";
import { findCopyOf } from "./run-copy.ts";
import type { SupervisedRun } from "./supervised-run.ts";

export interface RunDiff {
	/** The visit that was compared; `all`: the whole run. */
	readonly visit: number | "all";
	readonly state: string;
	readonly changes: readonly FileChange[];
	/** Changes beyond the end of the list. */
	readonly more: number;
	/** All changes. */
	readonly total: ChangeTotals;
	/** Unified diff, at most 200,000 bytes. */
	readonly patch: string;
	/** The diff is longer. */
	readonly cut: boolean;
	/** Files that could not be read now. */
	readonly unmeasured: readonly FileLeft[];
	/** Why the recorded changes are unknown or incomplete. */
	readonly unknown: readonly string[];
	/** The run asks to take this child: these are the changes that approving makes. Absent: the changes made so far. */
	readonly taking?: TakenChild;
}

interface TakenChild {
	readonly name: string;
	/** Conflicting files; the patch shows their conflict markers. */
	readonly conflicts: readonly string[];
}

const maxChanges = 500;
const patchBytes = 200_000;

/** The snapshots to compare; without `to`, the current files. */
interface Range {
	readonly state: string;
	readonly from: string;
	readonly to: string | undefined;
}

/**
 * The changes of `visit`. Default: what approving changes if the run asks to take a child, else the current visit, or the whole run if it has
 * ended.
 */
export async function diffRun(
	project: Project,
	ledger: ReadLedger,
	visit: number | "all" | undefined,
	live?: SupervisedRun,
): Promise<Result<RunDiff>> {
	const { run } = ledger;
	if (visit === undefined && apartState(run) === "waiting" && !live) return diffJoin(project, ledger);
	const taken = visit === undefined ? childToTake(run) : undefined;
	if (taken) return diffTaking(project, ledger, taken, live);
	const asked = visit ?? (run.stage.kind === "over" ? "all" : run.visit);
	const range = await rangeOf(ledger, asked);
	if (!range.ok) return range;
	const { state, from, to } = range.value;
	return withWorkspace(project, ledger, live, async (workspace) => {
		const now = to === undefined ? await workspace.snapshot() : undefined;
		if (now?.ok === false) return now;
		const compared = await compareTrees(workspace, from, now?.value.tree ?? to ?? from);
		if (!compared.ok) return compared;
		const found = { visit: asked, state, ...compared.value };
		return { ok: true, value: { ...found, unmeasured: now?.value.unkept ?? [], unknown: unknownOf(run, asked) } };
	});
}

async function compareTrees(
	workspace: Workspace,
	from: string,
	to: string,
): Promise<Result<Pick<RunDiff, "changes" | "more" | "total" | "patch" | "cut">>> {
	const compared = await workspace.changes(from, to, maxChanges);
	if (!compared.ok) return compared;
	const patch = await workspace.patch(from, to, patchBytes);
	if (!patch.ok) return patch;
	return { ok: true, value: { ...compared.value, patch: patch.value, cut: isCutPatch(patch.value, patchBytes) } };
}

/** A child whose files are merged when the user approves. */
interface ChildToTake {
	readonly name: string;
	readonly tree: string;
	/** The files that it started with. */
	readonly base: string;
}

/** `undefined`: the run does not ask to take a child, or that child has no files of its own. */
function childToTake(run: Run): ChildToTake | undefined {
	const { stage, candidates } = run;
	if (stage.kind !== "asking" || stage.question.side !== "exit" || !candidates) return undefined;
	const name = winnerOf(run, stage.question.target);
	const child = candidatesIn(run, run.state).find((one) => one.name === name);
	const base = child?.base ?? candidates.group.base;
	return child?.tree && base ? { name: child.name, tree: child.tree, base } : undefined;
}

/** What taking the child changes. */
async function diffTaking(
	project: Project,
	ledger: ReadLedger,
	child: ChildToTake,
	live: SupervisedRun | undefined,
): Promise<Result<RunDiff>> {
	const { visit, state } = ledger.run;
	return withWorkspace(project, ledger, live, async (workspace) => {
		const found = await diffMerge(workspace, child);
		return found.ok ? { ok: true, value: { visit, state, ...found.value } } : found;
	});
}

/** What a join of the copy that the run has worked in changes: its merge into the files of the user as they are now. */
async function diffJoin(project: Project, ledger: ReadLedger): Promise<Result<RunDiff>> {
	const { run, folder } = ledger;
	const base = run.apart?.joined?.tree ?? run.startTree;
	if (base === undefined) return unmeasured(run);
	return inOwnFolder(folder, async (own) => {
		const workspace = openGitWorkspace({
			...{ cwd: project.place.cwd, folder: own, childrenOf: folder, leftOut: project.ownFolders, alternate: folder },
			...workspaceScope(run),
		});
		const kept = await workspace.keepChild(copyId(run.id));
		if (!kept.ok) return kept;
		const name = `${run.template.name} ${run.id.slice(0, 8)}`;
		const found = await diffMerge(workspace, { name, tree: kept.value.tree, base });
		return found.ok ? { ok: true, value: { visit: "all", state: run.state, ...found.value } } : found;
	});
}

/** Calls `use` with a private folder for a look at the files of a run, and removes that afterward. */
async function inOwnFolder<T>(folder: string, use: (own: string) => Promise<T>): Promise<T> {
	const own = join(folder, `look-${process.pid}-${Date.now()}`);
	try {
		return await use(own);
	} finally {
		await rm(own, { recursive: true, force: true }).catch(() => {});
	}
}

/** The merge of a child's files into those of `workspace`, as they are now. */
async function diffMerge(
	workspace: Workspace,
	{ name, tree, base }: ChildToTake,
): Promise<Result<Omit<RunDiff, "visit" | "state">>> {
	const now = await workspace.snapshot();
	if (!now.ok) return now;
	const ours = now.value.tree;
	const merged = await workspace.merge({ base, ours, theirs: tree, names: { ours: YOUR_FILES, theirs: name } });
	if (!merged.ok) return merged;
	const compared = await compareTrees(workspace, ours, merged.value.tree);
	if (!compared.ok) return compared;
	const taking = { name, conflicts: [...new Set(merged.value.conflicts.map(({ path }) => path))] };
	return { ok: true, value: { ...compared.value, taking, unmeasured: now.value.unkept, unknown: [] } };
}

/** Most files whose conflicts are shown. */
const maxConflicts = 50;

/** The conflicting files of the join that waits for the user: the run's files against the merge with its conflict markers. */
export async function diffConflicts(
	project: Project,
	ledger: ReadLedger,
	live?: SupervisedRun,
): Promise<Result<Omit<RunDiff, "visit" | "state">>> {
	const join = ledger.run.children?.join;
	if (!join) return unknownTree("There is no join with conflicts.");
	const { before, tree, conflicts } = join;
	const paths = [...new Set(conflicts.map(({ path }) => path))];
	return withWorkspace(project, ledger, live, async (workspace) => {
		const compared = await workspace.changes(before, tree, maxChanges);
		if (!compared.ok) return compared;
		const patches: string[] = [];
		for (const path of paths.slice(0, maxConflicts)) {
			const patch = await workspace.patch(before, tree, patchBytes / maxConflicts, path);
			if (!patch.ok) return patch;
			patches.push(patch.value);
		}
		const changes = compared.value.changes.filter(({ path }) => paths.includes(path));
		const cut = paths.length > maxConflicts || patches.some((patch) => isCutPatch(patch, patchBytes / maxConflicts));
		const shown = { changes, more: 0, total: totalChanges(changes) };
		return { ok: true, value: { ...shown, patch: patches.join(""), cut, unmeasured: [], unknown: [] } };
	});
}

/** Whether a patch of at most `bytes` bytes was cut: it fills its limit, up to the bytes of a split character. */
export function isCutPatch(patch: string, bytes: number): boolean {
	return Buffer.byteLength(patch) > bytes - 4;
}

async function rangeOf(ledger: ReadLedger, asked: number | "all"): Promise<Result<Range>> {
	const { run } = ledger;
	if (asked !== "all" && (asked < 1 || asked > run.visit))
		return unknownTree(`The run has ${run.visit} ${run.visit === 1 ? "visit" : "visits"}.`, "unknown_visit");
	const history = await readHistory(ledger);
	const visits = history.visits.filter(({ number }) => asked === "all" || number === asked);
	const trees = visits.map((visit) => visit.trees);
	const from = trees.find(({ before }) => before !== undefined)?.before;
	if (from === undefined) return unmeasured(run);
	// A visit that a rewind has made, and in which nothing has worked, has only the files that it began with.
	const last = trees.flatMap(({ before, after }) => [before, after]).findLast((tree) => tree !== undefined);
	const question = run.stage.kind === "asking" ? run.stage.question.diff : "";
	const ended = run.stage.kind === "over" || (asked !== "all" && asked < run.visit);
	const state = (asked === "all" ? undefined : visits[0]?.state) ?? run.state;
	return { ok: true, value: { state, from, to: ended ? last : question || undefined } };
}

function unmeasured({ baseline }: Run): { readonly ok: false; readonly failure: Failure } {
	if (baseline?.tree !== null) return unknownTree("There is no file snapshot yet.");
	return unknownTree("This run has no file snapshots, so there is nothing to compare.");
}

/** Calls `use` with the run's files: the supervision's own workspace, or a temporary one with access to the run's snapshots. */
export async function withWorkspace<T>(
	{ place, ownFolders, sessions, engine }: Project,
	{ folder, run }: Pick<ReadLedger, "folder" | "run">,
	live: SupervisedRun | undefined,
	use: (workspace: Workspace) => Promise<Result<T, Failure>>,
): Promise<Result<T, Failure>> {
	if (live) return use(live.workspace);
	return inOwnFolder(folder, async (own) => {
		if (engine) return use(await engine.openFiles(run, own));
		const cwd = (await ownFolder(sessions, run)) ?? place.cwd;
		return use(openGitWorkspace({ cwd, folder: own, leftOut: ownFolders, alternate: folder, ...workspaceScope(run) }));
	});
}

/** The folder of a child or of a run apart, as long as it exists. */
async function ownFolder(sessions: string, { id, parent, apart }: Run): Promise<string | undefined> {
	if (apart) return findCopyOf({ id }, join(sessions, id));
	return parent?.files === "own" ? (await findChildPlace(join(sessions, parent.run), id))?.cwd : undefined;
}

function unknownOf({ unmeasured }: Run, asked: number | "all"): string[] {
	return unmeasured
		.filter(({ visit }) => asked === "all" || visit === asked)
		.map(({ visit, why }) => `visit ${visit}: ${why}`);
}

function unknownTree(message: string, reason = "unknown_tree"): { readonly ok: false; readonly failure: Failure } {
	return { ok: false, failure: { reason, message, remedy: "See the run's status." } };
}
