// Takes up runs that wait for their provider although the process that would have tried it again has ended: this session tries it when it is due.
// No run is taken that another process supervises, or whose next step is anything but another try; until the try, a run taken up has no worker.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { HeldLedger } from "@pi-chronicle/core/ports";
import { explainDistrust, type Project, startSupervision } from "../../local/index.ts";
import { say } from "../../pi/index.ts";
import { childrenWait, isInterrupted, providerText, waitsForProvider } from "../phrases/index.ts";
import type { ChronicleSession } from "./chronicle-session.ts";
import { projectOf } from "./session-project.ts";
import { userApprover } from "./user-approver.ts";

/** Supervises those of the runs `ids` that are left waiting, and says so; returns their ids. */
export async function takeUpWaits(
	session: ChronicleSession,
	ctx: ExtensionContext,
	ids: readonly string[],
): Promise<ReadonlySet<string>> {
	const project = projectOf(ctx);
	const taken = new Set<string>();
	for (const id of ids) {
		const ledger = await openLeft(project, id);
		if (session.scope.closed) await ledger?.releaseLease();
		if (!ledger || session.scope.closed) continue;
		taken.add(id);
		const { run } = ledger;
		const live = startSupervision(project, ledger, userApprover(session, ctx, project), "reopened");
		await session.attend(ctx, project, live);
		const waits = providerText(run) ?? childrenWait(run);
		say(ctx, `${run.template.name} ${id.slice(0, 8)} was left waiting; this session continues it. ${waits}`, "warning");
	}
	return taken;
}

/** The ledger of a run that is left waiting; `undefined`: it is not, or another process was first. */
async function openLeft(project: Project, id: string): Promise<HeldLedger | undefined> {
	const read = await project.store.read(id);
	if (!read.ok || read.value.run.parent || !isInterrupted(read.value) || !waitsForProvider(read.value.run)) return;
	if (explainDistrust(project, read.value.run) !== undefined) return;
	const opened = await project.store.open(id);
	if (!opened.ok) return;
	// Another process may have continued it before the lease was acquired.
	if (waitsForProvider(opened.value.run)) return opened.value;
	await opened.value.releaseLease();
}
