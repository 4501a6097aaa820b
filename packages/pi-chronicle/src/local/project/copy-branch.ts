// The files of a run apart as commits of a branch in the user's repository: one for each visit that changed files. No checkout is touched.
// The same files give the same commits, so that repeating it changes nothing; a branch is only made, or moved forward from commits of the run;
// all objects are in the user's repository before the branch names them.
import { join } from "node:path";
import { readHistory, type Visit } from "@pi-chronicle/core/history";
import type { Run } from "@pi-chronicle/core/machine";
import type { HeldLedger, Result } from "@pi-chronicle/core/ports";
import { cutText } from "@pi-chronicle/core/snapshot";
import {
	type BranchFiles,
	branchTree,
	commitTree,
	containsFile,
	explainGit,
	type GitPlace,
	gitAt,
	gitText,
	inspectRepository,
	openExclusions,
	type RepositoryInfo,
} from "../workspace/index.ts";
import { type KeptCopy, keepCopy } from "./kept-copy.ts";
import type { Project } from "./project.ts";

export interface CopyBranch extends Pick<KeptCopy, "left"> {
	readonly branch: string;
	/** Its newest commit. */
	readonly commit: string;
	/** Commits of the run on it. */
	readonly commits: number;
	/** Whether it was there already. */
	readonly isOld: boolean;
}

/** The failure of a step, to be returned as a result. */
class BranchFailure extends Error {
	readonly remedy: string;
	constructor(message: string, remedy: string) {
		super(message);
		this.remedy = remedy;
	}
}

/** Makes the branch, or moves it forward. `ledger`: of the run, which is over. */
export async function makeCopyBranch(project: Project, ledger: HeldLedger, name: string): Promise<Result<CopyBranch>> {
	try {
		return { ok: true, value: await makeBranch(project, ledger, name) };
	} catch (error) {
		const remedy =
			error instanceof BranchFailure ? error.remedy : "Nothing was changed. Take the files with join, or join --patch.";
		return { ok: false, failure: { reason: "branch", message: (error as Error).message, remedy } };
	}
}

async function makeBranch(project: Project, ledger: HeldLedger, name: string): Promise<CopyBranch> {
	const { cwd } = project.place;
	const repository = await inspectRepository(cwd);
	const objects = repository?.objects;
	if (!repository || objects === undefined)
		throw new BranchFailure("The project is no git repository, so it has no branches.", "Use join --patch <file>.");
	const user: GitPlace = {
		gitDir: await gitText({ gitDir: join(repository.root, ".git"), cwd }, ["rev-parse", "--absolute-git-dir"]),
		cwd,
	};
	await checkName(user, name);
	const base = await baseOf(user, ledger.run);
	const store: GitPlace = { gitDir: join(ledger.folder, "files"), cwd, alternates: [objects] };
	const kept = await keepCopy(project, ledger);
	if (!kept.ok) throw new BranchFailure(kept.failure.message, kept.failure.remedy);
	const files = await filesToCommit(project, ledger.run, { user, repository });
	const commits = await commitVisits(store, ledger, { base, ...files, last: kept.value.tree });
	const commit = commits.at(-1);
	if (commit === undefined)
		throw new BranchFailure("The run has changed no files, so there is nothing to commit.", "Discard it.");
	await gitText(
		store,
		["pack-objects", "--revs", "-q", join(objects, "pack", "pack")],
		Buffer.from(`${commit}\n${base === undefined ? "" : `^${base}\n`}`),
	);
	const isOld = await moveBranch(user, name, commit);
	return { branch: name, commit, commits: commits.length, isOld, left: kept.value.left };
}

async function checkName(user: GitPlace, name: string): Promise<void> {
	const checked = await gitAt(user, ["check-ref-format", "--branch", name]);
	if (checked.kind !== "done")
		throw new BranchFailure(`"${name}" cannot be the name of a branch.`, "Give it another name.");
}

/** The commit that the run began on; `undefined`: the repository had none. */
async function baseOf(user: GitPlace, { checkedOut }: Run): Promise<string | undefined> {
	const base = checkedOut?.commit;
	if (base === undefined) return undefined;
	const known = await gitAt(user, ["cat-file", "-e", `${base}^{commit}`]);
	if (known.kind === "done") return base;
	throw new BranchFailure(
		`The commit ${base.slice(0, 12)}, which the run began on, is not in the repository any more.`,
		"Take the files with join, or join --patch.",
	);
}

type FilesToCommit = Pick<BranchFiles, "contains" | "absent">;

