// The engine's tables and roles in Postgres, and their version. Events are append-only; a run's row is folded from them.
// Z1 `initialize` is idempotent, even concurrently; Z2 it grants no more than each role needs; Z3 tables of another version are never
// written.
import type { Failure } from "../../core/index.ts";
import { type Database, JOBS_SCHEMA, type Sql } from "./database.ts";

/** Version of the tables. A database with a lower one is brought up by `engine init`; one with a higher one is left alone. */
export const ENGINE_VERSION = 8;

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
ALTER TABLE chronicle.quota DROP CONSTRAINT IF EXISTS quota_kind_check;
ALTER TABLE chronicle.quota ADD CONSTRAINT quota_kind_check CHECK (kind IN ('project', 'queue', 'provider'));
DO $$ BEGIN
	IF EXISTS (SELECT FROM pg_catalog.pg_attribute WHERE attrelid = 'chronicle.project'::regclass AND attname = 'most' AND NOT attisdropped) THEN
		EXECUTE 'INSERT INTO chronicle.quota SELECT ''project'', name, most FROM chronicle.project WHERE most IS NOT NULL ON CONFLICT DO NOTHING';
		EXECUTE 'ALTER TABLE chronicle.project DROP COLUMN most';
	END IF;
END $$;
CREATE TABLE IF NOT EXISTS chronicle.claim (
	at timestamptz NOT NULL DEFAULT clock_timestamp(),
	project text NOT NULL,
	queue text NOT NULL,
	provider text
);
CREATE INDEX IF NOT EXISTS claim_at ON chronicle.claim (at);
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
	body text NOT NULL,
	body_seq int NOT NULL,
	submitted_by text NOT NULL DEFAULT session_user
);
ALTER TABLE chronicle.run ADD COLUMN IF NOT EXISTS parent uuid;
ALTER TABLE chronicle.run ADD COLUMN IF NOT EXISTS trees uuid;
ALTER TABLE chronicle.run ADD COLUMN IF NOT EXISTS child text;
CREATE INDEX IF NOT EXISTS run_children ON chronicle.run (parent) WHERE parent IS NOT NULL;
CREATE INDEX IF NOT EXISTS run_newest ON chronicle.run (project, updated_at DESC);
CREATE INDEX IF NOT EXISTS run_held ON chronicle.run (holder) WHERE holder IS NOT NULL;
ALTER TABLE chronicle.run DROP COLUMN IF EXISTS claimed_at;
CREATE TABLE IF NOT EXISTS chronicle.event (
	run uuid NOT NULL REFERENCES chronicle.run ON DELETE CASCADE,
	seq int NOT NULL,
	body text NOT NULL,
	PRIMARY KEY (run, seq)
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
ALTER TABLE chronicle.run ADD COLUMN IF NOT EXISTS schedule uuid;
ALTER TABLE chronicle.run ADD COLUMN IF NOT EXISTS needs text[] NOT NULL DEFAULT '{}';
ALTER TABLE chronicle.run ADD COLUMN IF NOT EXISTS bound bool NOT NULL DEFAULT false;
ALTER TABLE chronicle.run ADD COLUMN IF NOT EXISTS job_queue text;
ALTER TABLE chronicle.run ADD COLUMN IF NOT EXISTS base text;
ALTER TABLE chronicle.run ADD COLUMN IF NOT EXISTS ceilings text;
ALTER TABLE chronicle.run ADD COLUMN IF NOT EXISTS leftovers jsonb NOT NULL DEFAULT '{}';
ALTER TABLE chronicle.run ADD COLUMN IF NOT EXISTS head_parent text;
ALTER TABLE chronicle.run ADD COLUMN IF NOT EXISTS folder text;
ALTER TABLE chronicle.run ADD COLUMN IF NOT EXISTS suspect int;
ALTER TABLE chronicle.run ADD COLUMN IF NOT EXISTS conversations text;
ALTER TABLE chronicle.run ADD COLUMN IF NOT EXISTS delegates bool NOT NULL DEFAULT false;
CREATE INDEX IF NOT EXISTS run_delegates ON chronicle.run (project) WHERE delegates AND holder IS NULL AND job IS NOT NULL;
ALTER TABLE chronicle.host ADD COLUMN IF NOT EXISTS projects text[] NOT NULL DEFAULT '{}';
ALTER TABLE chronicle.host ADD COLUMN IF NOT EXISTS labels text[] NOT NULL DEFAULT '{}';
ALTER TABLE chronicle.host ADD COLUMN IF NOT EXISTS figures jsonb NOT NULL DEFAULT '{}';
CREATE INDEX IF NOT EXISTS inbox_of_run ON chronicle.inbox (run, id);
CREATE INDEX IF NOT EXISTS inbox_waiting ON chronicle.inbox (run) WHERE state = 'waiting';
`;

/**
 * How many runs of a project, queue or provider are held, and how many times one was taken in the last minute; counted over every project, also
 * those that the caller does not see. A run and its children count as one. And whether a host may add a run: a child of a run of the same project
 * that a host holds, or one of a schedule.
 */
const functions = `
DROP FUNCTION IF EXISTS chronicle.load(text, text, text);
CREATE OR REPLACE FUNCTION chronicle.load(the_kind text, the_name text) RETURNS TABLE (held int, taken int)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = chronicle, pg_temp AS $$
	SELECT (SELECT count(*)::int FROM chronicle.run WHERE parent IS NULL AND holder IS NOT NULL
			AND the_name = CASE the_kind WHEN 'project' THEN project WHEN 'queue' THEN split_part(queue, '/', 2) ELSE provider END),
		(SELECT count(*)::int FROM chronicle.claim WHERE at > clock_timestamp() - interval '1 minute'
			AND the_name = CASE the_kind WHEN 'project' THEN project WHEN 'queue' THEN queue ELSE provider END)
$$;
CREATE OR REPLACE FUNCTION chronicle.takes_children(the_parent uuid, the_project text) RETURNS bool
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = chronicle, pg_temp AS $$
	SELECT EXISTS (SELECT FROM chronicle.run WHERE id = the_parent AND project = the_project AND holder IS NOT NULL)
$$;
CREATE OR REPLACE FUNCTION chronicle.takes_scheduled(the_schedule uuid, the_project text, the_queue text) RETURNS bool
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = chronicle, pg_temp AS $$
	SELECT EXISTS (SELECT FROM chronicle.schedule WHERE id = the_schedule AND project = the_project AND queue = the_queue)
$$;
`;

/** The projects that the user has: a login role sees and changes the runs of the projects that it, or a role that it is a member of, was given. The owner sees all. */
export const GIVEN_PROJECTS =
	"SELECT project FROM chronicle.access JOIN pg_catalog.pg_roles ON rolname = member WHERE pg_catalog.pg_has_role(current_user, oid, 'MEMBER')";

const policies = `
ALTER TABLE chronicle.run ENABLE ROW LEVEL SECURITY;
ALTER TABLE chronicle.event ENABLE ROW LEVEL SECURITY;
ALTER TABLE chronicle.snapshot ENABLE ROW LEVEL SECURITY;
ALTER TABLE chronicle.inbox ENABLE ROW LEVEL SECURITY;
ALTER TABLE chronicle.schedule ENABLE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS given ON chronicle.schedule;
CREATE POLICY given ON chronicle.schedule USING (project IN (${GIVEN_PROJECTS}));
DROP POLICY IF EXISTS given ON chronicle.run;
CREATE POLICY given ON chronicle.run USING (project IN (${GIVEN_PROJECTS}));
DROP POLICY IF EXISTS given ON chronicle.event;
CREATE POLICY given ON chronicle.event USING (EXISTS (SELECT 1 FROM chronicle.run r WHERE r.id = run));
DROP POLICY IF EXISTS given ON chronicle.snapshot;
CREATE POLICY given ON chronicle.snapshot USING (EXISTS (SELECT 1 FROM chronicle.run r WHERE r.id = run));
DROP POLICY IF EXISTS given ON chronicle.inbox;
CREATE POLICY given ON chronicle.inbox USING (EXISTS (SELECT 1 FROM chronicle.run r WHERE r.id = run));
`;

/** Roles without login, made where this user may make roles. */
const roles = `
DO $$ DECLARE r text; BEGIN
	FOREACH r IN ARRAY ARRAY['chronicle_reader', 'chronicle_submitter', 'chronicle_worker'] LOOP
		IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = r) THEN EXECUTE format('CREATE ROLE %I NOLOGIN', r); END IF;
	END LOOP;
