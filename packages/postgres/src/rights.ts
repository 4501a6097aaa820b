// Who may do what in an engine's database: roles, their rights, and the functions and policies that check what rights cannot. Events are added by the
// first event of a new run, and by the host that holds the run under its fence; nobody changes or deletes one. Who has sent a run or a command is
// what the database knows as its login, not what the sender says. Only an operator removes runs, and sets priorities and limits. A host of one login
// does not take a run from a living host of another.
import { CHANNEL, type Database, JOBS_SCHEMA, NOTICE, type Sql } from "./database.ts";
import { foldedColumns } from "./rows.ts";

/** The projects that the user has: a login role sees and changes the runs of the projects that it, or a role that it is a member of, was given. The owner sees all. */
export const GIVEN_PROJECTS =
	"SELECT project FROM chronicle.access JOIN pg_catalog.pg_roles ON rolname = member WHERE pg_catalog.pg_has_role(current_user, oid, 'MEMBER')";

/** The roles, each with what it is for. */
export const ROLES = ["chronicle_reader", "chronicle_submitter", "chronicle_worker", "chronicle_operator"] as const;

const all = ROLES.join(", ");
const definer = "SECURITY DEFINER SET search_path = chronicle, pg_temp";
const isA = (role: (typeof ROLES)[number]): string => `pg_catalog.pg_has_role(current_user, '${role}', 'MEMBER')`;

/** The columns that an append sets: all that follow from the events but the texts, which are written only if they have changed. */
const plainColumns = foldedColumns.filter((name) => !["template", "task"].includes(name));

/**
 * `load`: how many runs of a project, queue or provider are held, and how many times one was taken in the last minute; counted over every
 * project, also those that the caller does not see. A run and its children count as one.
 * `takes_children`, `takes_scheduled`: whether a host may add a run: a child of a run of the same project that a host of this login holds, or one of a schedule.
 * `begins`: whether an event is the first of a run that this login has just added, and names its sender.
 * `holds`: whether a host of this login holds the run under this fence.
 * `check_holder`: a host changes nothing but the job of a run that a living host of another login has, unless it has one above it; the owner of the tables may do everything.
 * `append`, `save_state`: what the holder of a run records; `false`: it does not hold the run, or event `last` is not the last one.
 */
