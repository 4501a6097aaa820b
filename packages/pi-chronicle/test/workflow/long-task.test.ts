// A long task appears once in the model's context, whatever variables name it and however many phases there are. Real pi.
import { expect, it } from "vitest";
import { deepIt, sampled } from "../harness/deep-it.ts";
import { call } from "../harness/index.ts";
import { openRpcStage, openStage, step } from "./stage.ts";

const mark = "the long task begins";
const task = `${mark}. ${"Look at every file and say what is wrong with it. ".repeat(200)}That is all.`;
const body = "Do it: {description} {task} {taskDescription}";
const phases = ["a", "b", "c"].map((id) => ({ id, body }));
const count = (text: string) => text.split("That is all.").length - 1;

deepIt("a long task is sent once and referred to in every phase, in status and at a cancel", async () => {
	const { pi, play, server } = await openRpcStage({
		w: { phases, roleInstruction: "You do {description}", advanceReminder: "Go on with {task}" },
	});
	play(step("status"), step("next"), step("next"), "hm", step("cancel"), step("cancel"), "ok");
	await pi.prompt(`/workflow w ${task}`);
	await pi.settled();
	const sizes = server.requests.map(({ body: sent }) => count(JSON.stringify(sent)));
	expect(sizes.every((times) => times === 1)).toBe(true);
	expect(server.requests[2]?.lastResult?.text).toContain(`the task as it was given at the start ("${mark}`);
	const [, second, third] = pi.toolResults().map(({ text }) => text.length);
	expect(Math.abs((second ?? 0) - (third ?? 0))).toBeLessThan(40);
	expect((second ?? 0) < 2_000).toBe(true);
});

it.each(
	sampled([
		["names it twice", "{description} and again {task}"],
		["does not name it", "Begin."],
	]),
)("a long task is sent once if the first message %s", async (_what, initialMessage) => {
	const stage = await openStage({ w: { phases, initialMessage } });
	stage.play(step("next"), step("next"), step("next"), "done");
	await stage.print(`/workflow w ${task}`);
	// With the end of the workflow its text is taken out of the context.
	const [first, second, third] = stage.server.requests.map(({ body: sent }) => count(JSON.stringify(sent)));
	expect([first, second, third]).toEqual([1, 1, 1]);
});

deepIt("a long task is sent again after a compaction removed it", async () => {
	const { pi, play, server } = await openRpcStage(
		{ w: { phases, autoContinue: false } },
		{ settings: { compaction: { keepRecentTokens: 100 } } },
	);
	play(step("next"), "What now?");
	await pi.prompt(`/workflow w ${task}`);
	await pi.settled();
	play("SUMMARY", "I go on");
	await pi.send({ type: "compact" });
	await pi.run("go on");
	expect(count(JSON.stringify(server.last().body))).toBe(1);
});

it("a short task is inserted wherever a text names it, by {task} too", async () => {
	const stage = await openStage({ w: { phases: [{ id: "a", body: "Do {task}." }], initialMessage: "{task}" } });
	stage.play(call("workflow_step", { action: "next" }), "done");
	await stage.print("/workflow w short");
	expect(stage.server.requests[0]?.users.join("\n")).toContain("Do short.");
});