END $$;
`;

const all = "chronicle_reader, chronicle_submitter, chronicle_worker";
const grants = `
GRANT USAGE ON SCHEMA chronicle, ${JOBS_SCHEMA} TO ${all};
GRANT SELECT ON ALL TABLES IN SCHEMA chronicle TO ${all};
GRANT SELECT ON ALL TABLES IN SCHEMA ${JOBS_SCHEMA} TO ${all};
GRANT INSERT ON chronicle.run, chronicle.event, chronicle.inbox, chronicle.schedule TO chronicle_submitter;
GRANT UPDATE (job, job_queue, waits, priority) ON chronicle.run TO chronicle_submitter;
GRANT DELETE ON chronicle.run, chronicle.inbox, chronicle.schedule TO chronicle_submitter;
GRANT UPDATE, DELETE ON ${JOBS_SCHEMA}.schedule TO chronicle_submitter;
GRANT UPDATE (last_run, skipped, note, handling, handled_at) ON chronicle.schedule TO chronicle_worker;
GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${JOBS_SCHEMA} TO chronicle_worker;
GRANT INSERT ON ALL TABLES IN SCHEMA ${JOBS_SCHEMA} TO chronicle_submitter;
GRANT INSERT, UPDATE, DELETE ON chronicle.host TO chronicle_worker;
GRANT INSERT, UPDATE ON chronicle.run TO chronicle_worker;
DROP POLICY IF EXISTS added ON chronicle.run;
CREATE POLICY added ON chronicle.run AS RESTRICTIVE FOR INSERT
	WITH CHECK (chronicle.takes_children(parent, project) OR chronicle.takes_scheduled(schedule, project, queue)
		OR pg_catalog.pg_has_role(current_user, 'chronicle_submitter', 'MEMBER'));
