// The children of a run as rows of their own, which any host takes while their parents need them. A child begins with its first job, in one
// transaction, while this host holds its parent. A child that one of its parents no longer needs is held by nobody, and takes no commands. A tree has
// at most as many children as are allowed, however many hosts add some.
import { isFlag, isNumber, object, optional } from "@pi-chronicle/core/definition";
import { type Created, MAX_RUNS_IN_TREE, needsChild, type Run, type TreeCeilings } from "@pi-chronicle/core/machine";
import type { Result, StoreFailure } from "@pi-chronicle/core/ports";
import { parseUntrusted, type RunStart, storeFailure, tooManyChildren } from "pi-chronicle/local";
import type { Database, Sql } from "./database.ts";
import type { Host } from "./host.ts";
import { firstEvent, insertRow, unreadableTemplate } from "./insert-run.ts";
import { ensureJob } from "./jobs.ts";
import { narrowedQueue } from "./routing.ts";
import { addedRow, familyText, findRow, loadRow, lockRow, lockRun, type RunRow } from "./rows.ts";
import type { PostgresStoreOptions } from "./store-options.ts";

export interface ChildStart {
	/** The snapshot that it starts with, and the commit that it is on; `null`: it has begun with one. */
	readonly start: Pick<RunStart, "head" | "parent"> | null;
	/** The run whose refs hold that snapshot, and those of the child. */
	readonly trees: string;
	/** What its hosts must have, whatever its states ask for. */
	readonly labels: readonly string[];
	/** What the child may use, as text (see {@link ceilingsText}); `null`: no ceiling applies. */
	ceilings(): string | null;
}

const treeLock = 7_424_033;

/** Begins a child of a run that this host holds, or finds the one that exists, and sends its job where something is to be done. */
export async function beginChild(
	options: PostgresStoreOptions,
	first: Created,
	{ start, trees, labels, ceilings }: ChildStart,
): Promise<Result<Run, StoreFailure>> {
	const { database, host, project } = options;
	const { event, run } = await firstEvent(options, first, 0);
	if (!run?.parent) return unreadableTemplate;
	const { id, parent } = run;
	return database.transaction(async (tx): Promise<Result<Run, StoreFailure>> => {
		await lockRun(tx, parent.run);
		const { rows } = await tx.query<{ queue: string; priority: number; folder: string | null }>(
			"SELECT queue, priority, folder FROM chronicle.run WHERE id = $1 AND holder = $2",
			[parent.run, host.id],
		);
		const [above] = rows;
		if (!above) return storeFailure("fenced", "Another host has taken over the parent run.", "Continue there.");
		const place = { ...options, ...placeBelow(above, labels) };
		const row =
			(await lockRow(tx, project, id)) ?? (await addChild(tx, place, { event, run, fence: 0, start: null, trees }));
		if (row === undefined) return tooManyChildren;
		const found = await loadRow(tx, row);
		if (typeof found === "string") {
			const message = `The child run ${id} cannot be read by this version.`;
			return storeFailure(found, message, "Update pi-chronicle on this host.");
		}
		await tx.query("UPDATE chronicle.run SET ceilings = $2 WHERE id = $1", [id, ceilings()]);
		if (start) await giveFiles(tx, id, { ...start, trees, folder: above.folder });
		if (row.holder === null && (!row.parked || row.waiting)) await ensureJob(database, tx, row);
		return { ok: true, value: found };
	});
}

/** The row of a new child; `undefined`: its tree has too many. */
async function addChild(
	tx: Sql,
	place: Parameters<typeof insertRow>[1],
	made: Parameters<typeof insertRow>[2],
): Promise<RunRow | undefined> {
	const { id, parent } = made.run;
	if ((await sizeOfTree(tx, parent?.root ?? id)) >= MAX_RUNS_IN_TREE) return undefined;
	await insertRow(tx, place, made);
	return addedRow(tx, id);
}

/** Where a child of a run waits for a host: trees that have begun are done before runs that wait. */
function placeBelow(
	{ queue, priority }: { readonly queue: string; readonly priority: number },
	needs: readonly string[],
): { readonly queue: string; readonly priority: number } {
	return { queue: narrowedQueue(queue, needs), priority: priority + 1 };
}

/** Records what a child starts with, if it was made now. */
async function giveFiles(
	tx: Sql,
	id: string,
	files: Omit<RunStart, "folder"> & { readonly folder: string | null; readonly trees: string },
): Promise<void> {
	await tx.query(
		"UPDATE chronicle.run SET head = $2, head_parent = $3, folder = $4, trees = $5 WHERE id = $1 AND head IS NULL",
		[id, files.head, files.parent, files.folder, files.trees],
	);
}

/** The number of children of run `root` at all levels. Hosts that add some do so one after another. */
async function sizeOfTree(tx: Sql, root: string): Promise<number> {
	await tx.query("SELECT pg_advisory_xact_lock($1, hashtext($2))", [treeLock, root]);
	return (await tx.query(familyText, [root])).count - 1;
}

/** Why nothing is to be done for the child of a row, in a sentence; `undefined`: its parents need it, or it has none. */
export async function refuseUnneeded(sql: Sql, { id, parent }: RunRow): Promise<string | undefined> {
	for (let below = id, above = parent; above !== null; ) {
		const row = await findRow(sql, above);
		const run = row ? await loadRow(sql, row) : "gone";
		if (run === "gone") return "The run that it is a child of was removed.";
		// What this version cannot read, the host judges that can.
		if (typeof run !== "string" && !needsChild(run, below))
			return `The run ${above.slice(0, 8)} no longer waits for ${below === id ? "this child" : "the parent of this child"}.`;
		below = above;
		above = row?.parent ?? null;
	}
	return undefined;
}

