// From a user's approval on another machine, 30 ms a round trip from the database, to the first request of the next worker: real pi, a host as a process of
// its own. Needs Postgres.

import { call, openModelServer, say } from "../packages/pi-chronicle/test/harness/index.ts";
import { startPostgres } from "../packages/pi-chronicle/test/harness/postgres.ts";
import stage from "../packages/pi-chronicle/test/harness/stage.ts";
import { connect } from "../packages/postgres/test/connect.ts";
import { openEngineStage } from "../packages/postgres/test/engine-stage.ts";
import { openLink } from "../packages/postgres/test/link.ts";
import { storeOf } from "../packages/postgres/test/open-engine.ts";
import { type Figures, median } from "./figure.ts";
import { playBarePi } from "./play.ts";

/** Milliseconds each way. */
const farMs = 15;
const approvals = 4;

const definition = {
	name: "Bench",
	limits: { moves: 100, pair_moves: 100 },
	states: {
		a: { persona: "A", next: ["b"], requires_approval: true },
		b: { persona: "B", next: ["a"], requires_approval: true },
	},
};

export async function bench(): Promise<Figures> {
	const unstage = stage({ onTestsRerun() {} } as never);
	const asked: number[] = [];
	const server = await openModelServer(({ users }) => {
		const [, state] = /the state "(\w+)"/.exec(users[0] ?? "") ?? [];
		asked.push(performance.now());
		if (state === undefined) return say("Something.");
		return call("workflow_transition", { target_state: state === "a" ? "b" : "a", summary: "On." });
	});
	const engine = await openEngineStage(server, {
		lease: 8,
		cluster: await startPostgres({ fsync: true }),
		files: { ".pi/chronicle/workflows/bench.json": definition },
	});
	const far = await openLink(engine.cluster.url, farMs);
	const database = await connect(far.url);
	const store = storeOf(database, "held");
	engine.host("a");
	engine.host("b");
	const submitted = await engine.cli(["run", "--json", "--model", "scripted/one", "bench", "Do it"]);
	const { id } = JSON.parse(submitted.stdout) as { id: string };
	const times: number[] = [];
	const commands: number[] = [];
	const bare: number[] = [];
	for (let n = 0; n < 2 * approvals; n += 1) {
		await engine.until(id, ({ status, holder }) => status === "awaiting_approval" && holder === null);
		bare.push(await playBarePi(engine.project));
		const before = asked.length;
		const began = performance.now();
		if (n % 2 === 0) {
			const read = await store.read(id);
			if (!read.ok || read.value.run.stage.kind !== "asking") throw new Error("The run does not ask.");
			const { seq, diff } = read.value.run.stage.question;
			const posted = await store.post(id, { kind: "approved", answers: seq, diff });
			if (!posted.ok) throw new Error(posted.failure.message);
		} else await engine.cli(["approve", id], { PI_CHRONICLE_ENGINE: far.url });
		while (asked.length === before) await new Promise((resolve) => setTimeout(resolve, 1));
		(n % 2 === 0 ? times : commands).push((asked[before] ?? 0) - began);
	}
	unstage();
	return {
		name: "approve",
		rows: [
			{
				figure: "from an approval elsewhere to the next worker's request",
				value: median(times),
				unit: "ms",
				must: { most: 1000 },
			},
			{ figure: "a bare pi from its start to its request, and its end", value: median(bare), unit: "ms" },
			{ figure: "the same, from the start of the command approve", value: median(commands), unit: "ms" },
		],
		how: `Medians of ${approvals} approvals each by a user's machine at ${2 * farMs} ms a round trip, in turns; two hosts beside the database.`,
	};
}
