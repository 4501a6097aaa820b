// What a worker asks of its supervisor: questions to the user, moves and data, each recorded and answered.

import type { MoveReply, WorkerAnswer, WorkerHost, WorkerQuestion } from "@pi-chronicle/core/ports";
import { describe, expect, it } from "vitest";
import { supervise } from "../../../src/local/supervisor/index.ts";
import { openStage } from "./stage.ts";

const states = { a: { persona: "A", next: ["done"] } };

/** A run whose worker does this and then moves; `answer`: what the user says to questions. */
async function during(act: (host: WorkerHost) => Promise<void>, answer: WorkerAnswer = { kind: "undecided" }) {
	const stage = openStage([
		async (host, _order, ended) => {
			await act(host);
			await host.requestMove("done", "done");
			await ended;
		},
	]);
	const approver = { ...stage.ports.approver, answer: async () => answer };
	const ledger = await stage.create({ name: "t", states });
	const { run } = await supervise(ledger, { ...stage.ports, approver }, "fresh").ended;
	expect(run.status).toBe("done");
	return { run, events: await stage.events(run.id) };
}

describe("a worker's question", () => {
	it.each<[question: WorkerQuestion, title: string, text: string]>([
		[{ kind: "confirm", title: "T", text: "Sure?" }, "T", "Sure?"],
		[{ kind: "choose", title: "T", options: ["a", "b"] }, "T", "a | b"],
		[{ kind: "input", title: "T", placeholder: "P" }, "T", "P"],
		[{ kind: "input", title: "T" }, "T", ""],
		[{ kind: "confirm", title: "t".repeat(400), text: "x".repeat(4000) }, "t".repeat(400), "x".repeat(4000)],
		[
			{ kind: "confirm", title: "t".repeat(401), text: "x".repeat(4001) },
			`${"t".repeat(397)}…`,
			`${"x".repeat(3997)}…`,
		],
	])("%o is recorded", async (question, title, text) => {
		const { events } = await during(async (host) => void (await host.ask(question)));
		expect(events.filter(({ kind }) => kind === "ask_opened")).toMatchObject([{ title, text }]);
	});

	it.each<[answer: WorkerAnswer, verdict: string]>([
		[{ kind: "confirmed" }, "allowed"],
		[{ kind: "denied" }, "denied"],
		[{ kind: "text", text: "x" }, "answered"],
		[{ kind: "undecided" }, "unanswered"],
	])("that is answered with %o is recorded as %s, and closed", async (answer, verdict) => {
		let given: WorkerAnswer | undefined;
		const { events, run } = await during(async (host) => {
			given = await host.ask({ kind: "confirm", title: "T", text: "" });
		}, answer);
		const opened = events.find(({ kind }) => kind === "ask_opened");
		expect(given).toEqual(answer);
		expect(events.filter(({ kind }) => kind === "ask_answered")).toMatchObject([{ answers: opened?.seq, verdict }]);
		expect(run.questions).toEqual([]);
	});
});

describe("a worker's request", () => {
	it.each<[what: string, target: string, summary: string, reply: RegExp]>([
		["to an unknown state", "nowhere", "s", /nowhere/],
		["with too long a summary", "done", "x".repeat(32_001), /has 32001 characters, but the limit is 32000/],
	])("to move %s is refused with the reason, and the worker continues", async (_what, target, summary, text) => {
		let reply: MoveReply | undefined;
		const { events } = await during(async (host) => {
			reply = await host.requestMove(target, summary);
		});
		expect(reply).toEqual({ kind: "refused", text: expect.stringMatching(text) });
		expect(events.filter(({ kind }) => kind === "move_requested")).toHaveLength(1);
	});

	it("to move with the longest summary is accepted; a second one is refused", async () => {
		const replies: MoveReply[] = [];
		await during(async (host) => {
			replies.push(await host.requestMove("done", "x".repeat(32_000)));
			replies.push(await host.requestMove("done", "again"));
		});
		expect(replies.map(({ kind }) => kind)).toEqual(["accepted", "refused"]);
		expect(replies[0]?.text).toContain('"done" is recorded');
	});

	it("to move is answered with the tasks that are open", async () => {
		let reply: MoveReply | undefined;
		await during(async (host) => {
			await host.updateSnapshot({ pending_tasks: ["Write docs", { key: "tests", text: "Add tests" }] });
			reply = await host.requestMove("done", "done");
		});
		expect(reply?.text).toMatch(/Open tasks: t1 \(Write docs\), t2 \(tests\)\.$/);
	});

	it("to save a secret is answered with that it is not kept; one that is known already is not reported again", async () => {
		const texts: string[] = [];
		const secret = `ghp_${"a1B2".repeat(9)}`;
		const { run } = await during(async (host) => {
			for (const findings of [[`The key is ${secret}.`], ["No secret."], [{ note: { deep: [secret] } }]])
				texts.push((await host.updateSnapshot({ findings })).text);
		});
		const told = texts.map((text) => text.includes("A secret in it is not kept: it was replaced by "));
		expect(told).toEqual([true, false, true]);
		expect(JSON.stringify(run)).not.toContain(secret);
	});

	it("to save more than the next first message holds is answered with the ids of the entries", async () => {
		const texts: string[] = [];
		await during(async (host) => {
			for (const size of [10, 6000, 6000, 6000])
				texts.push((await host.updateSnapshot({ findings: [`${texts.length} ${"x".repeat(size)}`] })).text);
		});
		const told = texts.map((text) => /first message: ([^.]*)\./.exec(text)?.[1]);
		expect(told).toEqual([undefined, undefined, undefined, "f2, f3, f4"]);
	});

	it("to save more tasks than there is room for is refused, and nothing of it is saved", async () => {
		const replies: string[] = [];
		const { run, events } = await during(async (host) => {
			for (const text of ["a", "b", "c", "d"])
				replies.push((await host.updateSnapshot({ pending_tasks: [text.repeat(7000)], findings: [text] })).kind);
		});
		expect(replies).toEqual(["saved", "saved", "saved", "refused"]);
		expect(events.filter(({ kind }) => kind === "snapshot_updated")).toHaveLength(3);
		expect(run.snapshot.pendingTasks).toHaveLength(3);
	});

	it("to save data is answered with what was saved, or why not", async () => {
		const texts: string[] = [];
		const { events } = await during(async (host) => {
			texts.push((await host.updateSnapshot({ findings: ["f"] })).kind);
			texts.push((await host.updateSnapshot(7)).kind);
		});
		expect(texts).toEqual(["saved", "refused"]);
		expect(events.filter(({ kind }) => kind === "snapshot_updated")).toHaveLength(1);
	});
});
