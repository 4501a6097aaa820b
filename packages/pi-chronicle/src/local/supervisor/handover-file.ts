// The file with everything that a worker's first message shortens. The worker may read it, like all of the run's folder.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { LedgerEvent, Run } from "@pi-chronicle/core/machine";
import { entryForModel, type SavedEntry, type SnapshotData } from "@pi-chronicle/core/snapshot";

/** Path of the file, in the folder of the run's own files. */
export function handoverFile(folder: string): string {
	return join(folder, "handover.md");
}

/**
 * Writes the file: `text`, and what the run has saved and no longer holds whole, from its `events`. A disk that refuses it does not stop the
 * run: the message says what it shortens.
 */
export async function writeHandover(
	folder: string,
	text: string,
	{ run, events }: { readonly run: Run; events(): AsyncIterable<LedgerEvent> },
): Promise<void> {
	try {
		const saved = isWholeSnapshot(run) ? "" : await savedText(events());
		await mkdir(folder, { recursive: true, mode: 0o700 });
		await writeFile(handoverFile(folder), `${text}${saved}`, { mode: 0o600 });
	} catch {
		// The message still has the most important part.
	}
}

/** Whether the run holds everything that was saved. */
function isWholeSnapshot({ snapshot: { dropped, findings, pendingTasks, summaries } }: Run): boolean {
	const isDropped = dropped.findings + dropped.pendingTasks + dropped.summaries > 0;
	return !isDropped && ![...findings, ...pendingTasks, ...summaries].some(({ cut }) => cut);
}

/** Everything that was saved, in order, unabridged. */
async function savedText(events: AsyncIterable<LedgerEvent>): Promise<string> {
	const lines: string[] = [];
	for await (const event of events) lines.push(...eventLines(event));
	return `\n## Everything that was saved, in order\n\nA later entry with the same key replaces the earlier one.\n\n${lines.join("\n")}\n`;
}

function eventLines(event: LedgerEvent): readonly string[] {
	switch (event.kind) {
		case "snapshot_updated":
			return handoverEntryLines(`visit ${event.visit}`, event.data);
		case "move_requested":
			return [`- visit ${event.visit}, summary: ${event.summary}`];
		case "child_ended":
			return [
				`- visit ${event.visit}, summary of a child: ${event.handover.summary}`,
				...handoverEntryLines(`visit ${event.visit}`, event.handover.data),
			];
		default:
			return [];
	}
}

function savedAs({ from, ...entry }: SavedEntry, id: string): Parameters<typeof entryForModel>[0] {
	return { ...entry, id, ...(from === undefined ? {} : { child: from }) };
}

function handoverEntryLines(where: string, { findings = [], pendingTasks = [] }: SnapshotData): readonly string[] {
	return [
		...findings.map((entry) => `- ${entryForModel(savedAs(entry, `finding, ${where}`))}`),
		...pendingTasks.map((entry) => `- ${entryForModel(savedAs(entry, `task, ${where}`))}`),
	];
}
