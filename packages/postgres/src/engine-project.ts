// A project whose runs are done by the hosts of an engine; submits, inspects and answers them.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import type { Run } from "@pi-chronicle/core/machine";
import type { Failure, Result, StoreFailure } from "@pi-chronicle/core/ports";
import {
	type EngineSetting,
	fetchConversations,
	openLookingWorkspace,
	openRedaction,
	openSharedWorkspace,
	type Project,
	publishStart,
	RunRefs,
	type RunStart,
	resolutionFolder,
	resolveByHand,
	runGit,
	type SharedWorkspaceOptions,
	workspaceScope,
} from "pi-chronicle/local";
import { type Database, openDatabase } from "./database.ts";
import { databaseFailure } from "./database-failure.ts";
import { openHost } from "./host.ts";
import { checkNames, isName } from "./jobs.ts";
import { readUndelivered } from "./notices.ts";
import { GIVEN_PROJECTS } from "./rights.ts";
import { queueName } from "./routing.ts";
import { checkVersion } from "./schema.ts";
import { readSnapshots } from "./snapshot-rows.ts";
import { openPostgresStore } from "./store.ts";
import { watchRow } from "./watch-row.ts";

export interface EngineOptions extends EngineSetting {
	/** Called with a sentence when the git remote keeps a command waiting. */
	readonly report?: (text: string) => void;
}

/** The queue of runs for which none is named. */
export const usualQueue = "runs";

/** Opens the project on an engine; defaults come from `project`. */
export async function openEngineProject(project: Project, options: EngineOptions): Promise<Result<Project>> {
	const opened = await openDatabase(options.url, project.place.shell);
	if (!opened.ok) return opened;
	const database = opened.value;
	const found = await projectIn(database, project, options);
	if (!found.ok) await database.close();
	return found;
}

/** The same in an open database, which closing the project closes too. */
export async function projectIn(
	database: Database,
	project: Project,
	options: Omit<EngineOptions, "url">,
): Promise<Result<Project>> {
	const found = await findProject(database, project.place.cwd, options.project).catch(
		(error: unknown): Result<FoundProject> => ({ ok: false, failure: databaseFailure(error, database) }),
	);
	return found.ok ? { ok: true, value: engineProject(project, database, found.value, options) } : found;
}

interface FoundProject {
	readonly name: string;
	readonly remote: string;
}

/** The project of the engine that the repository in `cwd` is, and the remote that its hosts share. */
export async function findProject(
	database: Database,
	cwd: string,
	named: string | undefined,
): Promise<Result<FoundProject>> {
	const wrong = await checkVersion(database);
	if (wrong) return { ok: false, failure: wrong };
	const remote = await remoteOf(cwd);
	if (!remote.ok) return remote;
	const name = named ?? projectNameOf(remote.value);
	const failure = await checkEngineProject(database, name);
	return failure ? { ok: false, failure } : { ok: true, value: { name, remote: remote.value } };
}

/** Why this database user cannot use the project `name` of the engine; `undefined` if it can. */
export async function checkEngineProject(database: Database, name: string): Promise<Failure | undefined> {
	const known = await database.query("SELECT FROM chronicle.project WHERE name = $1", [name]);
	if (known.count === 1) return explainNoAccess(database, name);
	return {
		reason: "unknown",
		message: `The engine has no project "${name}".`,
		remedy: `Make it: ${database.shell}engine init --project ${isName(name) ? name : "<name>"}; or name another with --project.`,
	};
}

async function explainNoAccess(database: Database, project: string): Promise<Failure | undefined> {
	const { rows } = await database.query<{ user: string; sees: boolean }>(
		`SELECT current_user AS user, NOT row_security_active('chronicle.run') OR $1 IN (${GIVEN_PROJECTS}) AS sees`,
		[project],
	);
	const [{ user, sees } = { user: "", sees: true }] = rows;
	if (sees) return undefined;
	return {
		reason: "no_access",
		message: `The database user ${user} was not given the project "${project}".`,
		remedy: `Give it to the user, as the owner of the tables: ${database.shell}engine init --project ${project} --members ${user}.`,
	};
}

/** The folder `cwd` below the root of its repository; empty for the root. */
export async function folderInRepository(cwd: string): Promise<string> {
	const prefix = await runGit({ args: ["rev-parse", "--show-prefix"], cwd });
	return prefix.kind === "done" ? prefix.output.toString("utf8").trim().replace(/\/$/, "") : "";
}

/** The remote `origin` of the repository around `cwd`, or without one the repository itself. */
export async function remoteOf(cwd: string): Promise<Result<string>> {
	const origin = await runGit({ args: ["remote", "get-url", "origin"], cwd, settings: "users" });
	if (origin.kind === "done") return { ok: true, value: origin.output.toString("utf8").trim() };
	const own = await runGit({ args: ["rev-parse", "--path-format=absolute", "--git-common-dir"], cwd });
	if (own.kind === "done") return { ok: true, value: own.output.toString("utf8").trim() };
	return {
		ok: false,
		failure: {
			reason: "no_git",
			message: `${cwd} is not in a git repository, but the hosts of an engine get the files of a run through git.`,
			remedy: "Run git init there, and add a remote that all hosts can reach as origin.",
		},
	};
}

