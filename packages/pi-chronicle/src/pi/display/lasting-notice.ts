// Notices in the terminal that stay. pi replaces a notice by the next one if nothing was added to the conversation in between, so the next one
// repeats the text of the one before.

import type { SessionEntry } from "@earendil-works/pi-coding-agent";
import type { Session } from "../session/branch.ts";
import { newestFirst } from "../session/branch.ts";
import { openInstances } from "../session/instances.ts";

interface ShownNotice {
	readonly text: string;
	/** The newest entry of the session when it was shown. */
	readonly leaf: string | null;
}

const shownNotices = openInstances<ShownNotice>("notices");
const maxLines = 60;

/** The notice to show for `text`: with the text of the notice that it replaces before it. */
export function lastingNotice(session: Session, text: string): string {
	const before = shownNotices.of(session);
	const kept = before !== undefined && isLast(session, before) ? before.text : "";
	const isRepeated = kept === text || kept.endsWith(`\n\n${text}`);
	const whole = kept === "" ? text : isRepeated ? kept : `${kept}\n\n${text}`;
	const lines = whole.split("\n");
	const most = Math.max(maxLines, text.split("\n").length);
	const notice = lines.length > most ? `…\n${lines.slice(-most).join("\n")}` : whole;
	shownNotices.put(session, { text: notice, leaf: session.getLeafId() });
	return notice;
}

/** Records that something else was added below the last notice, so that nothing replaces it. */
export function noticeStands(session: Session): void {
	shownNotices.put(session, { text: "", leaf: null });
}

function isLast(session: Session, { leaf }: ShownNotice): boolean {
	for (const entry of newestFirst(session)) {
		if (entry.id === leaf) return true;
		if (isShown(entry)) return false;
	}
	return leaf === null;
}

/** Types of this package's entries that have a row in the conversation. */
const rows: readonly string[] = [
	"workflow:state",
	"workflow:complete",
	"workflow:spent",
	"sequence:finished",
	"guard:decision",
];

function isShown(entry: SessionEntry): boolean {
	switch (entry.type) {
		case "message":
		case "custom_message":
		case "compaction":
		case "branch_summary":
			return true;
		case "custom":
			return rows.includes(entry.customType);
		default:
			return false;
	}
}
