// A phase with `context: fresh` in real pi: what the requests contain, however the run comes to the phase.
import { describe, expect, it } from "vitest";
import { gate, type ModelRequest, type Rpc, say } from "../harness/index.ts";
import { openRpcStage, type PhaseDraft, type Stage, step } from "./stage.ts";

const phases: readonly PhaseDraft[] = ["a", { id: "b", context: "fresh" }, "c"];

/** Which of the texts a request contains. */
function seen(request: ModelRequest, ...texts: string[]): string[] {
	const all = JSON.stringify(request.messages);
	return texts.filter((text) => all.includes(text));
}
const everything = ["chat before", "found the cause", "Do a for it", "Do b for it", "looked at it", "Do c for it"];

/** Chats, and works through phase A. */
async function afterA(stage: Stage & { pi: Rpc }, ...then: Parameters<Stage["play"]>): Promise<void> {
	await stage.pi.run("chat before");
	stage.play("in a", step("next", "found the cause"), ...then);
	await stage.pi.prompt("/workflow w it");
	await stage.pi.settled();
}

describe("a fresh context", () => {
	it("begins with the phase: the task, the summaries, and nothing of the conversation", async () => {
		const stage = await openRpcStage({ w: phases });
		await afterA(stage, say("looked at it"), step("next"), step("next"), "done");
		const [before, ...after] = stage.server.requests.slice(2);
		const [first, second, next, last] = after;
		// Whoever ends the phase before it knows what that will take away.
		const warning = "begins without this conversation and gets only your summaries";
		expect(before && seen(before, warning)).toEqual([warning]);
		expect(first && seen(first, warning)).toEqual([]);
		const told = ["found the cause", "Do b for it"];
		expect(first && seen(first, ...everything)).toEqual(told);
		expect(JSON.stringify(first?.messages)).toContain("Task: it");
		expect(second && seen(second, ...everything)).toEqual([...told, "looked at it"]);
		// The phase after it continues the conversation.
		expect(next && seen(next, ...everything)).toEqual([...told, "looked at it", "Do c for it"]);
		expect(last?.results.at(-1)?.text).toContain("DONE");
		expect((await stage.pi.entries()).filter(({ type }) => type === "compaction")).toHaveLength(1);
		expect(stage.pi.eventsOf("extension_error")).toEqual([]);
	});

	it("gets the whole summary that was asked for, and how the gate of the phase before succeeded", async () => {
		const gated = { id: "a", gate: "seq 2000; echo 7 passed" };
		const stage = await openRpcStage({ w: [gated, { id: "b", context: "fresh" }, { ...gated, id: "c" }, "d"] });
		const summary = `${"§ ".repeat(3_980)}the end of it`;
		stage.play(step("next", summary), step("next"), step("next", "short"), step("next"), "done");
		await stage.pi.prompt("/workflow w it");
		await stage.pi.settled();
		const [, fresh, , kept] = stage.server.requests;
		const gateText = "Its gate succeeded (exit code 0): `seq 2000; echo 7 passed`. The end of its output:\\n…";
		const told = [gateText, "2000\\n7 passed"];
		expect(fresh && seen(fresh, summary, ...told, "\\n1000\\n")).toEqual([summary, ...told]);
		const [gates] = [kept?.results.at(-1)?.text.match(/Its gate succeeded[\s\S]*7 passed/g)];
		expect(gates).toHaveLength(1);
	});

	it("gets what the model said last in a phase that the user ended, or went back from", async () => {
		const stage = await openRpcStage({
			w: [
				{ id: "a", context: "fresh" },
				{ id: "r", advance: "person" },
				{ id: "d", context: "fresh" },
			],
		});
		const { pi, server } = stage;
		stage.play(step("next", "built it"), "Rename x.");
		await pi.prompt("/workflow w it");
		await pi.settled();
		stage.play(step("next", "renamed x"), "Looks good.");
		await pi.prompt("/workflow back");
		await pi.settled();
		expect(seen(server.requests[2] as ModelRequest, "* R (the user went back): Rename x.")).toHaveLength(1);
		await pi.prompt("/workflow next");
		await pi.settled();
		const reported = ["* R (ended by the user): Looks good.", "* A: renamed x", "* R (the user went back): Rename x."];
		expect(seen(server.last(), ...reported)).toEqual(reported);
	});

	it("is also that of the first phase, of one that the user moves to, and of a phase after a pause", async () => {
		const stage = await openRpcStage({
			w: { phases: [{ id: "b", context: "fresh" }, "c", { id: "d", context: "fresh" }], autoContinue: false },
		});
		const { pi, server } = stage;
		await pi.run("chat before");
		await pi.prompt("/workflow w it");
		await pi.settled();
		expect(seen(server.last(), "Start w: it", ...everything)).toEqual(["Start w: it", "Do b for it"]);
		stage.play("looked at it");
		await pi.run("my word");
		expect(seen(server.last(), "my word", ...everything)).toEqual(["my word", "Do b for it"]);
		await pi.prompt("/workflow next");
		await pi.settled();
		expect(seen(server.last(), "my word", ...everything)).toEqual([
			"my word",
			"Do b for it",
			"looked at it",
			"Do c for it",
		]);
		await pi.prompt("/workflow skip");
		await pi.settled();
		// The user's words in the run are not lost, nor what the model said last in a phase that the user ended.
		const kept = ["Do d for it", "looked at it"];
		expect(seen(server.last(), "my word", "Do d for it", ...everything)).toEqual(["my word", ...kept]);
		await pi.prompt("/workflow back b");
		await pi.settled();
		await pi.prompt("/workflow pause");
		await pi.prompt("/workflow skip");
		await pi.prompt("/workflow skip");
		await pi.prompt("/workflow resume");
		await pi.settled();
		expect(seen(server.last(), "Do d for it", ...everything)).toEqual(kept);
		stage.play("work", "more work");
		await pi.run("once");
		await pi.run("twice");
		expect(seen(server.last(), "Do d for it", "work", "once", "twice")).toHaveLength(4);
	});

	it("holds when the user moves the run while the model works", async () => {
		const stage = await openRpcStage({ w: phases });
		const held = gate();
		await stage.pi.run("chat before");
		stage.play("in a", say("still in a", { after: held.opened }), "in b", step("next"), step("next"), "done");
		await stage.pi.prompt("/workflow w it");
		await stage.server.waitForRequest(3);
		await stage.pi.prompt("/workflow skip");
		held.open();
		await stage.pi.settled();
		expect(stage.server.requests.slice(3).map((request) => seen(request, "chat before", "Do a for it"))).toEqual(
			stage.server.requests.slice(3).map(() => []),
		);
	});

	it("keeps the prefix of its own requests", async () => {
		const stage = await openRpcStage({ w: [{ id: "b", context: "fresh" }] });
		await stage.pi.run("chat before");
		stage.play(say("one"), "two", step("next"), "done");
		await stage.pi.prompt("/workflow w it");
		await stage.pi.settled();
		const [first, ...later] = stage.server.requests.slice(1).map(({ messages }) => messages);
		expect(first).toBeDefined();
		for (const messages of later) expect(messages.slice(0, first?.length)).toEqual(first);
	});

	it("goes through the same after `loop`", async () => {
		const stage = await openRpcStage({ w: [{ id: "b", context: "fresh" }, "c"] });
		stage.play(step("next", "first try"), step("loop", "tests fail"), "again", step("next"), step("next"), "done");
		await stage.pi.prompt("/workflow w it");
		await stage.pi.settled();
		const again = stage.server.requests[2];
		expect(again && seen(again, "first try", "tests fail", "Do b for it", "Do c for it")).toEqual([
			"first try",
			"tests fail",
			"Do b for it",
		]);
	});
});