/** The name of a project by its remote: `git@host:team/App.git` is `app`. */
export function projectNameOf(remote: string): string {
	const last =
		basename(remote.replace(/\/?\.git\/?$/, "").replace(/\/+$/, ""))
			.split(":")
			.at(-1) ?? "";
	return last
		.toLowerCase()
		.replace(/[^a-z0-9_-]+/g, "-")
		.replace(/^[-_]+|-+$/g, "")
		.slice(0, 40);
}

function engineProject(
	project: Project,
	database: Database,
	{ name, remote }: FoundProject,
	options: Omit<EngineOptions, "url">,
): Project {
	const { queue = usualQueue, labels = [], priority = 0, args = [], report } = options;
	const { cwd } = project.place;
	const folderOf = (run: string): string => join(project.place.agentFolder, "chronicle", "engine", "runs", run);
	const store = openPostgresStore({
		...{
			database,
			host: openHost(database),
			clock: project.clock,
			redact: openRedaction(process.env),
			project: name,
			priority,
		},
		...{ queue: queueName(name, queue, labels), folderOf },
		creates: {
			kind: "submitted",
			base: (run) => publishBase(project, { remote, report, named: [queue, ...labels] }, run),
		},
	});
	return {
		...project,
		store: {
			...store,
			async remove(id) {
				const removed = await store.remove(id);
				const gitDir = await runGit({ args: ["rev-parse", "--absolute-git-dir"], cwd });
				if (removed.ok && gitDir.kind === "done")
					await new RunRefs({ run: id, remote, store: gitDir.output.toString("utf8").trim(), cwd, report })
						.collect()
						.catch(() => {});
				if (removed.ok) await rm(folderOf(id), { recursive: true, force: true });
				return removed;
			},
		},
		engine: {
			name: database.name,
			args,
			wake: (id) => store.wake(id),
			watch: (id, listener) => watchRow(database, id, listener),
			undelivered: (run) => readUndelivered(database, run),
			close: () => database.close(),
			fetchConversations: (run, folder) =>
				fetchConversations(run, () => recordedConversations(database, run), { remote, report }, folder),
			async resolveByHand({ run, folder: own }) {
				const { options: files } = await filesOf(run, resolutionFolder(run, own));
				return resolveByHand(openSharedWorkspace(files), run);
			},
			async openFiles(run, folder) {
				const { options, head } = await filesOf(run, folder);
				return openLookingWorkspace(options, head);
			},
		},
	};

	/** How the files of a run are opened in the private folder `folder`, and their last published snapshot. */
	async function filesOf(run: Run, folder: string): Promise<{ options: SharedWorkspaceOptions; head: string | null }> {
		const { rows } = await database.query<{ head: string | null; trees: string | null }>(
			"SELECT head, trees::text FROM chronicle.run WHERE id = $1",
			[run.id],
		);
		const trees = rows[0]?.trees ?? run.id;
		const options = {
			run: run.id,
			trees,
			remote,
			cwd,
			folder,
			leftOut: project.ownFolders,
			report,
			...workspaceScope(run),
			recorded: () => readSnapshots(database, run.id),
		};
		return { options, head: rows[0]?.head ?? null };
	}
}

/** The commit with the conversations of a run, as its row names it. */
async function recordedConversations(database: Database, run: string): Promise<string | null> {
	const text = "SELECT conversations FROM chronicle.run WHERE id = $1";
	return (await database.query<{ conversations: string | null }>(text, [run])).rows[0]?.conversations ?? null;
}

/** Publishes the files of the submitter's folder; the run starts with them. `named`: its queue and labels. */
async function publishBase(
	project: Project,
	{ remote, report, named }: { remote: string; report: EngineOptions["report"]; named: readonly string[] },
	run: Run,
): Promise<Result<RunStart, StoreFailure>> {
	const wrong = checkNames(named);
	if (wrong) return { ok: false, failure: { ...wrong, reason: "unknown" } };
	const folder = await mkdtemp(join(tmpdir(), "pi-chronicle-submit-"));
	try {
		const files = openSharedWorkspace({
			...{ run: run.id, remote, cwd: project.place.cwd, folder, leftOut: project.ownFolders, report },
			...workspaceScope(run),
		});
		const published = await publishStart(files, [dirname(project.sessions)]);
		if (published.ok)
			return { ok: true, value: { ...published.value, folder: await folderInRepository(project.place.cwd) } };
		const failure: Failure = published.failure;
		return { ok: false, failure: { ...failure, reason: "io" } };
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}
