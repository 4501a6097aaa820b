// Makes the report of a run and writes it to disk. This file reads the ledger, gets patches from the workspace and finds transcripts;
// everything else in this folder is pure.
// Every readable ledger gives a report, regardless of missing data; the file is private, and replaced atomically.

import { readdir, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { errorMessage } from "@pi-chronicle/core/definition";
import { readHistory } from "@pi-chronicle/core/history";
import type { ReadLedger, Result, Workspace } from "@pi-chronicle/core/ports";
import { replaceFile } from "../../disk/index.ts";
import { openRedaction, type Redact } from "../../safety/index.ts";
import { isInterrupted } from "../phrases/index.ts";
import { collectPatches } from "./changes.ts";
import { readConversation } from "./conversation.ts";
import { drawDocument } from "./document.ts";
import { openHtml } from "./markup.ts";
import { openMoments } from "./page.ts";
import { readReportModel } from "./read-model.ts";
import type { Transcript } from "./records.ts";

export interface ReportOptions {
	/** The workspace that kept the run's files: with it, the report shows the lines that visits changed. */
	readonly workspace?: Pick<Workspace, "patch">;
	/** Redacts every text; by default everything that looks like a secret. */
	readonly redact?: Redact;
	/** Conversations of workers, with paths relative to the report. */
	readonly transcripts?: readonly Transcript[];
	/** Path of the event log, relative to the report. */
	readonly log?: string;
	/** Reports of child runs by run id, with paths relative to the report. */
	readonly childReports?: ReadonlyMap<string, string>;
	/** IANA name of the time zone; by default the machine's. */
	readonly zone?: string;
	/** Time of creation, in milliseconds since the epoch. */
	readonly madeAt?: number;
	/** Prefix of the commands; by default `/chronicle `. */
	readonly prefix?: string;
}

/** The report of a run as HTML. Never rejects because of the ledger's contents. */
export async function writeReport(read: ReadLedger, options: ReportOptions = {}): Promise<string> {
	const redact = options.redact ?? openRedaction();
	const report = await readReportModel(read, redact);
	const html = openHtml(redact);
	const zone = options.zone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone;
	const moments = openMoments(html, zone, report.beganAt, report.endedAt);
	const patches = await collectPatches(report, options.workspace, redact);
	const page = {
		html,
		report,
		moments,
		interrupted: isInterrupted(read),
		prefix: options.prefix ?? "/chronicle ",
		leftOut: [],
		links: {
			visit: (number: number) => `#visit-${number}`,
			child: (id: string) => options.childReports?.get(id),
		},
	};
	return drawDocument(page, {
		patches,
		transcripts: options.transcripts ?? [],
		log: options.log,
		madeAt: options.madeAt ?? Date.now(),
	});
}

export interface SaveOptions extends Omit<ReportOptions, "transcripts" | "log" | "childReports"> {
	/** File to write; by default `report.html` in the run's folder. */
	readonly path?: string;
}

/** Writes the report of a run to disk. Resolves to the file's absolute path and size in bytes, or to the failure. */
export async function saveReport(
	read: ReadLedger,
	{ path, ...options }: SaveOptions = {},
): Promise<Result<{ readonly path: string; readonly bytes: number }>> {
	const file = resolve(path ?? join(read.folder, "report.html"));
	const redact = options.redact ?? openRedaction(process.env);
	const transcripts = await findTranscripts(read.folder, dirname(file));
	const log = isAbsolute(read.place) ? await linkedFile(dirname(file), read.place) : undefined;
	const childReports = await findChildReports(read, dirname(file));
	const html = await writeReport(read, {
		...options,
		redact,
		transcripts,
		childReports,
		...(log && { log: log.href }),
	});
	try {
		await replaceFile(file, html);
	} catch (error) {
		const message = `The report could not be written to ${file}: ${errorMessage(error)}.`;
		return { ok: false, failure: { reason: "io", message, remedy: "Free some space or choose another file." } };
	}
	return { ok: true, value: { path: file, bytes: Buffer.byteLength(html) } };
}

/** Conversations in `workers/`, one per key, by visit and attempt. */
async function findTranscripts(folder: string, from: string): Promise<Transcript[]> {
	const workers = join(folder, "workers");
	const names = await readdir(workers).catch((): string[] => []);
	const found: Transcript[] = [];
	for (const name of names) {
		const key = /^(\d+\.\d+)\.jsonl$/.exec(name)?.[1];
		if (key === undefined) continue;
		const file = await linkedFile(from, join(workers, name));
		if (!file) continue;
		const conversation = readConversation(join(workers, name), resolve(folder, "..", "..", "..", ".."));
		found.push({ key, ...file, conversation });
	}
	const order = (key: string): number => key.split(".").reduce((sum, part) => sum * 10_000 + Number(part), 0);
	return found.sort((one, other) => order(one.key) - order(other.key));
}

/** Existing reports of child runs, next to the run's folder. */
async function findChildReports(read: ReadLedger, from: string): Promise<Map<string, string>> {
	const found = new Map<string, string>();
	const history = await readHistory(read).catch(() => undefined);
	for (const { id } of history?.visits.flatMap(({ children }) => children) ?? []) {
		const file = await linkedFile(from, join(dirname(read.folder), id, "report.html"));
		if (file) found.set(id, file.href);
	}
	return found;
}

/** A file with its path relative to the report in `from`; `undefined`: it is not there, or on another drive. */
async function linkedFile(
	from: string,
	path: string,
): Promise<{ readonly href: string; readonly bytes: number } | undefined> {
	const stats = await stat(path).catch(() => undefined);
	const href = stats?.isFile() ? seenFrom(from, path) : undefined;
	return stats && href !== undefined ? { href, bytes: stats.size } : undefined;
}

/** The path relative to the report, as a URL path; `undefined` on another drive. */
function seenFrom(folder: string, path: string): string | undefined {
	const seen = relative(folder, path);
	return isAbsolute(seen) ? undefined : seen.split(sep).join("/") || basename(path);
}
