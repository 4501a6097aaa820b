// One project on this machine: its templates, its runs, and the ports of their supervisors.
// Opening it reads and writes nothing; rules and agents are read when the ports are created, and fixed for that supervision.
import { dirname, join } from "node:path";
import type { Run } from "@pi-chronicle/core/machine";
import { copyId } from "@pi-chronicle/core/machine";
import type {
	Approver,
	Clock,
	ForbiddenChanges,
	HeldLedger,
	LedgerStore,
	ReadLedger,
	Result,
	StoreFailure,
	SupervisorPorts,
	WorkerLauncher,
	WorkingCopy,
	Workspace,
} from "@pi-chronicle/core/ports";
import { hashDefinition } from "@pi-chronicle/core/template";
import { processStart } from "../../process/index.ts";
import { openFileStore, type RunsPlace, thisHost } from "../ledger/index.ts";
import type { Delivery } from "../notice-outbox/index.ts";
import {
	freezeRunRules,
	openProjectLauncher,
	type ProjectEnvironment,
	sandboxOf,
	workerSettings,
} from "../worker/index.ts";
import { agentExclusions, childFilesFolder, type GitWorkspaceOptions, openGitWorkspace } from "../workspace/index.ts";
import {
	childrenPlaces,
	launchInCopy,
	logCopiesFolder,
	nestedCopy,
	runChildrenFolder,
	withChildFolders,
} from "./child-folders.ts";
import { type ChildPlace, oneAtATime, openChildRuns } from "./child-runs.ts";
import { type CleanupApprovals, openCleanupApprovals } from "./cleanup-approvals.ts";
import { openCleanupRunner } from "./cleanup-runner.ts";
import { systemClock } from "./clock.ts";
import { openJoinRules } from "./join-rules.ts";
import { openChildFolders } from "./lost-folder.ts";
import { type CopyPlace, openCopyFiles, openUserFiles, withRunCopies } from "./run-copy.ts";
import { ChildTree, runsBelow } from "./run-tree.ts";
import { type CommandPlace, runStateCommand } from "./state-command.ts";
import { readTemplates, type TemplateCatalogue } from "./template-catalogue.ts";
import { templateFolders } from "./template-files.ts";
import { superviseTold } from "./told-supervision.ts";

export interface Project {
	readonly place: ProjectEnvironment;
	/** Folder of all runs. */
	readonly sessions: string;
	/** This package's folders, including templates, and pi's agent folder: not part of the run's files. */
	readonly ownFolders: readonly string[];
	readonly store: LedgerStore;
	readonly approvals: CleanupApprovals;
	readonly clock: Clock;
	/** Where the copies of runs apart are. */
	readonly copies: CopyPlace;
	templates(): TemplateCatalogue;
	/** Reads the current agents and rules. */
	launcher(): WorkerLauncher;
	/** Set if the hosts of an engine supervise the runs: this process supervises none. */
	readonly engine?: EngineLink;
	/** The ports of the supervisor of `ledger`. `child`: it is the child of a run of this process. */
	ports(ledger: HeldLedger, approver: Approver, launcher?: WorkerLauncher, child?: ChildPlace): SupervisorPorts;
}

/** The conflicts of a join in a folder of this machine, and its files with marks of conflicts; `tree`: all are resolved, and published as this. */
export type HandResolution =
	| { readonly kind: "opened"; readonly path: string }
	| { readonly kind: "unresolved"; readonly path: string; readonly files: readonly string[] }
	| { readonly kind: "resolved"; readonly tree: string };

