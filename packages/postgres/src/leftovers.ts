// What runs have made on hosts and no snapshot hands over. The host keeps the folder and notes it in the row of the run, for the host of the parent.
// It is noted before the event is recorded by which the run parks. The note of one host does not replace that of another.
import { isRecord, isText, object } from "@pi-chronicle/core/definition";
import { childrenPlanOf, type Run } from "@pi-chronicle/core/machine";
import type { ChildLeftovers, LedgerStore, Result, WorkspaceFailure } from "@pi-chronicle/core/ports";
import { type FileLeft, nameFiles } from "@pi-chronicle/core/snapshot";
import type { EndedElsewhere, EndingChild, SharedWorkspace } from "pi-chronicle/local";
import { filesOfChild } from "./child-rows.ts";
import type { Database } from "./database.ts";
import { databaseFailure, outageMs, throughOutage, untilReached } from "./database-failure.ts";
import type { HostLog } from "./log.ts";

const maxFiles = 200;

export interface LeftoversOptions {
	readonly database: Database;
	readonly store: Pick<LedgerStore, "read">;
	readonly host: string;
	readonly run: Run;
	readonly folder: string;
	readonly work: string;
	readonly workspace: Pick<SharedWorkspace, "noteStart" | "leftovers">;
	readonly report: HostLog;
}

/** What this host has of a run besides its snapshots. */
export interface Leftovers {
	/** Patterns of ignored files that the parent counts as results. An outage is not taken for an answer: it is waited for, and is a failure then. */
	keep(): Promise<Result<readonly string[], WorkspaceFailure>>;
	/** Call once the working folder is set up, before its first worker. */
	noteStart(): Promise<void>;
	/** Notes what is left here; call before the run parks. Gives why it could not be noted. */
	note(run: Run): Promise<WorkspaceFailure | undefined>;
}

/** Opens what this host has of the run. */
export function openLeftovers(options: LeftoversOptions): Leftovers {
	const { database, store, host, run, folder, work, workspace, report } = options;
	const { id, parent } = run;
	const isOwn = parent === null || parent.files === "own";
	const find = async (now: Run): Promise<EndingChild | undefined> => {
		const start = parent ? (await filesOfChild(database, id)).base : now.startTree;
		return start == null ? undefined : { place: folder, root: work, start };
	};
	const failed = (error: unknown): WorkspaceFailure => databaseFailure(error, database);
	const noteNow = async (now: Run): Promise<WorkspaceFailure | undefined> => {
		const own = isOwn && (await find(now));
		if (!own) return undefined;
		const found = await workspace.leftovers(own);
		// A full disk passes: the run is given back, and no child is left for the user to look at because of it.
		if (!found.ok && found.failure.reason === "no_space") return found.failure;
		const left = found.ok ? found.value : unexamined(found.failure);
		await saveLeftovers(database, { id, key: `${host} ${work}`, host, path: work }, left);
		if (parent === null && now.stage.kind === "over" && left.files.length > 0)
			report(
				`${work} is kept, because it has files that are not in the branch: ${nameFiles(left.files, left.files.length)}`,
			);
		return undefined;
	};
	return {
		async keep() {
			if (parent?.files !== "own") return { ok: true, value: [] };
			try {
				const read = await untilReached(outageMs, () => store.read(parent.run));
				return { ok: true, value: (read.ok && childrenPlanOf(read.value.run)?.keep) || [] };
			} catch (error) {
				return { ok: false, failure: failed(error) };
			}
		},
		async noteStart() {
			const own = isOwn && (await throughOutage(outageMs, () => find(run)));
			if (own) await workspace.noteStart(own);
		},
		note: (now) => throughOutage(outageMs, () => noteNow(now)).catch(failed),
	};
}

function unexamined({ message }: WorkspaceFailure): ChildLeftovers {
	return { files: [{ path: ".", why: `its files could not be examined: ${message}` }] };
}

interface LeftPlace {
	readonly id: string;
	/** Names the folder among those of all hosts. */
	readonly key: string;
	readonly host: string;
	readonly path: string;
}

async function saveLeftovers(
	database: Database,
	{ id, key, host, path }: LeftPlace,
	{ files, ignored }: ChildLeftovers,
): Promise<void> {
	if (files.length === 0 && ignored === undefined) {
		const text = "UPDATE chronicle.run SET leftovers = leftovers - $2 WHERE id = $1 AND leftovers ? $2";
		return void (await database.query(text, [id, key]));
	}
	const note = JSON.stringify({ host, path, files: files.slice(0, maxFiles), ...(ignored ? { ignored } : {}) });
	const text =
		"UPDATE chronicle.run SET leftovers = leftovers || jsonb_build_object($2::text, $3::jsonb) WHERE id = $1";
	await database.query(text, [id, key, note]);
}

/** What children of the run `parent` have left on all hosts; without names, all of its children. */
export async function findLeftovers(
	database: Database,
	parent: string,
	children?: readonly string[],
): Promise<readonly EndedElsewhere[]> {
	const { rows } = await database.query<{ readonly id: string; readonly leftovers: unknown }>(
		`SELECT id::text, leftovers FROM chronicle.run WHERE parent = $1 AND leftovers <> '{}' AND ($2::uuid[] IS NULL OR id = ANY($2)) ORDER BY id`,
		[parent, children ?? null],
	);
	return rows.map(({ id, leftovers }) => readLeftovers(id, leftovers));
}

/** What a run that is no child has left on hosts besides its branch: one sentence for each folder. */
export async function describeLeftovers(database: Database, run: string): Promise<readonly string[]> {
	const { rows } = await database.query<{ readonly leftovers: unknown }>(
		"SELECT leftovers FROM chronicle.run WHERE id = $1 AND parent IS NULL AND leftovers <> '{}'",
		[run],
	);
	const folders = rows.flatMap(({ leftovers }) => readLeftovers(run, leftovers).folders);
	return folders.map(({ path, files }) => `Not in the branch, kept in ${path}: ${nameFiles(files)}.`);
}

/** What a row says, as far as it has the form that hosts write. */
export function readLeftovers(child: string, noted: unknown): EndedElsewhere {
	const places = isRecord(noted) ? Object.values(noted).filter(isRecord) : [];
	const ignored = places.flatMap((place) => (typeof place.ignored === "string" ? [place.ignored.slice(0, 2000)] : []));
	const folders = places.flatMap(({ host, path, files }) => {
		const named = (Array.isArray(files) ? files : []).filter(isFileLeft).slice(0, maxFiles);
		if (typeof host !== "string" || typeof path !== "string" || named.length === 0) return [];
		return [
			{ child, path: `${path} on the host ${host}`, files: named.map(({ path: name, why }) => ({ path: name, why })) },
		];
	});
	return { child, folders, ...(ignored.length > 0 ? { ignored: ignored.join("; ") } : {}) };
}

const isFileLeft = object<FileLeft>({ path: isText, why: isText });
