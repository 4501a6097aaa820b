// A run that this process supervises.
import type { Approver, HeldLedger, Supervision, WorkerLauncher, Workspace } from "@pi-chronicle/core/ports";
import type { Project } from "./project.ts";
import { superviseTold } from "./told-supervision.ts";

export interface SupervisedRun {
	readonly id: string;
	readonly ledger: HeldLedger;
	readonly supervision: Supervision;
	/** The files of the run; may be used while the supervision uses them. */
	readonly workspace: Workspace;
}

/** Starts the supervision. `launcher`: one that was just opened for this run. */
export function startSupervision(
	project: Project,
	ledger: HeldLedger,
	approver: Approver,
	origin: "fresh" | "reopened",
	launcher?: WorkerLauncher,
): SupervisedRun {
	const ports = project.ports(ledger, approver, launcher);
	const supervision = superviseTold(project.place, ledger, ports, origin);
	return { id: ledger.run.id, ledger, supervision, workspace: ports.workspace };
}