/** Takes the job of a child that no host holds; `false`: one does, or there is none. */
export function withdrawJob(database: Database, id: string): Promise<boolean> {
	return database.transaction(async (tx) => {
		await lockRun(tx, id);
		return takeRun(tx, id, "holder IS NULL AND job IS NOT NULL");
	});
}

/** Takes a locked run from its host, and its job; `false`: it is not as `which`, a condition, says. A host that fetches the job drops it. */
async function takeRun(tx: Sql, id: string, which: string): Promise<boolean> {
	const taken = await tx.query(
		`UPDATE chronicle.run SET holder = NULL, job = NULL, fence = fence + CASE WHEN holder IS NULL THEN 0 ELSE 1 END, waits = NULL
		WHERE id = $1 AND ${which}`,
		[id],
	);
	return taken.count > 0;
}

/** Takes children that their parent no longer needs, and all below them, from the hosts that hold them. */
export async function dropChildren(database: Database, ids: readonly string[]): Promise<void> {
	for (const id of ids) await database.transaction((tx) => dropFamily(tx, id));
}

/** Takes a run before its children are looked for: its host begins no more of them then. */
async function dropFamily(tx: Sql, id: string): Promise<void> {
	await lockRun(tx, id);
	await takeRun(tx, id, "(holder IS NOT NULL OR job IS NOT NULL)");
	const below = await tx.query<{ id: string }>("SELECT id::text FROM chronicle.run WHERE parent = $1", [id]);
	for (const child of below.rows) await dropFamily(tx, child.id);
}

/** Records the snapshot that the folder of a child started with. */
export async function saveBase(database: Database, id: string, tree: string): Promise<void> {
	await database.query("UPDATE chronicle.run SET base = $2 WHERE id = $1 AND base IS NULL", [id, tree]);
}

/** The last recorded files of a child, and what its folder started with. */
export async function filesOfChild(
	database: Database,
	id: string,
): Promise<{ readonly head: string | null; readonly base: string | null }> {
	const { rows } = await database.query<{ head: string | null; base: string | null }>(
		"SELECT head, base FROM chronicle.run WHERE id = $1",
		[id],
	);
	return rows[0] ?? { head: null, base: null };
}

export interface ChildState {
	readonly id: string;
	readonly seq: number;
	readonly active: boolean;
	readonly held: boolean;
}

/** The states of children. */
export async function childStates(database: Database, ids: readonly string[]): Promise<readonly ChildState[]> {
	const { rows } = await database.query<ChildState>(
		"SELECT id::text, seq, (holder IS NOT NULL OR job IS NOT NULL) AS active, holder IS NOT NULL AS held FROM chronicle.run WHERE id = ANY($1)",
		[ids],
	);
	return rows;
}

/** Whether a run of the project that waits for its children waits for a host, too. */
export async function isDelegatingQueued(database: Database, project: string): Promise<boolean> {
	const text =
		"SELECT FROM chronicle.run WHERE project = $1 AND delegates AND holder IS NULL AND job IS NOT NULL LIMIT 1";
	return (await database.query(text, [project])).count > 0;
}

/** The children of a run that a host has, or is to take. */
export async function activeChildren(database: Database, parent: string): Promise<readonly string[]> {
	const { rows } = await database.query<{ id: string }>(
		"SELECT id::text FROM chronicle.run WHERE parent = $1 AND (holder IS NOT NULL OR job IS NOT NULL)",
		[parent],
	);
	return rows.map(({ id }) => id);
}

/** Notes what a child may use. */
export async function saveCeilings(database: Database, id: string, ceilings: string): Promise<void> {
	await database.query("UPDATE chronicle.run SET ceilings = $2 WHERE id = $1", [id, ceilings]);
}

async function readCeilings(database: Database, id: string): Promise<string | null> {
	const text = "SELECT ceilings FROM chronicle.run WHERE id = $1";
	return (await database.query<{ ceilings: string | null }>(text, [id])).rows[0]?.ceilings ?? null;
}

/** The ceilings of a child as text; `null`: there are none. */
export function ceilingsText(ceilings: TreeCeilings): string | null {
	return Object.values(ceilings.left).every((figure) => figure === undefined) ? null : JSON.stringify(ceilings);
}

const figure = optional(isNumber);
const isCeilings = object<TreeCeilings>({
	left: object<TreeCeilings["left"]>({ costUsd: figure, tokens: figure, activeMs: figure }),
	counted: object<TreeCeilings["counted"]>({ costUsd: isNumber, tokens: isNumber, activeMs: isNumber }),
	countCacheReads: isFlag,
});

const none = { costUsd: 0, tokens: 0, activeMs: 0 };
/** Of a text that cannot be read. */
const nothing: TreeCeilings = { left: none, counted: none, countCacheReads: false };

interface CeilingsWatch {
	/** What the parents leave the child, as last written; `undefined`: no ceiling applies. */
	ceilings(): TreeCeilings | undefined;
	close(): void;
}

/** Follows the ceilings of a child that this host holds; `onChange` is called after each change. */
export async function openCeilings(
	{ database, host }: { readonly database: Database; readonly host: Host },
	id: string,
	onChange: () => void,
): Promise<CeilingsWatch> {
	let text = await readCeilings(database, id);
	let closed = false;
	const look = async (): Promise<void> => {
		const now = await readCeilings(database, id).catch(() => text);
		if (closed || now === text) return;
		text = now;
		onChange();
	};
	const unwatch = host.onBeat(() => void look());
	return {
		ceilings: () => (text === null ? undefined : (parseUntrusted(text, isCeilings) ?? nothing)),
		close() {
			closed = true;
			unwatch();
		},
	};
}
