// Of two people who answer a question, the second one is told who was first, whatever they use and whether they name the question.
import type { Run, UserEvent } from "@pi-chronicle/core/machine";
import { expect, it } from "vitest";
import { definition, go, open, start } from "../../../../core/test/machine/test-run.ts";
import { explainOther } from "../../../src/ui/commands/dispatch.ts";
import {
	answerCommand,
	approveCommand,
	refuseOther,
	rejectionCommand,
	releaseCommand,
} from "../../../src/ui/commands/run-command.ts";
import { answeredElsewhere, ownVia } from "../../../src/ui/session/answered-elsewhere.ts";

const template = definition({
	plan: { persona: "P", next: ["build"], requires_approval: true },
	build: { persona: "B", next: ["done"], requires_approval: true },
	done: {},
});

/** A run whose question was answered by ann, and the question. */
function answered(kind: "approved" | "rejected", via = "the page (phone, 10.0.0.7)") {
	const play = go(start(open(template)), "build");
	const { stage } = play.run;
	if (stage.kind !== "asking") throw new Error("It does not ask.");
	const { question } = stage;
	const about = { answers: question.seq, by: "ann", via };
	const event: UserEvent =
		kind === "approved" ? { kind, ...about, diff: question.diff } : { kind, ...about, words: "No." };
	return { run: play.say(event).run, question };
}

const first = "approved by ann from the page (phone, 10.0.0.7)";

it.each<[string, (run: Run) => object | undefined]>([
	["approve", (run) => approveCommand(run, "")],
	["reject", (run) => rejectionCommand(run, "no")],
	["answer", (run) => answerCommand(run, "yes")],
	["release", (run) => releaseCommand(run, "plan", "plan")],
	["any of them with --answers", (run) => refuseOther(run, answered("approved").question.seq)],
])("%s says who was first", (_name, command) => {
	expect(command(answered("approved").run)).toMatchObject({ kind: "refused", message: expect.stringContaining(first) });
});

it("so does an answer to a question that has been replaced meanwhile", () => {
	const { run, question } = answered("approved");
	expect(explainOther(run, { ...question, seq: 99, visit: 2 }, question)).toContain(first);
});

it.each([
	["the page (phone, 10.0.0.7)", true],
	["the command line", true],
	["pi (pid 1)", true],
	[ownVia, false],
])("a pi session says of an answer from %s that somebody else gave it: %s", (via, told) => {
	const { run, question } = answered("rejected", via);
	expect(answeredElsewhere(run, question.seq) ?? "").toContain(told ? `It was rejected by ann from ${via} first.` : "");
	expect(answeredElsewhere(run, question.seq) === undefined).toBe(!told);
});