/** The engine's interface for a process that supervises no runs. */
export interface EngineLink {
	/** Host, port and database. */
	readonly name: string;
	/** The options that name it in another command; none where the place names it. */
	readonly args: readonly string[];
	/** Continues a run that has no supervisor. */
	wake(id: string): Promise<Result<void, StoreFailure>>;
	/** Calls `listener` when run `id` has changed, within seconds, until the returned function is called. Keeps no process alive. */
	watch(id: string, listener: () => void): () => void;
	/** Opens the files of a run for inspection, in the last state that a host published; `folder`: a private folder for it. */
	openFiles(run: Run, folder: string): Promise<Workspace>;
	/**
	 * Brings the conflicts of the join that the run of `ledger` asks about to a folder here; once nothing in it is in conflict any more, publishes its
	 * files.
	 */
	resolveByHand(ledger: Pick<ReadLedger, "run" | "folder">): Promise<Result<HandResolution>>;
	/** Brings the conversations of a run here, as far as hosts have published them; `folder`: that of the run. */
	fetchConversations(run: string, folder: string): Promise<Result<void>>;
	/** The notices of a run that have not arrived, by `deliveryKey`. */
	undelivered(run: string): Promise<ReadonlyMap<string, Delivery>>;
	close(): Promise<void>;
}

/** Which of the project's files the run's snapshots contain. */
export function workspaceScope({ plan }: Run): Pick<GitWorkspaceOptions, "scope" | "secrets"> {
	return { scope: plan.files, secrets: plan.secretFiles };
}

/** A child with a folder of its own shares the store of its parent. */
function childStore(sessions: string, { parent }: Run): Pick<GitWorkspaceOptions, "childOf"> {
	return parent?.files === "own" ? { childOf: join(sessions, parent.run) } : {};
}

/**
 * Opens a project. `approvals`: of cleanup commands; default: the user's own on this machine. `outer`: the copy of the project that its folder is
 * in, as on a host of an engine.
 */
export function openProject(
	place: ProjectEnvironment,
	approvals = openCleanupApprovals(place.agentFolder, systemClock.now),
	outer?: WorkingCopy,
): Project {
	const { cwd, home, agentFolder, trust } = place;
	const sessions = join(cwd, ".pi", "chronicle", "sessions");
	const ownFolders = [dirname(sessions), ...agentExclusions(agentFolder)];
	const clock = systemClock;
	const launcher = (): WorkerLauncher => openProjectLauncher(place);
	const copies = copyPlace(place, ownFolders);
	const store = withRunCopies(openStore(place, sessions), copies);
	const project: Project = {
		place,
		sessions,
		ownFolders,
		store,
		approvals,
		clock,
		copies,
		templates: () => readTemplates(templateFolders({ cwd, agentFolder, trusted: trust === "trusted" })),
		launcher,
		ports(ledger, approver, opened = launcher(), child) {
			const rules = freezeRunRules(cwd, home, agentFolder);
			const { keepChildFolders, questionMs, providerWait } = workerSettings(place);
			const { id } = ledger.run;
			const { copy: own } = ledger;
			const copy = child ? child.copy : (own?.copy ?? outer);
			const questions = oneAtATime(approver);
			// The first holder of a run knows all children that exist, because it creates them.
			const isFirst = ledger.fence <= 1;
			const tree = child?.tree ?? new ChildTree(async (root) => (isFirst ? [] : runsBelow(store, root)));
			const children = openChildRuns({
				store,
				approvals,
				tree,
				outer: copy,
				folders: openChildFolders({
					...{ parent: ledger.folder, leftOut: ownFolders, places: childrenPlaces(place, id) },
					privateFolder: (child) => join(sessions, child),
					...workspaceScope(ledger.run),
				}),
				supervise(childLedger, childPlace, origin) {
					// A standby belongs to one run: children start their workers cold.
					const cold: WorkerLauncher = { ...opened, keepReady: async () => {} };
					const ports = project.ports(childLedger, questions, cold, childPlace);
					return { supervision: superviseTold(place, childLedger, ports, origin), workspace: ports.workspace };
				},
			});
			return {
				launcher: copy ? launchInCopy(opened, copy) : opened,
				children,
				keepChildFolders,
				forbidden: openJoinRules(rules, { cwd: child?.cwd ?? own?.cwd ?? cwd, agentDir: agentFolder, copy }),
				...{ questionMs, providerWait },
				...(child ? { ceilings: child.order.ceilings } : {}),
				workspace: workspaceOf(copies, ledger, child?.cwd),
				...userFilesOf(copies, ledger, openJoinRules(rules, { cwd, agentDir: agentFolder, copy: outer })),
				approver,
				...commandPorts({ place, approvals, rules, folder: ledger.folder, run: id, copy }),
				clock,
				self: selfAs(child?.isSetBack || own?.isSetBack ? { setBack: true } : {}),
			};
		},
	};
	return project;
}

