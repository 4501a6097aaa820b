// The engine's tables in Postgres, and their version. Events are append-only; a run's row is folded from them. `initialize` is idempotent, even
// concurrently. Tables of another version are never written.
import type { Failure } from "@pi-chronicle/core/ports";
import type { Database, Sql } from "./database.ts";
import { functions, makeRoles, policies } from "./rights.ts";

/** Version of the tables. A database with a lower one is brought up by `engine init`; one with a higher one is left alone. */
export const ENGINE_VERSION = 10;

const lockNumber = 7_424_031;

const tables = `
CREATE SCHEMA IF NOT EXISTS chronicle;
CREATE TABLE IF NOT EXISTS chronicle.meta (one bool PRIMARY KEY DEFAULT true CHECK (one), version int NOT NULL);
CREATE TABLE IF NOT EXISTS chronicle.project (
	name text PRIMARY KEY,
	created_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE IF NOT EXISTS chronicle.access (
	project text NOT NULL REFERENCES chronicle.project ON DELETE CASCADE,
	member text NOT NULL,
	PRIMARY KEY (project, member)
);
CREATE TABLE IF NOT EXISTS chronicle.quota (
	kind text NOT NULL CHECK (kind IN ('project', 'queue', 'provider')),
	name text NOT NULL,
	most int,
	per_minute int,
	PRIMARY KEY (kind, name)
);
CREATE TABLE IF NOT EXISTS chronicle.claim (
	at timestamptz NOT NULL DEFAULT clock_timestamp(),
	project text NOT NULL,
	queue text NOT NULL,
	provider text
);
CREATE TABLE IF NOT EXISTS chronicle.host (
	id uuid PRIMARY KEY,
	name text NOT NULL,
	pid int NOT NULL,
	started text NOT NULL,
	version text NOT NULL,
	slots int NOT NULL DEFAULT 0,
	queues text[] NOT NULL DEFAULT '{}',
	lease_ms int NOT NULL,
	draining bool NOT NULL DEFAULT false,
	started_at timestamptz NOT NULL DEFAULT now(),
	beat_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE IF NOT EXISTS chronicle.run (
	id uuid PRIMARY KEY,
	project text NOT NULL REFERENCES chronicle.project,
	queue text NOT NULL,
	priority int NOT NULL DEFAULT 0,
	provider text,
	schema_version int NOT NULL,
	seq int NOT NULL,
	fence int NOT NULL DEFAULT 0,
	holder uuid,
	job uuid,
	attempt int NOT NULL DEFAULT 0,
	head text,
	visit int NOT NULL,
	claimed_visit int NOT NULL DEFAULT 0,
	parked bool NOT NULL,
	waits text,
	template text NOT NULL,
	task text NOT NULL,
	status text NOT NULL,
	state text NOT NULL,
	updated_at text NOT NULL,
	cost_usd float8 NOT NULL,
	tokens bigint NOT NULL,
	submitted_by text NOT NULL DEFAULT session_user
);
CREATE TABLE IF NOT EXISTS chronicle.event (
	run uuid NOT NULL REFERENCES chronicle.run ON DELETE CASCADE,
	seq int NOT NULL,
	body text NOT NULL,
	PRIMARY KEY (run, seq)
);
CREATE TABLE IF NOT EXISTS chronicle.state (
	run uuid PRIMARY KEY REFERENCES chronicle.run ON DELETE CASCADE,
	seq int NOT NULL,
	body text NOT NULL
);
CREATE TABLE IF NOT EXISTS chronicle.snapshot (
	run uuid NOT NULL REFERENCES chronicle.run ON DELETE CASCADE,
	seq int NOT NULL,
	n int NOT NULL,
	tree text NOT NULL,
	parent text,
	base text NOT NULL,
	note text NOT NULL,
	pack bytea NOT NULL,
	PRIMARY KEY (run, seq, n)
);
ALTER TABLE chronicle.snapshot ALTER COLUMN pack SET STORAGE EXTERNAL;
CREATE TABLE IF NOT EXISTS chronicle.inbox (
	id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	run uuid NOT NULL REFERENCES chronicle.run ON DELETE CASCADE,
	at bigint NOT NULL,
	body text NOT NULL,
	state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'taken', 'refused', 'unread')),
	reason text,
	done_at timestamptz,
	posted_by text NOT NULL DEFAULT session_user
);
CREATE TABLE IF NOT EXISTS chronicle.schedule (
	id uuid PRIMARY KEY,
	project text NOT NULL REFERENCES chronicle.project,
	queue text NOT NULL,
	priority int NOT NULL DEFAULT 0,
	cron text NOT NULL,
	zone text NOT NULL,
	branch text,
	folder text NOT NULL,
	overlap bool NOT NULL,
	template text NOT NULL,
	task text NOT NULL,
	start text NOT NULL,
	last_run uuid,
	skipped int NOT NULL DEFAULT 0,
	note text,
	handling uuid,
	handled_at timestamptz,
	made_at timestamptz NOT NULL DEFAULT now(),
	submitted_by text NOT NULL DEFAULT session_user
);
CREATE TABLE IF NOT EXISTS chronicle.channel (
	project text NOT NULL REFERENCES chronicle.project ON DELETE CASCADE,
	id text NOT NULL,
	name text NOT NULL,
	kinds text[] NOT NULL,
	seen_at timestamptz NOT NULL DEFAULT now(),
	PRIMARY KEY (project, id)
);
CREATE TABLE IF NOT EXISTS chronicle.notice (
	run uuid NOT NULL REFERENCES chronicle.run ON DELETE CASCADE,
	seq int NOT NULL,
	kind text NOT NULL,
	channel text NOT NULL,
	name text NOT NULL,
	state text NOT NULL DEFAULT 'due' CHECK (state IN ('due', 'claimed', 'started', 'sent', 'failed', 'outdated')),
	tries int NOT NULL DEFAULT 0,
	answer text NOT NULL DEFAULT '',
	host uuid,
	first timestamptz,
	at timestamptz NOT NULL DEFAULT now(),
	due_at timestamptz NOT NULL DEFAULT now(),
	PRIMARY KEY (run, seq, kind, channel)
);
`;

