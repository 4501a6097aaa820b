// The model of a phase in real pi: which model answers each request, and which the session has afterwards.
import { describe, expect, it } from "vitest";
import { call, type Rpc } from "../harness/index.ts";
import { openRpcStage, openStage, type PhaseDraft, type Stage, step } from "./stage.ts";

const phases: readonly PhaseDraft[] = ["a", { id: "b", model: "two" }, "c"];
const calm = { w: { phases, autoContinue: false } };
/** The models that have answered so far. */
const answered = ({ server }: Pick<Stage, "server">) => server.requests.map(({ model }) => model);
const pick = (pi: Rpc, modelId: string) => pi.send({ type: "set_model", provider: "scripted", modelId });
const now = async (pi: Rpc) => ((await pi.state()).model as { id: string }).id;

/** Stands in phase B, whose model has answered once. */
async function inPhase(stage: Stage, pi: Rpc): Promise<void> {
	stage.play(step("next"), "I wait");
	await pi.prompt("/workflow w it");
	await pi.settled();
	expect(answered(stage)).toEqual(["one", "two"]);
}

describe("the model of a phase", () => {
	it("answers in this phase only, and the session's own returns", async () => {
		const stage = await openRpcStage({ w: phases });
		stage.play(step("next"), step("next"), step("next"), "done");
		await stage.pi.prompt("/workflow w it");
		await stage.pi.settled();
		expect(answered(stage)).toEqual(["one", "two", "one", "one"]);
		await stage.pi.run("more");
		expect(stage.server.last().model).toBe("one");
	});

	it("is that of the first phase from the first request on, and ends with a pause and the workflow", async () => {
		const first = { phases: [{ id: "a", model: "thinker:high" }], autoContinue: false };
		const stage = await openRpcStage({ w: first });
		const { pi } = stage;
		await pi.prompt("/workflow w it");
		await pi.settled();
		expect(await pi.state()).toMatchObject({ model: { id: "thinker" }, thinkingLevel: "high" });
		await pi.prompt("/workflow status");
		expect(pi.screen.notifications.at(-1)?.message).toContain(
			"Model: scripted/thinker; the phase names thinker:high; then scripted/one again",
		);
		await pi.prompt("/workflow pause");
		await expect.poll(() => now(pi)).toBe("one");
		await pi.run("go on");
		stage.play(step("next"), "done");
		await pi.run("finish");
		expect(answered(stage)).toEqual(["thinker", "thinker", "thinker", "one"]);
		expect(await pi.state()).toMatchObject({ model: { id: "one" }, thinkingLevel: "off" });
	});

	it("gives way to a model that the user picks, which stays afterwards", async () => {
		const stage = await openRpcStage(calm);
		const { pi } = stage;
		await inPhase(stage, pi);
		await pick(pi, "small");
		await pi.run("with this one");
		await pi.prompt("/workflow pause");
		await pi.run("go on");
		await pi.prompt("/workflow status");
		expect(pi.screen.notifications.at(-1)?.message).toContain(
			"Model: scripted/small, which you picked; the phase names two",
		);
		// The next visit of the phase has its own model again, and then that of the user returns.
		await pi.prompt("/workflow back");
		await pi.settled();
		stage.play(step("next"), "in b again");
		await pi.run("on");
		await pi.prompt("/cancel-workflow");
		await pi.run("over");
		expect(answered(stage).slice(2)).toEqual(["small", "small", "small", "small", "two", "small"]);
	});

	it("gives way to a model that is picked during a pause", async () => {
		const stage = await openRpcStage(calm);
		await inPhase(stage, stage.pi);
		await stage.pi.prompt("/workflow pause");
		await pick(stage.pi, "small");
		await stage.pi.run("go on");
		expect(stage.server.last().model).toBe("small");
	});

	it.each([
		["with pi's default", "scripted/one"],
		["as the session was left", null],
	])("and the session's own survive a restart %s, a fork and a handoff", async (_how, model) => {
		const stage = await openStage(calm);
		const first = await stage.rpc();
		await inPhase(stage, first);
		const file = String((await first.state()).sessionFile);
		await first.close();

		const pi = await stage.rpc({ session: file, model });
		await pi.run("next day");
		expect(stage.server.last().model).toBe("two");
		const [, mine] = (await pi.entries()).filter(
			({ type, message }) => type === "message" && (message as { role: string }).role === "user",
		);
		stage.play(call("handoff", { context: "all of it" }), "the successor");
		await pi.prompt("/handoff go on");
		await pi.settled();
		expect(stage.server.last().model).toBe("two");
		await pi.send({ type: "fork", entryId: String(mine?.id) });
		await pi.run("in the fork");
		expect(stage.server.last().model).toBe("two");
		await pi.prompt("/cancel-workflow");
		await pi.run("over");
		expect(stage.server.last().model).toBe("one");
	});

	it("follow a move in the tree", async () => {
		const stage = await openStage(calm);
		const mover = stage.project.write(
			"mover.mjs",
			'export default (pi) => pi.registerCommand("goto", { handler: async (id, ctx) => void (await ctx.navigateTree(id)) });',
		);
		const pi = await stage.rpc({ extensions: [mover] });
		stage.play("before");
		await pi.run("hello");
		stage.play("in a", step("next"), "in b");
		await pi.prompt("/workflow w it");
		await pi.settled();
		await pi.run("on");
		const entries = await pi.entries();
		for (const [text, model] of [
			["in b", "two"],
			["in a", "one"],
			["in b", "two"],
			["before", "one"],
		] as const) {
			const place = entries.find((entry) => JSON.stringify(entry).includes(`"text":"${text}"`));
			await pi.prompt(`/goto ${place?.id}`);
			await pi.run("and now");
			expect([text, stage.server.last().model]).toEqual([text, model]);
		}
	});
});

describe("a model that is not available", () => {
	it.each(["twoo", "claude-sonnet-4-5"])("%s is told once, and the session's works", async (model) => {
		const stage = await openRpcStage({
			w: [
				{ id: "a", model },
				{ id: "b", model },
			],
		});
		stage.play(step("next"), step("next"), "done");
		await stage.pi.prompt("/workflow w it");
		await stage.pi.settled();
		expect(answered(stage)).toEqual(["one", "one", "one"]);
		const told = stage.pi.screen.notifications.filter(({ message }) => message.includes("is not available"));
		expect(told.map(({ message, type }) => [message.split(".")[0], type])).toEqual([
			[`🔹 A: The model \`${model}\` is not available, so \`scripted/one\` is used instead`, "warning"],
		]);
		await stage.pi.prompt("/workflow check");
		expect(stage.pi.screen.notifications.at(-1)?.message).toMatch(
			new RegExp(`w/a\\.md:5:8 .*Phase \`a\` names the model \`${model}\`, which is not available`),
		);
	});

	it("is none for a role: the setting `models` names its models, or it is the session's", async () => {
		const roles = {
			w: [
				{ id: "a", model: "cheap" },
				{ id: "b", model: "strong" },
			],
		};
		const stage = await openRpcStage(roles);
		stage.play(step("next"), step("next"), "done");
		await stage.pi.prompt("/workflow w it");
		await stage.pi.settled();
		expect(answered(stage)).toEqual(["one", "one", "one"]);
		expect(stage.pi.screen.text).not.toContain("not available");
	});
});