/** Which paths of a commit the run's files decide about; those that a sparse checkout leaves out, only if the run has written them. */
async function filesToCommit(
	{ ownFolders }: Project,
	{ plan }: Run,
	{ user, repository }: { readonly user: GitPlace; readonly repository: RepositoryInfo },
): Promise<FilesToCommit> {
	const { root, below } = repository;
	const contains = containsFile(openExclusions(root, ownFolders), plan.files === "folder" ? below : "");
	const listed = await gitAt({ ...user, cwd: root }, ["ls-files", "-t", "-z"]);
	if (listed.kind !== "done") throw new Error(explainGit(listed));
	const lines = listed.output.toString("latin1").split("\0");
	return { contains, absent: new Set(lines.flatMap((line) => (line.startsWith("S ") ? [line.slice(2)] : []))) };
}

interface Commits extends FilesToCommit {
	readonly base: string | undefined;
	/** The files as they are now. */
	readonly last: string;
}

/** Commits what each visit changed; returns the commits, oldest first. */
async function commitVisits(
	store: GitPlace,
	ledger: HeldLedger,
	{ base, contains, absent, last }: Commits,
): Promise<readonly string[]> {
	const { run } = ledger;
	const converted = new Map<string, string>();
	const commits: string[] = [];
	let files = base === undefined ? "" : await gitText(store, ["rev-parse", `${base}^{tree}`]);
	const trailer = `Chronicle-Run: ${run.id}`;
	const add = async (tree: string, message: string, at: number): Promise<void> => {
		const next = await branchTree(store, { tree, base, contains, absent, converted });
		if (next === files) return;
		files = next;
		const parent = commits.at(-1) ?? base;
		const date = `${Math.floor(at / 1000)} +0000`;
		const dates = { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
		commits.push(await commitTree(store, next, parent === undefined ? [] : [parent], message, dates));
	};
	const created = Date.parse(run.createdAt);
	if (run.startTree !== undefined)
		await add(run.startTree, `Not committed when the run ${run.id.slice(0, 8)} began\n\n${trailer}\n`, created);
	const { visits } = await readHistory(ledger);
	let at = created;
	for (const visit of visits.filter(({ undone }) => !undone)) {
		at = visit.endedAt ?? at;
		if (visit.trees.after !== undefined) await add(visit.trees.after, commitMessage(visit, trailer), at);
	}
	await add(last, `Changed in the folder of the run after its last visit\n\n${trailer}\n`, at);
	return commits;
}

const subjectBytes = 72;

/** `implementation: Add the reader`, then the whole summary. */
function commitMessage({ number, state, summary }: Visit, trailer: string): string {
	const [first = ""] = summary.trim().split("\n", 1);
	const { text } = cutText(first === "" ? `Visit ${number}` : first, subjectBytes - state.length - 2);
	const body = summary.trim() === text ? "" : `${summary.trim()}\n\n`;
	return `${state}: ${text}\n\n${body}${trailer}\nChronicle-Visit: ${number}\n`;
}

/** Makes the branch name the commit; returns whether it does already. */
async function moveBranch(user: GitPlace, name: string, commit: string): Promise<boolean> {
	const ref = `refs/heads/${name}`;
	const found = await gitAt(user, ["rev-parse", "-q", "--verify", `${ref}^{commit}`]);
	const old = found.kind === "done" ? found.output.toString("latin1").trim() : undefined;
	if (old === commit) return true;
	if (old !== undefined) {
		const isBehind = await gitAt(user, ["merge-base", "--is-ancestor", old, commit]);
		const isOfRun = (await gitText(user, ["log", "-1", "--format=%B", old])).includes("Chronicle-Run:");
		if (isBehind.kind !== "done" || !isOfRun)
			throw new BranchFailure(
				`The branch ${name} exists, and has other commits than the run's.`,
				"Name another branch.",
			);
		const trees = await gitText(user, ["worktree", "list", "--porcelain"]);
		if (trees.split("\n").includes(`branch ${ref}`))
			throw new BranchFailure(
				`The branch ${name} is checked out, so it is not moved to the run's newer commits.`,
				"Check out another branch, or name another one.",
			);
	}
	const none = commit.replace(/./g, "0");
	const moved = await gitAt(user, ["update-ref", "-m", "pi-chronicle join", ref, commit, old ?? none]);
	if (moved.kind !== "done")
		throw new BranchFailure(`The branch ${name} could not be made: ${explainGit(moved)}.`, "Name another branch.");
	return false;
}
