// What must hold once all runs of a chaos test are over: every transition once, every file once, every question answered once, and nothing is left behind.
import { deepEqual, equal, ok } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import type { LedgerEvent } from "@pi-chronicle/core/machine";
import { RunRefs } from "../../../pi-chronicle/src/local/remote/run-refs.ts";
import { treeRef } from "../../../pi-chronicle/src/local/remote/run-snapshot.ts";
import { patient } from "../../../pi-chronicle/test/harness/patience.ts";
import { treesIn } from "../../src/publishing.ts";
import { storeOf } from "../open-engine.ts";
import { hostNames } from "./schedule.ts";
import type { Users } from "./users.ts";
import type { World } from "./world.ts";

interface RunRow {
	readonly id: string;
	readonly parent: string | null;
	readonly trees: string;
	readonly status: string;
	readonly seq: number;
	readonly fence: number;
}

function git({ remote }: World, ...args: string[]): string {
	return spawnSync("git", ["--git-dir", remote, ...args], { encoding: "utf8" }).stdout;
}

async function eventsOf({ database }: World, run: string): Promise<LedgerEvent[]> {
	const { rows } = await database.query<{ body: string }>(
		"SELECT body FROM chronicle.event WHERE run = $1 ORDER BY seq",
		[run],
	);
	return rows.map(({ body }) => JSON.parse(body) as LedgerEvent);
}

/** Checks every run of the engine. */
export async function inspectRuns(
	world: World,
	users: Users,
): Promise<{ readonly runs: number; readonly events: number; readonly takeovers: number }> {
	const { rows } = await world.database.query<RunRow>(
		"SELECT id::text, parent::text, COALESCE(trees, id)::text AS trees, status, seq, fence FROM chronicle.run ORDER BY id",
	);
	const figures = { runs: rows.length, events: 0, takeovers: 0 };
	for (const row of rows) {
		const events = await eventsOf(world, row.id);
		figures.events += events.length;
		figures.takeovers += events.filter(
			(event) => event.kind === "worker_ended" && event.outcome.kind === "lost",
		).length;
		await inspectRun(world, users, row, events);
	}
	await inspectCommands(world, users);
	return figures;
}

async function inspectRun(world: World, users: Users, row: RunRow, events: readonly LedgerEvent[]): Promise<void> {
	const about = `run ${row.id}`;
	deepEqual(
		events.map(({ seq }) => seq),
		events.map((_, index) => index + 1),
		about,
	);
	equal(row.seq, events.length, about);
	const isAborted = users.aborted.has(row.parent ?? row.id) && row.status === "aborted";
	ok(isAborted || row.status === "done", `${about} is ${row.status}`);
	const moves = events.flatMap((event) => (event.kind === "moved" ? [`${event.from} > ${event.to}`] : []));
	const wanted = row.parent === null ? ["plan > build", "build > check", "check > done"] : ["make > done"];
	deepEqual(moves, isAborted ? wanted.slice(0, moves.length) : wanted, about);
	inspectAnswers(about, events);
	inspectChildren(about, events);
	for (const tree of new Set(events.flatMap(treesIn)))
		equal(
			spawnSync("git", ["--git-dir", world.remote, "cat-file", "-e", treeRef(row.trees, tree)]).status,
			0,
			`${about}: ${tree}`,
		);
	if (row.parent === null && !isAborted) await inspectFiles(world, row.id);
}

/** Each question was answered once, by an answer to it. */
function inspectAnswers(about: string, events: readonly LedgerEvent[]): void {
	const answers = events.flatMap((event) =>
		event.kind === "approved" || event.kind === "rejected" ? [event.answers] : [],
	);
	equal(new Set(answers).size, answers.length, `${about}: a question was answered twice`);
	const tells = events.flatMap((event) => (event.kind === "told" ? [event.text] : []));
	equal(new Set(tells).size, tells.length, `${about}: a message was recorded twice`);
}

/** Each child began once, ended once, and was joined once. */
function inspectChildren(about: string, events: readonly LedgerEvent[]): void {
	const ended = events.flatMap((event) => (event.kind === "child_ended" ? [event.child] : []));
	equal(new Set(ended).size, ended.length, `${about}: a child ended twice`);
	ok(events.filter(({ kind }) => kind === "join_applied").length <= 1, `${about}: joined twice`);
	ok(events.filter(({ kind }) => kind === "children_planned").length <= 1, `${about}: planned twice`);
}