/** Statements that add the columns of a list, separated by semicolons, as far as a table lacks them. */
const addColumns = (table: string, list: string): string =>
	list
		.split(";")
		.map((column) => `ALTER TABLE chronicle.${table} ADD COLUMN IF NOT EXISTS ${column.trim()};`)
		.join("\n");

/** Brings the tables of an earlier version to the form of this one. Version 9 has the stored states in a table of their own. */
const additions = `
ALTER TABLE chronicle.quota DROP CONSTRAINT IF EXISTS quota_kind_check;
ALTER TABLE chronicle.quota ADD CONSTRAINT quota_kind_check CHECK (kind IN ('project', 'queue', 'provider'));
DO $$ BEGIN
	IF EXISTS (SELECT FROM pg_catalog.pg_attribute WHERE attrelid = 'chronicle.project'::regclass AND attname = 'most' AND NOT attisdropped) THEN
		EXECUTE 'INSERT INTO chronicle.quota SELECT ''project'', name, most FROM chronicle.project WHERE most IS NOT NULL ON CONFLICT DO NOTHING';
		EXECUTE 'ALTER TABLE chronicle.project DROP COLUMN most';
	END IF;
	IF EXISTS (SELECT FROM pg_catalog.pg_attribute WHERE attrelid = 'chronicle.run'::regclass AND attname = 'body' AND NOT attisdropped) THEN
		EXECUTE 'INSERT INTO chronicle.state SELECT id, body_seq, body FROM chronicle.run ON CONFLICT DO NOTHING';
		EXECUTE 'ALTER TABLE chronicle.run DROP COLUMN body, DROP COLUMN body_seq';
	END IF;
END $$;
ALTER TABLE chronicle.run DROP COLUMN IF EXISTS claimed_at;
${addColumns(
	"run",
	`parent uuid; trees uuid; child text; schedule uuid; needs text[] NOT NULL DEFAULT '{}'; bound bool NOT NULL DEFAULT false;
	job_queue text; base text; ceilings text; leftovers jsonb NOT NULL DEFAULT '{}'; head_parent text; folder text; suspect int;
	conversations text; delegates bool NOT NULL DEFAULT false;
	updated_hour text GENERATED ALWAYS AS (left(updated_at, 13)) STORED`,
)}
${addColumns(
	"host",
	`projects text[] NOT NULL DEFAULT '{}'; labels text[] NOT NULL DEFAULT '{}'; figures jsonb NOT NULL DEFAULT '{}';
	login text NOT NULL DEFAULT session_user`,
)}
ALTER TABLE chronicle.inbox ADD COLUMN IF NOT EXISTS answers int
	GENERATED ALWAYS AS (substring(body from '"answers":([0-9]{1,9})[,}]')::int) STORED;
UPDATE chronicle.inbox i SET state = 'refused', reason = 'Another answer came first.' WHERE state IN ('waiting', 'taken') AND EXISTS (
	SELECT FROM chronicle.inbox o WHERE o.run = i.run AND o.answers = i.answers AND o.id < i.id AND o.state IN ('waiting', 'taken'));
`;

