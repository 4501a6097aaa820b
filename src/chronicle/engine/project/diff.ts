// What has changed in the files: since the present state began, in one earlier visit, or since the run began. For a person to look at.
// D1 a run that another process has is looked at without touching what that process works with; D2 nothing of the project is changed.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import {
	type Failure,
	type FileChange,
	type FileLeft,
	type ReadLedger,
	type Result,
	type Run,
	readHistory,
	type Workspace,
} from "../../core/index.ts";
import { type GitWorkspaceOptions, openGitWorkspace } from "../workspace/index.ts";
import type { Project } from "./project.ts";
import type { SupervisedRun } from "./supervised-run.ts";

export interface RunDiff {
	/** The visit that was looked at; `all`: the whole run. */
	readonly visit: number | "all";
	readonly state: string;
	readonly changes: readonly FileChange[];
	/** Changes that the list leaves out. */
	readonly more: number;
	/** Unified diff, at most 200,000 bytes of it. */
	readonly patch: string;
	/** There is more of the diff. */
	readonly cut: boolean;
	/** What could not be read just now: nothing is known of it. */
	readonly unmeasured: readonly FileLeft[];
	/** Why the record does not know, or not wholly, what was changed. */
	readonly unknown: readonly string[];
}

const mostChanges = 500;
const patchBytes = 200_000;

/** What `visit` has changed; without one the present visit, or the whole run where that is over. */
export async function diffRun(
	project: Project,
	ledger: ReadLedger,
	visit: number | "all" | undefined,
	live?: SupervisedRun,
): Promise<Result<RunDiff>> {
	const { run } = ledger;
	const asked = visit ?? (run.stage.kind === "over" ? "all" : run.visit);
	const history = await readHistory(ledger);
	const trees = history.visits.map((visit) => visit.trees);
	const at = asked === "all" ? undefined : history.visit(asked);
	if (asked !== "all" && (asked < 1 || asked > run.visit))
		return unknown(`The run has ${run.visit} ${run.visit === 1 ? "visit" : "visits"}.`, "unknown_visit");
	const before = asked === "all" ? trees.find(({ before }) => before !== undefined)?.before : at?.trees.before;
	const state = asked === "all" ? run.state : (at?.state ?? run.state);
	if (before === undefined)
		return unknown(
			run.baseline?.tree === null
				? "The files of this run cannot be measured, so there is nothing to compare."
				: "The files have not been measured yet.",
		);
	const over = run.stage.kind === "over" || (asked !== "all" && asked < run.visit);
	const question = run.stage.kind === "asking" ? run.stage.question.diff : undefined;
	const last = asked === "all" ? trees.findLast(({ after }) => after !== undefined)?.after : at?.trees.after;
	const after = over ? last : question || undefined;
	return withWorkspace(project, ledger, live, async (workspace) => {
		const now = after === undefined ? await workspace.snapshot() : undefined;
		if (now?.ok === false) return now;
		const tree = now?.value.tree ?? after ?? before;
		const compared = await workspace.changes(before, tree, mostChanges);
		if (!compared.ok) return compared;
		const patch = await workspace.patch(before, tree, patchBytes);
		if (!patch.ok) return patch;
		// One that fills its room has been cut, a character at its end included.
		const cut = Buffer.byteLength(patch.value) > patchBytes - 4;
		const found = { visit: asked, state, ...compared.value, patch: patch.value, cut };
		return { ok: true, value: { ...found, unmeasured: now?.value.unkept ?? [], unknown: unknownOf(run, asked) } };
	});
}

/** Looks at the files of a run through the supervision's own workspace, or through one of its own that borrows what is kept. */
export async function withWorkspace<T>(
	{ place, ownFolders }: Project,
	{ folder, run }: Pick<ReadLedger, "folder" | "run">,
	live: SupervisedRun | undefined,
	look: (workspace: Workspace) => Promise<Result<T, Failure>>,
): Promise<Result<T, Failure>> {
	if (live) return look(live.workspace);
	const own = join(folder, `look-${process.pid}-${Date.now()}`);
	try {
		return await look(
			openGitWorkspace({ cwd: place.cwd, folder: own, leftOut: ownFolders, alternate: folder, ...workspaceScope(run) }),
		);
	} finally {
		await rm(own, { recursive: true, force: true }).catch(() => {});
	}
}

/** What of the files the run keeps. */
export function workspaceScope({ plan }: Run): Pick<GitWorkspaceOptions, "scope" | "secrets"> {
	return { scope: plan.files, secrets: plan.secretFiles };
}

function unknownOf({ unmeasured }: Run, asked: number | "all"): string[] {
	return unmeasured
		.filter(({ visit }) => asked === "all" || visit === asked)
		.map(({ visit, why }) => `visit ${visit}: ${why}`);
}

function unknown(message: string, reason = "unknown_tree"): { readonly ok: false; readonly failure: Failure } {
	return { ok: false, failure: { reason, message, remedy: "Look at the run's status." } };
}
