// An engine on paper: what many hosts and many runs ask of its Postgres, by measured unit costs. `node bench/engine-scale.ts [hosts] [runs]` fills a
// database of its own with `runs` runs (default 100,000), of which one in a hundred is held, measures the statements of hosts on it, and prints
// statements, rows, bytes and what breaks first for `hosts` hosts (default 1,000) and a million runs.
import { availableParallelism } from "node:os";
import type { Database } from "@pi-chronicle/postgres";
import { endFile } from "../packages/pi-chronicle/test/harness/lifetime.ts";
import { startPostgres } from "../packages/pi-chronicle/test/harness/postgres.ts";
import { openEngine } from "../packages/postgres/test/open-engine.ts";
import { median } from "./figure.ts";

const [hostCount = 1000, filled = 100_000] = process.argv.slice(2).map(Number);
const runCount = 1_000_000;
const slots = 8;
/** What a run is assumed to do: states, the events of one, and the seconds that a state takes. */
const assumed = { states: 5, events: 25, eventBytes: 350, bodyBytes: 4000, secondsPerState: 120 } as const;
/** Seconds between statements of an idle host: renewal of its lease, a look for jobs (and for jobs that were given up), a search for dead hosts. */
const every = { beat: 8 / 3, poll: 5, reap: 1 } as const;
/** Hosts that look when a job is sent. */
const lookers = 8;
const connectionsPerHost = 3;
const megabytesPerConnection = 6;

async function fill(database: Database): Promise<void> {
	await database.query(
		`INSERT INTO chronicle.host (id, name, pid, started, version, slots, lease_ms, beat_at)
		SELECT ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, 'host ' || n, n, '', '', $2::int, 8000, now() + interval '1 hour'
		FROM generate_series(1, $1::int) n`,
		[hostCount, slots],
	);
	const step = 20_000;
	for (let from = 1; from <= filled; from += step) {
		await database.query(
			`INSERT INTO chronicle.run (id, project, queue, schema_version, seq, fence, holder, visit, parked, template, task, status, state,
				updated_at, cost_usd, tokens)
			SELECT ('10000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, 'app', 'app/runs', 1, 1, 1,
				CASE WHEN n % 100 = 0 THEN ('00000000-0000-4000-8000-' || lpad((1 + n / 100 % $3::int)::text, 12, '0'))::uuid END,
				1, true, 't', 'Do it', CASE WHEN n % 100 = 0 THEN 'running' ELSE 'awaiting_approval' END, 'a',
				to_char(now(), 'YYYY-MM-DD') || lpad(n::text, 12, '0'), 0, 0
			FROM generate_series($1::int, $2::int) n`,
			[from, Math.min(from + step - 1, filled), hostCount],
		);
		await database.query(
			`INSERT INTO chronicle.state (run, seq, body)
			SELECT ('10000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, 1,
				(SELECT string_agg(md5(n::text || i::text), '') FROM generate_series(1, $3::int) i)
			FROM generate_series($1::int, $2::int) n`,
			[from, Math.min(from + step - 1, filled), Math.ceil(assumed.bodyBytes / 32)],
		);
	}
	await database.query(
		`INSERT INTO chronicle.event (run, seq, body)
		SELECT ('10000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, s, repeat('x', $1::int)
		FROM generate_series(1, 1000) n, generate_series(1, $2::int) s`,
		[assumed.eventBytes, assumed.states * assumed.events],
	);
	await database.query("ANALYZE");
}

async function time(database: Database, text: string, values: readonly unknown[] = []): Promise<number> {
	const times: number[] = [];
	for (let n = 0; n < 9; n += 1) {
		const began = performance.now();
		await database.query(text, values);
		times.push(performance.now() - began);
	}
	return median(times);
}

async function bytesOf(database: Database, table: string): Promise<number> {
	const { rows } = await database.query<{ bytes: string }>("SELECT pg_total_relation_size($1::regclass) AS bytes", [
		table,
	]);
	return Number(rows[0]?.bytes ?? 0);
}