/** The user's files, where the run works in a copy of them. */
function userFilesOf(
	copies: CopyPlace,
	ledger: HeldLedger,
	forbidden: ForbiddenChanges,
): Pick<SupervisorPorts, "userFiles"> {
	return ledger.run.apart ? { userFiles: { workspace: openUserFiles(copies, ledger), forbidden } } : {};
}

/** This process as the holder of a run. */
function selfAs(how: { readonly setBack?: true }): SupervisorPorts["self"] {
	return { host: thisHost(), pid: process.pid, started: processStart(process.pid) ?? "unknown", ...how };
}

function copyPlace(place: ProjectEnvironment, leftOut: readonly string[]): CopyPlace {
	const { cwd, agentFolder } = place;
	const childrenFolder = (run: string): string =>
		runChildrenFolder({ cwd, agentFolder, childFolders: workerSettings(place).childFolders }, run);
	return { cwd, leftOut, childrenFolder, scope: workspaceScope };
}

/** The files that the run works on. `own`: the folder of a child. */
function workspaceOf(copies: CopyPlace, ledger: HeldLedger, own: string | undefined): Workspace {
	const { run, folder, copy } = ledger;
	const { cwd, leftOut, childrenFolder, scope } = copies;
	// One that was discarded has nowhere to work.
	if (run.apart)
		return openCopyFiles(copies, ledger, copy ?? { cwd: childFilesFolder(folder, copyId(run.id)), notes: [] });
	return openGitWorkspace({
		...{ cwd: own ?? cwd, folder, children: childrenFolder(run.id), leftOut },
		...childStore(dirname(folder), run),
		...scope(run),
	});
}

/** The ports that run the commands of a run's template. `copy`: the copy of the project that it works in. */
function commandPorts({
	place,
	approvals,
	rules,
	folder,
	run,
	copy,
}: {
	readonly place: ProjectEnvironment;
	readonly approvals: CleanupApprovals;
	readonly rules: ReturnType<typeof freezeRunRules>;
	readonly folder: string;
	readonly run: string;
	readonly copy: WorkingCopy | undefined;
}): Pick<SupervisorPorts, "commands" | "runStateCommand"> {
	const { agentFolder, env = process.env } = place;
	const commands: CommandPlace = {
		...{ run, agentFolder, env, rules: () => rules },
		standing: (approval) => approvals.statusOf(approval),
		copyAt: async (at) => (await nestedCopy(folder, at, copy)) ?? copy,
		sandbox: sandboxOf(place, workerSettings(place).sandbox),
	};
	return {
		commands: openCleanupRunner(commands),
		runStateCommand: (order, signal) => runStateCommand(commands, order, signal),
	};
}

/** Where the ledgers of a project are on this machine, and the copies of their events in pi's agent folder. */
export function ledgersOf({
	place: { cwd, agentFolder },
	sessions,
}: Pick<Project, "sessions"> & { readonly place: Pick<ProjectEnvironment, "cwd" | "agentFolder"> }): RunsPlace {
	return { sessions, copies: { folder: logCopiesFolder(agentFolder, cwd), project: cwd } };
}

function openStore(place: ProjectEnvironment, sessions: string): LedgerStore {
	const { copies } = ledgersOf({ place, sessions });
	const store = openFileStore({ sessions, clock: systemClock, shell: place.shell, copies });
	return withChildFolders(store, sessions, place);
}

/**
 * Why a run must not be resumed; `undefined` if it may: in a trusted project, or with a template of the user's own or of the package. A ledger is among the project's
 * files, so it can come with a repository like any of them.
 */
export function explainDistrust({ place, templates }: Project, { template }: Run): string | undefined {
	if (place.trust === "trusted") return undefined;
	const hash = hashDefinition(template.definition);
	for (const { tier, read } of templates().templates.values())
		if (tier !== "project" && read?.hash === hash) return undefined;
	return "pi does not trust this project, and the run's template is not one of your own: trust the project first (/trust in pi, --approve for one command).";
}
