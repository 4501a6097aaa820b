// The contract of every approver, seen from the run that asks: approvers of this process here; the session's user (dialogs in RPC mode and
// in the terminal) and the command line are asked the same in test/chronicle/runs.

import type { Approval, Approver } from "@pi-chronicle/core/ports";
import { describe, expect, it } from "vitest";
import { nobody, supervise } from "../../../src/local/supervisor/index.ts";
import { moveTo } from "./scripted-launcher.ts";
import { openStage } from "./stage.ts";

const template = {
	name: "t",
	states: {
		plan: { persona: "Planner", next: ["build"], requires_approval: true },
		build: { persona: "Builder", next: ["finished"] },
	},
};

const makes: [string, Approval["kind"][], (answer: Approval) => Approver][] = [
	["nobody", ["undecided"], () => nobody],
	["a script", ["approved", "rejected", "sent", "undecided"], (answer) => ({ ...nobody, approve: async () => answer })],
	[
		"somebody who is slow, and hears when the question is called off",
		["approved", "rejected", "sent", "undecided"],
		(answer) => ({
			...nobody,
			approve: (_question, _run, signal) =>
				new Promise((resolve) => {
					const timer = setTimeout(() => resolve(answer), 30);
					signal.addEventListener("abort", () => {
						clearTimeout(timer);
						resolve({ kind: "undecided" });
					});
				}),
		}),
	],
];

const answers: Readonly<Record<Approval["kind"], Approval>> = {
	approved: { kind: "approved", words: "mind the tests" },
	rejected: { kind: "rejected", words: "name the risks" },
	sent: { kind: "sent", to: "finished", words: "not needed" },
	undecided: { kind: "undecided" },
};

/** The state of the run after one answer, and the message to its second worker. */
const outcomes: Readonly<Record<Approval["kind"], object>> = {
	approved: { status: "done", moves: ["plan build worker", "build finished worker"], told: "mind the tests" },
	rejected: { status: "awaiting_approval", moves: [], told: "name the risks" },
	sent: { status: "done", moves: ["plan finished person"], told: undefined },
	undecided: { status: "awaiting_approval", moves: [], told: undefined },
};

describe.each(makes)("an approver: %s", (_, kinds, open) => {
	it.each(kinds)("%s", async (kind) => {
		const stage = openStage([moveTo("build"), moveTo(kind === "rejected" ? "build" : "finished")]);
		let first = open(answers[kind]);
		const approver: Approver = {
			...nobody,
			approve(...question) {
				const asked = first;
				first = nobody;
				return asked.approve(...question);
			},
		};
		const { run } = await supervise(await stage.create(template), { ...stage.ports, approver }, "fresh").ended;
		const messages = stage.orders[1]?.message;
		const words = messages && /(mind the tests|name the risks)/.exec(`${messages.new}\n${messages.continued}`)?.[1];
		expect({
			status: run.status,
			moves: run.history.map(({ from, to, cause }) => `${from} ${to} ${cause}`),
			told: words,
		}).toEqual(outcomes[kind]);
	});
	it("an aborted question stays unanswered until another process answers it", async () => {
		const stage = openStage([moveTo("build"), moveTo("finished")]);
		const supervision = supervise(
			await stage.create(template),
			{ ...stage.ports, approver: open(answers.undecided) },
			"fresh",
		);
		await expect.poll(() => supervision.run.status).toBe("awaiting_approval");
		await supervision.stop();
		const again = await stage.reopen(supervision.run.id);
		const yes: Approver = { ...nobody, approve: async () => ({ kind: "approved" }) };
		expect((await supervise(again, { ...stage.ports, approver: yes }, "reopened").ended).run.status).toBe("done");
	});
	it("never answers a worker's question with yes by itself", async () => {
		const stage = openStage([]);
		const { run } = await supervise(await stage.create(template), stage.ports, "fresh").ended;
		const question = { kind: "confirm", title: "Delete it?", text: "rm -r x" } as const;
		const answer = await open(answers.approved).answer(question, run, new AbortController().signal);
		expect(answer).toEqual({ kind: "undecided" });
	});
});