async function simulate(): Promise<void> {
	const { database } = await openEngine(await startPostgres({ fsync: true }));

	const began = performance.now();
	await fill(database);
	const fillSeconds = (performance.now() - began) / 1000;
	const host = "00000000-0000-4000-8000-000000000001";
	const held = "10000000-0000-4000-8000-000000000100";
	const ms = {
		beat: await time(
			database,
			`UPDATE chronicle.host h SET beat_at = beat_at WHERE id = $1 RETURNING draining, ARRAY(
			SELECT DISTINCT i.run::text FROM chronicle.run r JOIN chronicle.inbox i ON i.run = r.id AND i.state = 'waiting' WHERE r.holder = h.id),
			(SELECT count(*) FROM chronicle.host WHERE beat_at > now())`,
			[host],
		),
		reap: await time(
			database,
			`SELECT r.id FROM chronicle.run r LEFT JOIN chronicle.host h ON h.id = r.holder
		WHERE r.holder IS NOT NULL AND (h.id IS NULL OR h.beat_at < now() - h.lease_ms * interval '1 millisecond') LIMIT 50`,
		),
		poll: await time(
			database,
			"SELECT id FROM chronicle_jobs.job WHERE name = 'app/runs' AND state < 'active' ORDER BY priority DESC, created_on LIMIT 1",
		),
		append: await time(database, "UPDATE chronicle.run SET seq = seq, status = status WHERE id = $1", [held]),
		list: await time(
			database,
			"SELECT id, status, task FROM chronicle.run WHERE project = 'app' ORDER BY updated_hour DESC, updated_at DESC, id DESC",
		),
		find: await time(
			database,
			"SELECT id FROM chronicle.run WHERE project = 'app' AND id::text LIKE '10000000-0000-4000-8000-000000000100%' LIMIT 100",
		),
	};
	const bytes = {
		run: ((await bytesOf(database, "chronicle.run")) + (await bytesOf(database, "chronicle.state"))) / filled,
		event: (await bytesOf(database, "chronicle.event")) / (1000 * assumed.states * assumed.events),
	};
	await database.close();
	await endFile();

	const busy = Math.min(hostCount * slots, runCount);
	const statesPerSecond = busy / assumed.secondsPerState;
	const perSecond = {
		"leases (1 statement each 2.7 s and host)": hostCount / every.beat,
		"looks for jobs (2 transactions, 7 statements, each 5 s and host)": (hostCount * 7) / every.poll,
		"searches for dead hosts (3 statements a second, all hosts together)": 3 / every.reap,
		"appends of events": statesPerSecond * assumed.events,
		"jobs sent, taken and settled (about 12 statements)": (statesPerSecond / assumed.states) * 2 * 12,
		"looks after a notification (4 statements by 8 hosts)": (statesPerSecond / assumed.states) * 2 * lookers * 4,
	};
	const load =
		(hostCount / every.beat) * ms.beat +
		((hostCount * 2) / every.poll) * ms.poll +
		ms.reap / every.reap +
		statesPerSecond * assumed.events * ms.append;
	const connections = hostCount * connectionsPerHost;
	const totalBytes = runCount * (bytes.run + bytes.event * assumed.states * assumed.events);
	const gigabytes = (value: number): string => `${(value / 1e9).toFixed(1)} GB`;
	const lines = [
		`${hostCount} hosts with ${slots} slots, ${runCount} runs; unit costs measured with ${filled} runs in the database (filled in ${fillSeconds.toFixed(0)} s, ${availableParallelism()} cores)`,
		"",
		"statements per second",
		...Object.entries(perSecond).map(([what, count]) => `  ${Math.round(count).toString().padStart(7)}  ${what}`),
		`  ${Math.round(Object.values(perSecond).reduce((sum, count) => sum + count, 0))
			.toString()
			.padStart(7)}  together, ${Math.round(statesPerSecond)} states a second`,
		"milliseconds of a statement, as its client sees it",
		...Object.entries(ms).map(([what, value]) => `  ${value.toFixed(2).padStart(9)}  ${what}`),
		"rows and bytes",
		`  ${Math.round(bytes.run)} bytes a run, ${Math.round(bytes.event)} an event; ${runCount * assumed.states * assumed.events} events`,
		`  ${gigabytes(totalBytes)} together`,
		"what breaks first",
		`  ${connections} connections, about ${gigabytes(connections * megabytesPerConnection * 1e6)} of memory at the server (Postgres allows 100 by default)`,
		`  ${(load / 1000).toFixed(1)} sessions busy on average, with waiting for the disk`,
		`  list reads every run of a project: ${((ms.list * runCount) / filled / 1000).toFixed(1)} s for all of them in one`,
	];
	console.log(lines.join("\n"));
}

await simulate();
