// The same run in files and in Postgres: equal events except for host and time.
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { awaitedAnswer, type LedgerEvent, type UserEvent } from "@pi-chronicle/core/machine";
import type { LedgerStore } from "@pi-chronicle/core/ports";
import { beforeAll, describe, expect, it } from "vitest";
import { openFileStore } from "../../pi-chronicle/src/local/ledger/index.ts";
import { supervise } from "../../pi-chronicle/src/local/supervisor/index.ts";
import { openFolder } from "../../pi-chronicle/test/harness/folder.ts";
import { needsPostgres } from "../../pi-chronicle/test/harness/postgres.ts";
import { created, value } from "../../pi-chronicle/test/local/ledger/sample-events.ts";
import { moveTo } from "../../pi-chronicle/test/local/supervisor/scripted-launcher.ts";
import { openStage } from "../../pi-chronicle/test/local/supervisor/stage.ts";
import { openEngine, storeOf } from "./open-engine.ts";

const definition = {
	name: "T",
	states: {
		a: { persona: "A", next: ["b"], requires_approval: true },
		b: { persona: "B", next: ["done"] },
		done: { next: [] },
	},
};

/** A run that is approved by another supervision than the one that began it. */
async function play(store: LedgerStore): Promise<object[]> {
	const id = randomUUID();
	const first = value(await store.create(created({ id, definition })));
	const begun = openStage([moveTo("b")]);
	await supervise(first, begun.ports, "fresh").ended;
	const second = value(await store.open(id));
	const rest = openStage([moveTo("done")], [{ kind: "approved" }]);
	await supervise(second, { ...rest.ports, workspace: begun.ports.workspace }, "reopened").ended;
	const events: object[] = [];
	for await (const event of value(await store.read(id)).events()) events.push(stripped(event, id));
	return events;
}

/** The event without what differs between hosts and moments. */
function stripped(event: LedgerEvent, run: string): object {
	const { at: _at, fence: _fence, ...rest } = event as LedgerEvent & { fence?: number };
	return JSON.parse(
		JSON.stringify(rest, (key, value) => (["pid", "host", "started"].includes(key) ? "-" : value)).replaceAll(
			run,
			"run",
		),
	);
}

describe("a run on an engine", needsPostgres, () => {
	let engine: LedgerStore;
	let folder: string;
	beforeAll(async () => {
		const { database } = await openEngine();
		folder = openFolder();
		engine = storeOf(database, "held", { folderOf: (run) => join(folder, run) });
	});

	it("has the events that it has on one machine, with the login that has sent it", async () => {
		const files = openFileStore({ sessions: join(folder, "sessions"), clock: Date });
		const here = await play(files);
		expect(here.at(-1)).toMatchObject({ kind: "finished" });
		const [first, ...rest] = await play(engine);
		const { by, ...created } = first as { readonly by?: string };
		expect(by).toBe("postgres");
		expect([created, ...rest]).toEqual(here);
	});

	it("takes the first of two answers, and refuses the second when it is posted", async () => {
		const id = randomUUID();
		const { ports } = openStage([moveTo("b")]);
		await supervise(value(await engine.create(created({ id, definition }))), ports, "fresh").ended;
		const { run } = value(await engine.read(id));
		const answers = awaitedAnswer(run) ?? 0;
		const rejected = { kind: "rejected", answers, words: "No." } as const;
		const post = async (event: UserEvent) => value(await engine.post(id, event)).state();
		expect(await post({ ...rejected, answers: answers - 1 })).toMatchObject({ kind: "refused" });
		const states = await Promise.all([post(rejected), post({ ...rejected, words: "No!" })]);
		expect(states.map(({ kind }) => kind).sort()).toEqual(["refused", "waiting"]);
		expect(JSON.stringify(states)).toContain("Another answer came first (rejected by ");
		expect(await post({ kind: "told", text: "Hello." })).toEqual({ kind: "waiting" });
	});
});
