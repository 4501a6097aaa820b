// A run as the pages of the server show it, and what the parts of the report need of it.
import type { Visit } from "@pi-chronicle/core/history";
import type { ReadLedger } from "@pi-chronicle/core/ports";
import { type Project, withWorkspace } from "../../local/index.ts";
import type { Redact } from "../../safety/index.ts";
import { isInterrupted } from "../phrases/index.ts";
import {
	type Html,
	openMoments,
	type ReportModel,
	type ReportPage,
	type VisitPatch,
	visitPatch,
} from "../report/index.ts";
import type { PageSession } from "./access.ts";
import type { FetchedConversations } from "./fetched-conversations.ts";
import { exactly } from "./forms.ts";

export interface ShownRun {
	readonly html: Html;
	readonly redact: Redact;
	readonly project: Project;
	readonly read: ReadLedger;
	readonly report: ReportModel;
	/** Address of the run's page, and of another run's. */
	readonly base: string;
	addressOf(id: string): string;
	/** Absent: the page has no forms. */
	readonly session: PageSession | undefined;
	/** The visit to show; absent: the current one. */
	readonly visit?: number | undefined;
	/** Precedes the commands in texts. */
	readonly prefix: string;
	readonly conversations: FetchedConversations;
}

/** What the parts of the report need. */
export function partsPage({ html, read, report, base, addressOf, prefix }: ShownRun): ReportPage {
	const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
	return {
		...{ html, report, prefix, leftOut: [], interrupted: isInterrupted(read) },
		moments: openMoments(html, zone, report.beganAt, report.endedAt),
		links: { visit: (number) => exactly(`${base}/visits/${number}`), child: (id) => exactly(addressOf(id)) },
	};
}

/** The lines that the visit changed, as far as they are here. */
export async function patchOf({ read, project, redact }: ShownRun, visit: Visit): Promise<VisitPatch | undefined> {
	const found = await withWorkspace(project, read, undefined, async (workspace) => ({
		ok: true,
		value: await visitPatch(workspace, visit, redact),
	}));
	return found.ok ? found.value : undefined;
}
