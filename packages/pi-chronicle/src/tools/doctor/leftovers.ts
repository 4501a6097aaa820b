// Leftovers of dead processes: processes of runs, leases, runs that never began, drafts of files, copies of rehearsals. Nothing else is ever
// removed.
// A run whose supervisor may be alive, here or on another machine, is not touched; a draft is removed only if it is older than an hour
// and the process that wrote it has exited.

import { lstat, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { counted } from "@pi-chronicle/core/definition";
import { walkFiles } from "../../disk/index.ts";
import {
	logCopiesRoot,
	orphanedChildFolders,
	orphanedLogCopies,
	type Project,
	removeOutsideFolder,
	unstartedRuns,
} from "../../local/index.ts";
import { findOrphans, processStart, runsWithProcesses, stopOrphans } from "../../process/index.ts";
import { orphanedCopies } from "../rehearsal/index.ts";
import { type DoctorExamination, type DoctorFinding, fine } from "./examination.ts";

const draftAgeMs = 60 * 60 * 1000;
const draftDepth = 4;
const anyDraft = /^\..+\.(\d+)\.tmp$/;
/** In pi's agent folder itself, where other programs write too. */
const sharedDraft = /^\.(?:guard-answers|sandbox-hosts)\.json\.(\d+)\.tmp$/;

export interface LeftoverRequest {
	readonly project: Project;
	readonly fix: "leave" | "remove";
	/** Precedes the commands that are printed. */
	readonly prefix: string;
}

export function leftoverExamination(request: LeftoverRequest): DoctorExamination {
	return { what: "leftovers", maxMs: 30_000, examine: () => examineLeftovers(request) };
}

async function examineLeftovers(request: LeftoverRequest): Promise<readonly DoctorFinding[]> {
	const { fix, prefix, project } = request;
	const { dead, interrupted, unreleased } = await deadRuns(project);
	const found = [
		...(await orphanFindings(dead, fix)),
		...(await leaseFindings(project, unreleased, fix)),
		...(await unstartedFindings(project, fix)),
		...(await fileFindings("drafts of unfinished files", await staleDrafts(project), fix)),
		...(await copyFindings(fix)),
		...(await childFolderFindings(project, fix)),
		...(await logCopyFindings(project)),
	].map((finding) =>
		finding.state === "warning" && finding.remedy === undefined
			? { ...finding, remedy: `Run \`${prefix}doctor --fix\`.` }
			: finding,
	);
	const stopped = interrupted.map((id): DoctorFinding => {
		const short = id.slice(0, 8);
		return {
			state: "warning",
			text: `The run ${short} was interrupted: no process supervises it.`,
			remedy: `Continue it with \`${prefix}resume ${short}\`.`,
		};
	});
	const all = [...found, ...stopped];
	return all.length === 0 ? [fine("none")] : all;
}

/** Ids of runs without a supervisor. */
interface DeadRuns {
	readonly dead: readonly string[];
	/** Runs that were running; child runs are omitted. */
	readonly interrupted: readonly string[];
	/** Ended or waiting runs whose supervisor died before it released the lease. */
	readonly unreleased: readonly string[];
}

async function deadRuns({ store }: Project): Promise<DeadRuns> {
	const runs = (await store.list()).flatMap((entry) => (entry.kind === "run" ? [entry] : []));
	const dead = runs.filter(({ holder }) => !holder || holder.alive === "no");
	const isInterrupted = ({ summary }: (typeof runs)[number]) => summary.status === "interrupted";
	const ids = (entries: typeof runs) => entries.map(({ id }) => id);
	return {
		dead: ids(dead),
		interrupted: ids(dead.filter((run) => isInterrupted(run) && run.summary.parent === undefined)),
		unreleased: ids(dead.filter((run) => !isInterrupted(run) && run.holder !== undefined)),
	};
}

async function leaseFindings(
	{ store }: Project,
	runs: readonly string[],
	fix: LeftoverRequest["fix"],
): Promise<readonly DoctorFinding[]> {
	if (runs.length === 0) return [];
	const what = counted(runs.length, "lease", "leases");
	if (fix === "leave") return [{ state: "warning", text: `Supervisors that were killed left ${what} behind.` }];
	const findings: DoctorFinding[] = [];
	for (const run of runs) {
		const opened = await store.open(run);
		if (opened.ok) await opened.value.releaseLease();
		else findings.push({ state: "failed", text: `The lease of ${run.slice(0, 8)} remains: ${opened.failure.message}` });
	}
	return findings.length > 0 ? findings : [fine(`released ${what}`)];
}

async function orphanFindings(dead: readonly string[], fix: LeftoverRequest["fix"]): Promise<readonly DoctorFinding[]> {
	const tagged = runsWithProcesses();
	const runs = dead.filter((id) => tagged.has(id));
	const findings: DoctorFinding[] = [];
	for (const run of runs) {
		const short = run.slice(0, 8);
		if (fix === "remove") {
			const { stopped, remaining } = await stopOrphans(run);
			findings.push(fine(`stopped ${counted(stopped.length, "process", "processes")} of the run ${short}`));
			if (remaining.length > 0)
				findings.push({
					state: "failed",
					text: `${counted(remaining.length, "process", "processes")} of the run ${short} cannot be stopped.`,
				});
			continue;
		}
		const orphans = findOrphans(run);
		const pids = orphans.map(({ pid }) => pid).join(", ");
		if (orphans.length > 0)
			findings.push({
				state: "warning",
				text: `The run ${short} has no supervisor, and left processes running: ${pids}.`,
			});
	}
	return findings;
}

async function unstartedFindings(
	{ store, sessions }: Project,
	fix: LeftoverRequest["fix"],
): Promise<readonly DoctorFinding[]> {
	const runs = await unstartedRuns(sessions);
	if (runs.length === 0) return [];
	const what = counted(runs.length, "run that never began", "runs that never began");
	if (fix === "leave")
		return [{ state: "warning", text: `Processes that were killed left the files of ${what} behind.` }];
	const failures = (await Promise.all(runs.map((run) => store.remove(run)))).flatMap((done) =>
		done.ok ? [] : [done.failure.message],
	);
	if (failures.length > 0) return failures.map((text) => ({ state: "failed", text }));
	return [fine(`removed the files of ${what}`)];
}

async function fileFindings(
	what: string,
	files: readonly string[],
	fix: LeftoverRequest["fix"],
): Promise<readonly DoctorFinding[]> {
	if (files.length === 0) return [];
	if (fix === "leave") return [{ state: "warning", text: `${files.length} ${what}, such as ${files[0]}` }];
	for (const file of files) await rm(file, { force: true });
	return [fine(`removed ${files.length} ${what}`)];
}

async function copyFindings(fix: LeftoverRequest["fix"]): Promise<readonly DoctorFinding[]> {
	const copies = await orphanedCopies(fix === "remove" ? "remove" : "find");
	if (copies.length === 0) return [];
	const what = counted(copies.length, "copy of a project", "copies of projects");
	if (fix === "remove") return [fine(`removed ${what} that rehearsals left behind`)];
	return [{ state: "warning", text: `Rehearsals that were killed left ${what} behind, such as ${copies[0]}.` }];
}

/** Folders of child runs, outside of their projects, that no run needs any more. */
async function childFolderFindings({ place }: Project, fix: LeftoverRequest["fix"]): Promise<readonly DoctorFinding[]> {
	const { removed, moved } = orphanedChildFolders(place);
	const what = counted(removed.length, "folder of child runs", "folders of child runs");
	const findings = moved.map((folder): DoctorFinding => {
		const text = `${folder} has child runs of a project that is not where it was.`;
		return { state: "warning", text, remedy: "If the project is gone for good, delete the folder." };
	});
	if (removed.length === 0) return findings;
	if (fix === "leave")
		return [
			{ state: "warning", text: `Runs that no longer exist left ${what} behind, such as ${removed[0]}.` },
			...findings,
		];
	for (const folder of removed) await removeOutsideFolder(folder);
	return [fine(`removed ${what}`), ...findings];
}

/** Copies of event logs whose projects are gone. */
async function logCopyFindings({ place: { agentFolder } }: Project): Promise<readonly DoctorFinding[]> {
	const folders = await orphanedLogCopies(logCopiesRoot(agentFolder));
	return folders.map((folder) => ({
		state: "warning",
		text: `${folder} has copies of the events of a project that is not where it was.`,
		remedy: "If the project is gone for good, delete the folder.",
	}));
}

/** Drafts of atomic writes whose processes have exited. */
async function staleDrafts({ place: { cwd, agentFolder }, sessions }: Project): Promise<readonly string[]> {
	const folders = [dirname(sessions), join(cwd, ".pi", "sequences"), join(agentFolder, "chronicle")];
	const found = folders.map((folder) => staleDraftsIn(folder, draftDepth, anyDraft));
	return (await Promise.all([...found, staleDraftsIn(agentFolder, 0, sharedDraft)])).flat();
}

async function staleDraftsIn(folder: string, depth: number, draft: RegExp): Promise<readonly string[]> {
	const found: string[] = [];
	for (const { path, entry } of walkFiles(folder, depth)) {
		const [, pid] = draft.exec(entry.name) ?? [];
		if (pid === undefined || !entry.isFile() || processStart(Number(pid)) !== undefined) continue;
		const file = join(folder, path);
		if (Date.now() - (await lstat(file)).mtimeMs > draftAgeMs) found.push(file);
	}
	return found;
}
