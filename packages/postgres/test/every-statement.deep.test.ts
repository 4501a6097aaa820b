// The connection to the database is lost at every statement of a host that does a run with an approval and a child, before the statement is done or
// after it: the run ends as without that, and no attempt is lost. A deep run plays a sample of the cases; `STATEMENTS` has the numbers
// of some, or is `all`.
import { setTimeout as sleep } from "node:timers/promises";
import type { LedgerEvent } from "@pi-chronicle/core/machine";
import { describe, expect, it } from "vitest";
import { patient, within } from "../../pi-chronicle/test/harness/patience.ts";
import { needsPostgres } from "../../pi-chronicle/test/harness/postgres.ts";
import type { Play } from "../../pi-chronicle/test/local/supervisor/scripted-launcher.ts";
import { type HostStage, openHostStage } from "./host-stage.ts";
import { openStatementCutter } from "./statement-cutter.ts";

const definition = {
	name: "T",
	states: {
		a: { persona: "A", requires_approval: true, next: ["b"] },
		b: { branches: { one: { persona: "B", next: ["done"] } }, next: ["c"] },
		c: { persona: "C", next: ["done"] },
	},
};

/** Of this many statements one is lost, another one in each case. */
const stride = 41;

/** All cases, some of them by their numbers, or a sample of cases far apart. */
function chooseCases(which: string | undefined): readonly number[] {
	if (which === "all") return Array.from({ length: stride }, (_, n) => n);
	if (which !== undefined) return which.split(",").map(Number);
	return [0, 14, 28].map((n) => (Date.now() + n) % stride);
}
const cases = chooseCases(process.env.STATEMENTS);

const play: Play = async (host, { targets }, ended) => {
	host.report({ kind: "tool_started", call: "1", tool: "bash", args: "" });
	await sleep(20);
	host.report({ kind: "tool_ended", call: "1", tool: "bash", ms: 1, bytes: 1, hash: "0".repeat(16) });
	await host.requestMove(targets.find((name) => name !== "human_intervention") ?? "", "on");
	await ended;
};

const nameOf = (when: string, n: number): string => `${when}-${n}`;

/** Answers the run's question, and gives its events when it is over. */
async function finish({ database, store }: HostStage, project: string): Promise<LedgerEvent[]> {
	const own = store(project);
	let seen = "";
	for (let changedAt = Date.now(); ; await sleep(100)) {
		const { rows } = await database.query<{ id: string; status: string; holder: string | null }>(
			`SELECT id::text, status, holder::text, seq, fence, job::text FROM chronicle.run WHERE project = $1
			ORDER BY parent IS NOT NULL`,
			[project],
		);
		const [row] = rows;
		const now = JSON.stringify(rows);
		if (now !== seen) changedAt = Date.now();
		seen = now;
		if (!row || Date.now() - changedAt > patient(60_000)) throw new Error(`${project} waits for ever: ${now}`);
		const read = await own.read(row.id);
		if (!read.ok) throw new Error(read.failure.message);
		const { run } = read.value;
		if (run.stage.kind === "asking" && row.holder === null) {
			const { seq, diff } = run.stage.question;
			await own.post(row.id, { kind: "approved", answers: seq, diff });
			await sleep(200);
		}
		if (run.stage.kind === "waiting") throw new Error(`${project}: parked, ${run.hold?.detail}`);
		if (run.stage.kind !== "over" || row.holder !== null) continue;
		const events: LedgerEvent[] = [];
		for await (const event of read.value.events()) events.push(event);
		return events;
	}
}

describe("a host that loses its connection", needsPostgres, () => {
	it.each(["before", "after"] as const)(
		"%s each statement in turn does the run as without that",
		{ timeout: patient(30_000) * cases.length + patient(120_000) },
		async (when) => {
			const stage = await openHostStage(cases.map((n) => nameOf(when, n)));
			const lost = new Set<string>();
			const playCase = async (n: number): Promise<void> => {
				const project = nameOf(when, n);
				const cutter = await openStatementCutter(stage.cluster.url, when, (count) => count % stride === n);
				const host = await stage.host(project, {
					url: cutter.url,
					projects: [project],
					// On a busy machine a lease must not expire: that would cost an attempt.
					leaseMs: within(8000),
					play: () => Array.from({ length: 20 }, () => play),
				});
				const registered = () => stage.database.query("SELECT FROM chronicle.host WHERE id = $1", [host.id]);
				await expect.poll(async () => (await registered()).count, { timeout: patient(20_000) }).toBe(1);
				await stage.submit(n + 1, { project, definition });
				cutter.arm();
				const events = await finish(stage, project).catch((error: Error) => {
					const texts = cutter.lost.map((text) => text.slice(0, 150));
					throw new Error([error.message, ...host.log, ...texts].join("\n"));
				});
				cutter.disarm();
				for (const text of cutter.lost) lost.add(text);
				const moves = events.flatMap((event) => (event.kind === "moved" ? [event.to] : []));
				expect(moves, project).toEqual(["b", "c", "done"]);
				const kinds = events.map(({ kind }) => kind);
				for (const kind of ["approved", "children_planned", "child_ended", "join_applied"])
					expect(
						kinds.filter((one) => one === kind),
						`${project} ${kind}`,
					).toHaveLength(1);
				const repeated = events.filter((event) => event.kind === "attempt_reserved" && event.attempt > 1);
				expect(repeated, `${project}\n${host.log.join("\n")}`).toEqual([]);
				await host.stop();
			};
			const rest = [...cases];
			const failed: string[] = [];
			while (rest.length > 0) {
				const ended = await Promise.allSettled(rest.splice(0, 4).map(playCase));
				for (const one of ended) if (one.status === "rejected") failed.push((one.reason as Error).message);
			}
			expect(failed).toEqual([]);
			expect(lost.size).toBeGreaterThan(Math.min(cases.length, 20));
		},
	);
});
