// A supervision whose user is told where notices are set up.
import type { HeldLedger, Supervision, SupervisorPorts } from "@pi-chronicle/core/ports";
import { watchNotices } from "../notice-outbox/index.ts";
import { supervise } from "../supervisor/index.ts";
import type { ProjectEnvironment } from "../worker/index.ts";

/** Starts to supervise the run of `ledger` in the project of `place`. */
export function superviseTold(
	place: ProjectEnvironment,
	ledger: HeldLedger,
	ports: SupervisorPorts,
	origin: "fresh" | "reopened",
): Supervision {
	const supervision = supervise(ledger, ports, origin);
	watchNotices(place, ledger, supervision);
	return supervision;
}
