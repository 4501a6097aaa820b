// The ledgers of the project: the checksums of all events and state files.

import { counted } from "@pi-chronicle/core/definition";
import { examineLedger, ledgersOf, type Project } from "../../local/index.ts";
import { type DoctorExamination, type DoctorFinding, fine } from "./examination.ts";

export interface LedgerRequest {
	readonly project: Project;
	/** Precedes the commands that are printed. */
	readonly prefix: string;
}

export function ledgerExamination({ project, prefix }: LedgerRequest): DoctorExamination {
	return { what: "ledgers", maxMs: 120_000, examine: (signal) => examineLedgers(project, prefix, signal) };
}

async function examineLedgers(
	project: Project,
	prefix: string,
	signal: AbortSignal,
): Promise<readonly DoctorFinding[]> {
	const findings: DoctorFinding[] = [];
	const ids = await project.store.ids();
	for (const id of ids) {
		const finding = signal.aborted ? undefined : await examineOne(project, prefix, id);
		if (finding) findings.push(finding);
	}
	if (findings.length > 0) return findings;
	return [fine(ids.length === 0 ? "none" : `${counted(ids.length, "ledger")}, all events whole`)];
}

/** The damage of one ledger; `undefined`: none, or it is not this program's. */
async function examineOne(project: Project, prefix: string, id: string): Promise<DoctorFinding | undefined> {
	const { damage, isReadable } = await examineLedger(ledgersOf(project), id);
	if (damage.length === 0) return undefined;
	const entry = await project.store.entry(id);
	if (entry === undefined || entry.kind === "foreign") return undefined;
	// A living process may be in the middle of a write.
	if (entry.kind === "run" && entry.holder && entry.holder.alive !== "no") return undefined;
	return {
		state: isReadable ? "warning" : "failed",
		text: `The ledger of ${id.slice(0, 8)} is damaged: ${damage.join(" ")}`,
		remedy: `Run \`${prefix}repair ${id.slice(0, 8)}\`: it keeps all whole events and says what is lost.`,
	};
}
