// One project on this machine, put together: its templates, its runs, and what a supervisor of one of them works with.
// J1 opening it reads and writes nothing; J2 what a run is judged and cast by is read when its ports are made, and held for that supervision.
import { dirname, join } from "node:path";
import { processStart } from "../../../process/index.ts";
import type { Approver, Clock, HeldLedger, LedgerStore, SupervisorPorts, WorkerLauncher } from "../../core/index.ts";
import { openFileStore, thisHost } from "../ledger/index.ts";
import { freezeRunRules, openProjectLauncher, type ProjectEnvironment } from "../worker/index.ts";
import { openGitWorkspace } from "../workspace/index.ts";
import { type CleanupApprovals, openCleanupApprovals } from "./cleanup-approvals.ts";
import { openCleanupRunner } from "./cleanup-runner.ts";
import { systemClock } from "./clock.ts";
import { workspaceScope } from "./diff.ts";
import { readTemplates, type TemplateCatalogue, templateFolders } from "./template-catalogue.ts";

export interface Project {
	readonly place: ProjectEnvironment;
	/** Folder of all runs. */
	readonly sessions: string;
	/** Folders that are no part of the project's work: our own, templates included. Workers cannot write there. */
	readonly ownFolders: readonly string[];
	readonly store: LedgerStore;
	readonly approvals: CleanupApprovals;
	readonly clock: Clock;
	templates(): TemplateCatalogue;
	/** Reads agents and rules as they are now. */
	launcher(): WorkerLauncher;
	/** What the supervisor of `ledger` works with. */
	ports(ledger: HeldLedger, approver: Approver, launcher?: WorkerLauncher): SupervisorPorts;
}

/** Folder of the runs of a project. */
function sessionsFolder(cwd: string): string {
	return join(cwd, ".pi", "chronicle", "sessions");
}

/** Opens a project. */
export function openProject(place: ProjectEnvironment): Project {
	const { cwd, home, agentFolder, trust, env = process.env } = place;
	const sessions = sessionsFolder(cwd);
	const ownFolders = [dirname(sessions)];
	const clock = systemClock;
	const approvals = openCleanupApprovals(agentFolder, clock.now);
	const launcher = (): WorkerLauncher => openProjectLauncher(place);
	return {
		place,
		sessions,
		ownFolders,
		store: openFileStore({ sessions, clock }),
		approvals,
		clock,
		templates: () => readTemplates(templateFolders({ cwd, agentFolder, trusted: trust === "trusted" })),
		launcher,
		ports(ledger, approver, ready = launcher()) {
			const rules = freezeRunRules(cwd, home, agentFolder);
			const { id, cleanupHash } = ledger.run;
			return {
				launcher: ready,
				workspace: openGitWorkspace({ cwd, folder: ledger.folder, leftOut: ownFolders, ...workspaceScope(ledger.run) }),
				approver,
				commands: openCleanupRunner({
					run: id,
					standing: () => (cleanupHash === null ? "unknown" : approvals.standingOf(cleanupHash)),
					rules: () => rules,
					agentFolder,
					env,
				}),
				clock,
				self: { host: thisHost(), pid: process.pid, started: processStart(process.pid) ?? "unknown" },
			};
		},
	};
}