export const functions = `
DROP FUNCTION IF EXISTS chronicle.load(text, text, text);
CREATE OR REPLACE FUNCTION chronicle.load(the_kind text, the_name text) RETURNS TABLE (held int, taken int)
LANGUAGE sql STABLE ${definer} AS $$
	SELECT (SELECT count(*)::int FROM run WHERE parent IS NULL AND holder IS NOT NULL
			AND the_name = CASE the_kind WHEN 'project' THEN project WHEN 'queue' THEN split_part(queue, '/', 2) ELSE provider END),
		(SELECT count(*)::int FROM claim WHERE at > clock_timestamp() - interval '1 minute'
			AND the_name = CASE the_kind WHEN 'project' THEN project WHEN 'queue' THEN queue ELSE provider END)
$$;
CREATE OR REPLACE FUNCTION chronicle.takes_children(the_parent uuid, the_project text) RETURNS bool
LANGUAGE sql STABLE ${definer} AS $$
	SELECT EXISTS (SELECT FROM run r JOIN host h ON h.id = r.holder
		WHERE r.id = the_parent AND r.project = the_project AND h.login = session_user)
$$;
CREATE OR REPLACE FUNCTION chronicle.takes_scheduled(the_schedule uuid, the_project text, the_queue text) RETURNS bool
LANGUAGE sql STABLE ${definer} AS $$
	SELECT EXISTS (SELECT FROM schedule WHERE id = the_schedule AND project = the_project AND queue = the_queue)
$$;
CREATE OR REPLACE FUNCTION chronicle.begins(the_run uuid, the_seq int, the_body text) RETURNS bool
LANGUAGE sql STABLE ${definer} AS $$
	SELECT the_seq = 1 AND EXISTS (
		SELECT FROM run r LEFT JOIN schedule s ON s.id = r.schedule, (SELECT the_body::jsonb AS body) e
		WHERE r.id = the_run AND r.seq = 1 AND r.submitted_by = session_user AND body->>'kind' = 'created' AND body->>'id' = r.id::text
			AND body->>'by' = COALESCE(s.submitted_by, session_user) AND (body #>> '{parent,run}') IS NOT DISTINCT FROM r.parent::text)
$$;
CREATE OR REPLACE FUNCTION chronicle.holds(the_run uuid, the_host uuid, the_fence int) RETURNS bool
LANGUAGE sql STABLE ${definer} AS $$
	SELECT EXISTS (SELECT FROM run r JOIN host h ON h.id = r.holder
		WHERE r.id = the_run AND h.login = session_user AND r.holder = COALESCE(the_host, r.holder) AND r.fence = COALESCE(the_fence, r.fence))
$$;
CREATE OR REPLACE FUNCTION chronicle.append(the_run uuid, the_host uuid, the_fence int, is_soon bool, last_seq int, the_head text, the_parent text,
	folded jsonb, bodies text[], snapshots jsonb, packs bytea) RETURNS bool
LANGUAGE plpgsql ${definer} AS $$
DECLARE n run := jsonb_populate_record(NULL::run, folded);
BEGIN
	n.seq := last_seq + cardinality(bodies);
	IF is_soon THEN PERFORM set_config('synchronous_commit', 'off', true); END IF;
	UPDATE run r SET ${plainColumns.map((name) => `${name} = n.${name}`).join(", ")},
		template = CASE WHEN r.template = n.template THEN r.template ELSE n.template END,
		task = CASE WHEN r.task = n.task THEN r.task ELSE n.task END,
		head = COALESCE(the_head, r.head), head_parent = CASE WHEN the_head IS NULL THEN r.head_parent ELSE the_parent END
	WHERE r.id = the_run AND r.holder = the_host AND r.fence = the_fence AND r.seq = last_seq
		AND EXISTS (SELECT FROM host h WHERE h.id = the_host AND h.login = session_user);
	IF NOT FOUND THEN RETURN false; END IF;
	INSERT INTO event (run, seq, body) SELECT the_run, last_seq + place, body FROM unnest(bodies) WITH ORDINALITY AS added (body, place);
	IF snapshots IS NOT NULL THEN
		INSERT INTO snapshot (run, seq, n, tree, parent, base, note, pack)
		SELECT the_run, n.seq, s.n, s.tree, s.parent, s.base, s.note, substring(packs FROM s.start FOR s.length)
		FROM jsonb_to_recordset(snapshots) AS s (n int, tree text, parent text, base text, note text, start int, length int);
	END IF;
	IF folded ? 'notices' THEN
		INSERT INTO notice (run, seq, kind, channel, name) SELECT the_run, told.seq, told.kind, c.id, c.name
		FROM jsonb_to_recordset(folded->'notices') AS told (seq int, kind text)
		JOIN run r ON r.id = the_run JOIN channel c ON c.project = r.project AND told.kind = ANY(c.kinds);
		IF FOUND THEN PERFORM pg_notify('${CHANNEL}', '${NOTICE}'); END IF;
	END IF;
	RETURN true;
END $$;
CREATE OR REPLACE FUNCTION chronicle.save_state(the_run uuid, the_host uuid, the_fence int, the_seq int, the_body text) RETURNS bool
LANGUAGE plpgsql ${definer} AS $$
BEGIN
	IF NOT holds(the_run, the_host, the_fence) OR NOT EXISTS (SELECT FROM run WHERE id = the_run AND seq = the_seq) THEN RETURN false; END IF;
	INSERT INTO state AS s (run, seq, body) VALUES (the_run, the_seq, the_body)
	ON CONFLICT (run) DO UPDATE SET seq = EXCLUDED.seq, body = EXCLUDED.body WHERE s.seq <= EXCLUDED.seq;
	RETURN true;
END $$;
CREATE OR REPLACE FUNCTION chronicle.check_holder() RETURNS trigger LANGUAGE plpgsql ${definer} AS $$
DECLARE is_foreign bool; unqueued run := NEW;
BEGIN
	IF pg_catalog.pg_has_role(session_user, current_user, 'MEMBER') THEN RETURN NEW; END IF;
	IF NEW.fence < OLD.fence THEN RAISE insufficient_privilege USING MESSAGE = 'the fence of a run only grows'; END IF;
	SELECT OLD.job, OLD.job_queue, OLD.waits, OLD.priority, OLD.updated_hour
	INTO unqueued.job, unqueued.job_queue, unqueued.waits, unqueued.priority, unqueued.updated_hour;
	is_foreign := EXISTS (
		SELECT FROM host WHERE id = OLD.holder AND login <> session_user AND beat_at > now() - lease_ms * interval '1 millisecond');
	IF NEW.holder IS DISTINCT FROM OLD.holder AND NEW.holder IS NOT NULL
		AND (is_foreign OR NOT EXISTS (SELECT FROM host WHERE id = NEW.holder AND login = session_user))
		OR is_foreign AND unqueued IS DISTINCT FROM OLD AND NOT EXISTS (
			WITH RECURSIVE above AS (SELECT OLD.parent AS id UNION SELECT r.parent FROM run r JOIN above USING (id))
			SELECT FROM above JOIN run r USING (id) JOIN host h ON h.id = r.holder WHERE h.login = session_user)
		THEN RAISE insufficient_privilege USING MESSAGE = 'the run belongs to a host of another user'; END IF;
	RETURN NEW;
END $$;
DROP TRIGGER IF EXISTS check_holder ON chronicle.run;
CREATE TRIGGER check_holder BEFORE UPDATE ON chronicle.run FOR EACH ROW EXECUTE FUNCTION chronicle.check_holder();
REVOKE ALL ON FUNCTION chronicle.append, chronicle.save_state FROM PUBLIC;
`;