GRANT INSERT ON chronicle.event TO chronicle_worker;
GRANT INSERT, DELETE ON chronicle.snapshot, chronicle.claim TO chronicle_worker;
GRANT INSERT, UPDATE, DELETE ON chronicle.inbox TO chronicle_worker;
`;

/** Makes or updates the tables, and roles where this user may; gives what could not be done, one sentence each. */
export async function initialize(database: Database): Promise<Failure | readonly string[]> {
	return database.transaction(async (tx) => {
		// Held until the end: a second `init` waits and then finds everything done.
		await tx.query("SELECT pg_advisory_xact_lock($1)", [lockNumber]);
		const found = await versionOf(tx);
		if (found !== undefined && found > ENGINE_VERSION) return newerDatabase(found);
		await tx.executeSql(tables);
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

/** Gives the roles their rights on every table, those of queues that were just made too. */
export async function makeRoles(tx: Sql): Promise<readonly string[]> {
	await tx.query("SAVEPOINT roles");
	try {
		await tx.executeSql(roles);
		await tx.executeSql(grants);
		return [];
	} catch (error) {
		await tx.query("ROLLBACK TO SAVEPOINT roles");
		const { code, message } = error as { code?: string; message: string };
		if (code !== "42501") throw error;
		return [
			`The roles chronicle_reader, chronicle_submitter and chronicle_worker were not created (${message}): only this user can use the engine until a user who may create roles runs init.`,
		];
	}
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
