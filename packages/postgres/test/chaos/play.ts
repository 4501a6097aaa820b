// Plays a chaos schedule: three hosts, runs with children and approvals, and everything that can happen to them, until all runs are over.
import { deepEqual, equal } from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { patient } from "../../../pi-chronicle/test/harness/patience.ts";
import type { Database } from "../../src/index.ts";
import { inspectDatabase, inspectRest, inspectRuns } from "./inspect.ts";
import { type ChaosEvent, hostNames, makeSchedule } from "./schedule.ts";
import { Users } from "./users.ts";
import { openWorld, type World } from "./world.ts";

export interface ChaosFigures {
	readonly seed: number;
	readonly events: number;
	/** Of all runs together, children too. */
	readonly runs: number;
	readonly ledgerEvents: number;
	/** Attempts that were lost with a host or its lease. */
	readonly lostAttempts: number;
	readonly commands: number;
	/** Runs that were parked and had to be resumed by a user. */
	readonly parked: number;
	readonly seconds: number;
}

export interface ChaosOptions {
	readonly runs: number;
	/** How many events the schedule has. */
	readonly count: number;
	/** Milliseconds that a step of a worker takes, at most: long enough that faults meet runs at work. */
	readonly workMs: number;
	readonly tell?: (text: string) => void;
}

const leaseMs = 3000;

/** Plays the schedule of a seed; throws what does not hold, with the seed. */
export async function playChaos(
	seed: number,
	{ runs, count, workMs, tell = () => {} }: ChaosOptions,
): Promise<ChaosFigures> {
	const began = performance.now();
	const schedule = makeSchedule(seed, { runs, count, leaseMs });
	const world = await openWorld({ leaseMs, slots: 4, workMs });
	const users = new Users(world, schedule);
	const story: string[] = [];
	const note = (what: string): void => {
		const line = `${((performance.now() - began) / 1000).toFixed(1)} s ${what}`;
		story.push(line);
		tell(line);
	};
	let isOver = false;
	const answering = (async () => {
		for (; !isOver; await sleep(150)) await users.answerAll().catch(() => {});
	})();
	try {
		const submitting = submitAll(users, schedule.events, runs);
		await playAll(world, users, schedule.events, note);
		await submitting;
		note("the last event is over");
		await untilOver(world, runs);
		isOver = true;
		await answering;
		deepEqual(world.faults, []);
		await inspectDatabase(world);
		const inspected = await inspectRuns(world, users);
		deepEqual(users.parked, [], "runs were parked");
		// What hosts did not get to is removed when they start.
		for (const name of hostNames) equal(await world.hosts.get(name)?.drain(), 0, world.hosts.get(name)?.log());
		for (const name of hostNames) world.hosts.get(name)?.start();
		await inspectRest(world);
		return {
			...{
				seed,
				events: count,
				runs: inspected.runs,
				ledgerEvents: inspected.events,
				lostAttempts: inspected.takeovers,
			},
			...{
				commands: users.given.length,
				parked: users.parked.length,
				seconds: Math.round((performance.now() - began) / 1000),
			},
		};
	} catch (error) {
		const logs = [...world.hosts].map(([name, host]) => `── host ${name}\n${host.log()}`);
		throw new Error(
			`Seed ${seed} (CHAOS_SEED=${seed}): ${(error as Error).message}\n${story.slice(-25).join("\n")}\n${logs.join("\n")}`,
			{
				cause: error,
			},
		);
	} finally {
		isOver = true;
	}
}

/** Submits the runs over the first two thirds of the schedule. */
async function submitAll(users: Users, events: readonly ChaosEvent[], runs: number): Promise<void> {
	const allMs = events.reduce((sum, { afterMs }) => sum + afterMs, 0);
	for (let n = 0; n < runs; n += 1) {
		await users.submit(n);
		await sleep((allMs * 2) / 3 / runs);
	}
}

/** Lets all events begin at their times; resolves once all are over. */
async function playAll(
	world: World,
	users: Users,
	events: readonly ChaosEvent[],
	note: (what: string) => void,
): Promise<void> {
	const over: Promise<void>[] = [];
	for (const { afterMs, what } of events) {
		await sleep(afterMs);
		note(JSON.stringify(what));
		over.push("run" in what ? users.command(what) : world.meet(what));
	}
	await Promise.all(over);
}

async function lastEvents(database: Database, row: object | undefined): Promise<string> {
	const { rows } = await database.query<{ body: string }>(
		"SELECT body FROM chronicle.event WHERE run = $1 ORDER BY seq DESC LIMIT 12",
		[(row as { readonly id?: string } | undefined)?.id],
	);
	return rows.map(({ body }) => body.slice(0, 500)).join("\n");
}

/** Resolves once every run is over. Throws when none gets further any more. */
async function untilOver({ database }: World, runs: number): Promise<void> {
	const open = `SELECT id::text, status, state, holder::text, job::text, waits, parent::text FROM chronicle.run
		WHERE status NOT IN ('done', 'failed', 'aborted') OR holder IS NOT NULL OR job IS NOT NULL`;
	const progress = `SELECT sum(seq + fence)::text || count(*) FILTER (WHERE holder IS NULL AND job IS NULL)::text AS mark,
		count(*) FILTER (WHERE parent IS NULL)::int AS runs FROM chronicle.run`;
	let mark: string | undefined;
	for (let changedAt = Date.now(); ; await sleep(250)) {
		const { rows } = await database.query(open);
		const [now] = (await database.query<{ mark: string; runs: number }>(progress)).rows;
		if (rows.length === 0 && now?.runs === runs) return;
		if (now?.mark !== mark) {
			mark = now?.mark;
			changedAt = Date.now();
		}
		if (Date.now() - changedAt > patient(60_000))
			throw new Error(
				`These wait for ever: ${JSON.stringify(rows)} (${now?.runs} of ${runs})\n${await lastEvents(database, rows[0])}`,
			);
	}
}