const visibleRun = "EXISTS (SELECT 1 FROM chronicle.run r WHERE r.id = run)";
const policy = (table: string, name: string, text: string): string =>
	`DROP POLICY IF EXISTS ${name} ON chronicle.${table}; CREATE POLICY ${name} ON chronicle.${table} ${text};`;

/** Which rows a user sees: those of its projects. */
export const policies = [
	...["run", "event", "state", "snapshot", "inbox", "schedule", "host", "claim", "channel", "notice"].map(
		(table) => `ALTER TABLE chronicle.${table} ENABLE ROW LEVEL SECURITY;`,
	),
	...["run", "schedule", "channel"].map((table) => policy(table, "given", `USING (project IN (${GIVEN_PROJECTS}))`)),
	...["event", "state", "snapshot", "inbox", "notice"].map((table) => policy(table, "given", `USING (${visibleRun})`)),
	policy("event", "first", "AS RESTRICTIVE FOR INSERT WITH CHECK (chronicle.begins(run, seq, body))"),
	policy("snapshot", "holder", "AS RESTRICTIVE FOR DELETE USING (chronicle.holds(run, NULL, NULL))"),
	policy("host", "seen", "FOR SELECT USING (true)"),
	policy("host", "own", "USING (login = session_user)"),
	policy("host", "dead", "FOR DELETE USING (beat_at < now() - interval '1 day')"),
	policy("claim", "seen", "FOR SELECT USING (true)"),
	policy("claim", "added", "FOR INSERT WITH CHECK (true)"),
	policy("claim", "old", "FOR DELETE USING (at < now() - interval '1 minute')"),
].join("\n");

const roles = `
DO $$ DECLARE r text; BEGIN
	FOREACH r IN ARRAY ARRAY[${ROLES.map((name) => `'${name}'`).join(", ")}] LOOP
		IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = r) THEN EXECUTE format('CREATE ROLE %I NOLOGIN', r); END IF;
	END LOOP;
END $$;
`;

/** What the sender of a run sets. The rest follows: who it is, and what hosts do with it. */
const sentColumns = `id, project, queue, priority, provider, schema_version, head, head_parent, folder, conversations, holder, fence, parent,
	trees, child, schedule, ${foldedColumns.join(", ")}`;
const hostColumns = `fence, holder, job, job_queue, attempt, claimed_visit, provider, waits, needs, bound, suspect, head, head_parent, folder,
	trees, base, ceilings, leftovers, conversations`;
const sentSchedule = "id, project, queue, priority, cron, zone, branch, folder, overlap, template, task, start";