/**
 * No index has a column that each append changes: such an update touches no index, and the room of the old row is used again at once. Therefore
 * runs are listed by the hour of their last event. Pages of runs are left half empty for these updates.
 */
const indexes = `
DROP INDEX IF EXISTS chronicle.run_newest;
CREATE INDEX IF NOT EXISTS run_by_hour ON chronicle.run (project, updated_hour DESC);
CREATE INDEX IF NOT EXISTS run_children ON chronicle.run (parent) WHERE parent IS NOT NULL;
CREATE INDEX IF NOT EXISTS run_held ON chronicle.run (holder) WHERE holder IS NOT NULL;
CREATE INDEX IF NOT EXISTS run_delegates ON chronicle.run (project) WHERE delegates AND holder IS NULL AND job IS NOT NULL;
CREATE INDEX IF NOT EXISTS run_unsent ON chronicle.run (updated_hour) WHERE holder IS NULL AND job IS NULL AND parent IS NULL AND NOT parked;
CREATE INDEX IF NOT EXISTS claim_at ON chronicle.claim (at);
CREATE INDEX IF NOT EXISTS inbox_of_run ON chronicle.inbox (run, id);
CREATE INDEX IF NOT EXISTS inbox_waiting ON chronicle.inbox (run) WHERE state = 'waiting';
CREATE UNIQUE INDEX IF NOT EXISTS inbox_answer ON chronicle.inbox (run, answers) WHERE state IN ('waiting', 'taken');
CREATE INDEX IF NOT EXISTS notice_due ON chronicle.notice (channel, due_at) WHERE state IN ('due', 'claimed', 'started');
ALTER TABLE chronicle.run SET (fillfactor = 50);
`;

/** Makes or updates the tables, and roles where this user may; gives what could not be done, one sentence each. */
export async function initialize(database: Database): Promise<Failure | readonly string[]> {
	return database.transaction(async (tx) => {
		// Held until the end: a second `init` waits and then finds everything done.
		await tx.query("SELECT pg_advisory_xact_lock($1)", [lockNumber]);
		const found = await versionOf(tx);
		if (found !== undefined && found > ENGINE_VERSION) return newerDatabase(found);
		for (const part of [tables, additions, indexes]) await tx.executeSql(part);
		// A host of an earlier version that still works has lost its runs: it writes nothing to tables that it does not know.
		if (found !== undefined && found < ENGINE_VERSION)
			await tx.query("UPDATE chronicle.run SET fence = fence + 1 WHERE holder IS NOT NULL");
		await tx.query(
			"INSERT INTO chronicle.meta (version) VALUES ($1) ON CONFLICT (one) DO UPDATE SET version = EXCLUDED.version",
			[ENGINE_VERSION],
		);
		await tx.executeSql(functions);
		await tx.executeSql(policies);
		await database.installJobs();
		return makeRoles(tx);
	});
}

async function versionOf(sql: Sql): Promise<number | undefined> {
	const { rows } = await sql.query<{ there: string | null }>("SELECT to_regclass('chronicle.meta')::text AS there");
	if (!rows[0]?.there) return undefined;
	const found = await sql.query<{ version: number }>("SELECT version FROM chronicle.meta");
	return found.rows[0]?.version;
}

/** Why this version cannot use the database; `undefined` if it can. */
export async function checkVersion(database: Database): Promise<Failure | undefined> {
	const { shell } = database;
	const found = await versionOf(database);
	if (found === ENGINE_VERSION) return undefined;
	if (found !== undefined && found > ENGINE_VERSION) return newerDatabase(found);
	return found === undefined
		? {
				reason: "no_engine",
				message: "The database has no engine yet.",
				remedy: `Run once, as a user who may create tables: ${shell}engine init.`,
			}
		: {
				reason: "older",
				message: `The engine's tables have version ${found}, and this pi-chronicle needs ${ENGINE_VERSION}.`,
				remedy: `Run ${shell}engine init with this version; drain workers of the earlier one first (${shell}engine drain).`,
			};
}

function newerDatabase(found: number): Failure {
	return {
		reason: "newer",
		message: `The engine's tables have version ${found}, and this pi-chronicle knows up to ${ENGINE_VERSION}.`,
		remedy: "Update pi-chronicle on this host; nothing was changed.",
	};
}