const wantedFiles = { "log.txt": "begun\nplan\ncheck\n", "one.txt": "make\n", "two.txt": "make\n" };

/** The run's branch has every line of every file once, soon. */
async function inspectFiles(world: World, run: string): Promise<void> {
	const branch = `refs/heads/chronicle/${run}`;
	const look = (): Record<string, string> =>
		Object.fromEntries(
			git(world, "ls-tree", "--name-only", branch)
				.split("\n")
				.filter(Boolean)
				.map((name) => [name, git(world, "show", `${branch}:${name}`)]),
		);
	let found = look();
	for (
		const end = Date.now() + patient(10_000);
		JSON.stringify(found) !== JSON.stringify(wantedFiles) && Date.now() < end;
		found = look()
	)
		await sleep(200);
	deepEqual(found, wantedFiles, `the files of run ${run}`);
}

/** The result of each command that a user was shown agrees with what was recorded. */
async function inspectCommands(world: World, users: Users): Promise<void> {
	const answers = new Map<string, number>();
	for (const { run, event, post, tries } of users.given) {
		const state = await post.state();
		ok(state.kind !== "waiting", `The command ${JSON.stringify(event)} for ${run} waits for ever.`);
		if (state.kind !== "taken") continue;
		const events = await eventsOf(world, run);
		if ("answers" in event) {
			const key = `${run} ${event.answers}`;
			answers.set(key, (answers.get(key) ?? 0) + 1);
			ok(
				events.some((one) => one.kind === event.kind && "answers" in one && one.answers === event.answers),
				`${key}: taken and not recorded`,
			);
		}
		if (event.kind === "told") {
			const count = events.filter((one) => one.kind === "told" && one.text === event.text).length;
			ok(
				count === 1 || (count > 1 && count <= tries),
				`"${event.text}" was recorded ${count} times after ${tries} tries`,
			);
		}
	}
	for (const [key, count] of answers) equal(count, 1, `${key}: ${count} answers were taken`);
}

const leftText = `
SELECT 'holder' AS what, id::text FROM chronicle.run WHERE holder IS NOT NULL
UNION ALL SELECT 'job of', id::text FROM chronicle.run WHERE job IS NOT NULL
UNION ALL SELECT 'queued job', data::text FROM chronicle_jobs.job WHERE state IN ('created', 'retry', 'active') AND data->>'run' IS NOT NULL
UNION ALL SELECT 'command', id::text FROM chronicle.inbox WHERE state = 'waiting'
UNION ALL SELECT 'snapshot', run::text FROM chronicle.snapshot
UNION ALL SELECT 'open transaction', query FROM pg_stat_activity WHERE state LIKE 'idle in transaction%' AND state_change < now() - interval '1 minute'`;

/** The database has nothing left that a host or a user would have to handle. */
export async function inspectDatabase({ database }: World): Promise<void> {
	const look = async () => (await database.query<{ what: string; id: string }>(leftText)).rows;
	let left = await look();
	for (const end = Date.now() + patient(20_000); left.length > 0 && Date.now() < end; left = await look())
		await sleep(200);
	deepEqual(left, []);
}

/** After hosts were started once more and drained, they keep nothing of runs; after the runs were removed, the remote and the database do not either. */
export async function inspectRest(world: World): Promise<void> {
	const { database, remote, cwd, root } = world;
	const look = () => hostNames.flatMap((name) => world.keptBy(name).map((one) => `${name}/${one}`));
	let left = look();
	for (const end = Date.now() + patient(20_000); left.length > 0 && Date.now() < end; left = look()) await sleep(200);
	deepEqual(left, [], "kept by hosts");
	const store = storeOf(database, "held", { folderOf: (run) => `${root}/users/${run}` });
	const { rows } = await database.query<{ id: string }>("SELECT id::text FROM chronicle.run WHERE parent IS NULL");
	for (const { id } of rows)
		for (const one of (await store.family(id)).toReversed()) {
			const removed = await store.remove(one.id);
			ok(removed.ok, JSON.stringify(removed));
			await new RunRefs({ run: one.id, remote, store: `${cwd}/.git`, cwd }).collect();
		}
	equal(git(world, "for-each-ref", "--format=%(refname)"), "refs/heads/main\n");
	for (const table of ["run", "event", "inbox", "snapshot"])
		equal((await database.query(`SELECT FROM chronicle.${table}`)).count, 0, table);
}