const grants = `
REVOKE ALL ON ALL TABLES IN SCHEMA chronicle, ${JOBS_SCHEMA} FROM ${all};
GRANT chronicle_submitter TO chronicle_operator;
GRANT USAGE ON SCHEMA chronicle, ${JOBS_SCHEMA} TO ${all};
GRANT SELECT ON ALL TABLES IN SCHEMA chronicle, ${JOBS_SCHEMA} TO ${all};
GRANT INSERT (${sentColumns}) ON chronicle.run TO chronicle_submitter, chronicle_worker;
${policy(
	"run",
	"added",
	`AS RESTRICTIVE FOR INSERT WITH CHECK (
	${isA("chronicle_worker")} AND (chronicle.takes_children(parent, project) OR chronicle.takes_scheduled(schedule, project, queue))
	OR ${isA("chronicle_submitter")} AND parent IS NULL AND schedule IS NULL AND trees IS NULL AND child IS NULL AND holder IS NULL
		AND fence = 0 AND seq = 1 AND split_part(queue, '/', 1) = project AND (priority <= 0 OR ${isA("chronicle_operator")}))`,
)}
GRANT INSERT ON chronicle.event TO chronicle_submitter, chronicle_worker;
GRANT INSERT (run, at, body, state, reason, done_at), DELETE ON chronicle.inbox TO chronicle_submitter, chronicle_worker;
${policy("inbox", "sent", "AS RESTRICTIVE FOR INSERT WITH CHECK (state IN ('waiting', 'refused'))")}
${policy("inbox", "withdrawn", `AS RESTRICTIVE FOR DELETE USING (posted_by = session_user AND state = 'waiting' OR ${isA("chronicle_worker")})`)}
GRANT INSERT (${sentSchedule}), DELETE ON chronicle.schedule TO chronicle_submitter;
${policy("schedule", "added", `AS RESTRICTIVE FOR INSERT WITH CHECK (split_part(queue, '/', 1) = project AND (priority <= 0 OR ${isA("chronicle_operator")}))`)}
${policy("schedule", "removed", `AS RESTRICTIVE FOR DELETE USING (submitted_by = session_user OR ${isA("chronicle_operator")})`)}
GRANT INSERT, UPDATE, DELETE ON ${JOBS_SCHEMA}.schedule TO chronicle_submitter;
ALTER TABLE ${JOBS_SCHEMA}.schedule ENABLE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS own ON ${JOBS_SCHEMA}.schedule;
CREATE POLICY own ON ${JOBS_SCHEMA}.schedule USING (${isA("chronicle_worker")} OR EXISTS (
	SELECT FROM chronicle.schedule s WHERE s.id::text = key AND name = s.project || '/.schedule'
		AND (s.submitted_by = session_user OR ${isA("chronicle_operator")})));
DROP POLICY IF EXISTS seen ON ${JOBS_SCHEMA}.schedule;
CREATE POLICY seen ON ${JOBS_SCHEMA}.schedule FOR SELECT USING (true);
GRANT UPDATE (last_run, skipped, note, handling, handled_at) ON chronicle.schedule TO chronicle_worker;
GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${JOBS_SCHEMA} TO chronicle_worker;
GRANT INSERT (id, name, pid, started, version, slots, projects, queues, labels, lease_ms), UPDATE (beat_at, draining, figures), DELETE
	ON chronicle.host TO chronicle_worker;
GRANT UPDATE (draining) ON chronicle.host TO chronicle_operator;
${policy("host", "drained", `FOR UPDATE USING (${isA("chronicle_operator")})`)}
GRANT UPDATE (${hostColumns}) ON chronicle.run TO chronicle_worker;
GRANT DELETE ON chronicle.snapshot TO chronicle_worker;
GRANT INSERT, DELETE ON chronicle.claim TO chronicle_worker;
GRANT UPDATE (state, reason, done_at) ON chronicle.inbox TO chronicle_worker;
GRANT INSERT, UPDATE, DELETE ON chronicle.channel TO chronicle_worker;
GRANT UPDATE (state, tries, answer, host, first, at, due_at) ON chronicle.notice TO chronicle_worker;
GRANT EXECUTE ON FUNCTION chronicle.append, chronicle.save_state TO chronicle_worker;
GRANT DELETE, UPDATE (priority) ON chronicle.run TO chronicle_operator;
GRANT INSERT, UPDATE, DELETE ON chronicle.quota TO chronicle_operator;
`;

/** Gives the roles their rights on every table; gives what could not be done, one sentence each. */
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
			`The roles ${ROLES.slice(0, -1).join(", ")} and ${ROLES.at(-1)} were not created (${message}): only this user can use the engine until a user who may create roles runs init.`,
		];
	}
}

/** Stands in the list of a login's roles for the owner of the tables, who may do everything. */
export const OWNER = "owner";

interface Login {
	readonly login: string;
	/** Those of the engine's roles that it has; only {@link OWNER}: it owns the tables. */
	readonly roles: readonly string[];
	readonly projects: readonly string[];
}

/** The login of the connection. */
export async function readLogin(database: Database): Promise<Login> {
	const { rows } = await database.query<Login & { readonly owns: boolean }>(
		`SELECT session_user AS login, ARRAY(
			SELECT rolname::text FROM pg_catalog.pg_roles WHERE rolname = ANY($1) AND pg_catalog.pg_has_role(current_user, oid, 'MEMBER')
			ORDER BY array_position($1, rolname::text)
		) AS roles, ARRAY(${GIVEN_PROJECTS} ORDER BY 1) AS projects, NOT row_security_active('chronicle.run') AS owns`,
		[ROLES],
	);
	const [{ login, roles, projects, owns } = { login: "", roles: [], projects: [], owns: false }] = rows;
	return { login, roles: owns ? [OWNER] : roles, projects };
}
