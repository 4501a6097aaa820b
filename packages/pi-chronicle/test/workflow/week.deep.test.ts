// The week of a user of workflows, played in real pi: 200 turns of chat and work, compactions, a model of their own, a restart with another
// definition, a fork, a handoff inside a phase, a phase with a fresh context, one that the user ends, and a sequence of 50 runs of which one fails.
import { expect } from "vitest";
import { deepIt } from "../harness/deep-it.ts";
import { call, fail, type ModelRequest, type Rpc } from "../harness/index.ts";
import { patient } from "../harness/patience.ts";
import { openStage, type PhaseDraft, type Stage, type State, step, workflowFiles } from "./stage.ts";

const plan: PhaseDraft = { id: "plan", model: "two", tools: { allow: ["read"] } };
const build: PhaseDraft = { id: "build" };
const review: PhaseDraft = { id: "review", context: "fresh", tools: { allow: ["read"] } };
const release: PhaseDraft = { id: "release", advance: "person" };
const monday = { ship: { phases: [plan, build, review, release], autoContinue: false } };
const tuesday = {
	ship: {
		...monday.ship,
		phases: [plan, { ...build, body: "Build anew for {description}." }, { id: "tests" }, review, release],
	},
};

const statusOf = ({ screen }: Rpc) => screen.statuses.get("chronicle-workflow");
const lastNotice = ({ screen }: Rpc) => screen.notifications.at(-1)?.message;
/** How often a request contains a text. */
const times = (request: ModelRequest, text: string) => JSON.stringify(request.messages).split(text).length - 1;

/** Sends `count` messages and returns the requests that they caused. */
async function chat({ server }: Stage, pi: Rpc, about: string, count: number): Promise<ModelRequest[]> {
	const from = server.requests.length;
	for (let number = 1; number <= count; number++) await pi.run(`${about} ${number}`);
	return server.requests.slice(from);
}

/** Each request begins with all messages of the one before. */
function expectKeptPrefix(requests: readonly ModelRequest[]): void {
	for (const [index, { messages }] of requests.entries()) {
		const before = requests[index - 1]?.messages ?? [];
		expect(messages.slice(0, before.length), `request ${index + 1}`).toEqual(before);
	}
}

/** The phase's text is in every request, once. */
function expectPhase(requests: readonly ModelRequest[], text: string): void {
	expect(requests.map((request) => times(request, text))).toEqual(requests.map(() => 1));
}

deepIt(
	"a week with a workflow",
	async () => {
		const stage = await openStage(monday, {
			settings: { compaction: { keepRecentTokens: 200 }, retry: { enabled: false } },
			files: {
				"x.txt": "x",
				".pi/sequences/nightly.yaml": "runs: 50\nonError: continue\nsteps: [look at the night]\n",
			},
		});
		const first = await stage.rpc();
		await planOnMonday(stage, first);
		const file = String((await first.state()).sessionFile);
		await first.close();

		for (const [path, content] of Object.entries(workflowFiles(tuesday))) stage.project.write(path, content);
		const pi = await stage.rpc({ session: file, model: null });
		await buildOnTuesday(stage, pi);
		await forkOnWednesday(stage, pi);
		await finishOnThursday(stage, pi);
		await repeatOnFriday(stage, pi);
		expect(pi.eventsOf("extension_error")).toEqual([]);
	},
	patient(60_000),
);

async function planOnMonday(stage: Stage, pi: Rpc): Promise<void> {
	const chatted = await chat(stage, pi, "monday", 20);
	expect(chatted.map(({ model, tools }) => [model, tools.includes("workflow_step")])).toEqual(
		chatted.map(() => ["one", false]),
	);
	await pi.prompt("/workflow ship the parser");
	await pi.settled();
	expect(statusOf(pi)).toBe("Workflow ship > 🔹 PLAN [1/4] (waits for you)");
	const planned = await chat(stage, pi, "planning", 30);
	expect(new Set(planned.map(({ model }) => model))).toEqual(new Set(["two"]));
	expectPhase(planned, "Do plan for the parser.");
	expectKeptPrefix(planned);
	stage.play(call("write", { path: "x.txt", content: "y" }), "refused");
	await pi.run("change it");
	expect(pi.toolResults().at(-1)).toMatchObject({ tool: "write", error: true });

	await pi.send({ type: "set_model", provider: "scripted", modelId: "small" });
	await pi.send({ type: "compact" });
	const mine = await chat(stage, pi, "with my model", 10);
	expect(new Set(mine.map(({ model }) => model))).toEqual(new Set(["small"]));
	expectPhase(mine, "Do plan for the parser.");
	expect(mine[0] && times(mine[0], "monday 2")).toBe(0);
	await pi.prompt("/workflow status");
	expect(lastNotice(pi)).toContain("Model: scripted/small, which you picked; the phase names two");
	stage.play(step("next", "three parts"), "in build");
	await pi.run("go on");
	expect([statusOf(pi), stage.server.last().model]).toEqual([
		"Workflow ship > 🔹 BUILD [2/4] (waits for you)",
		"small",
	]);
	expectPhase(await chat(stage, pi, "building", 40), "Do build for the parser.");
}

async function buildOnTuesday(stage: Stage, pi: Rpc): Promise<void> {
	await pi.screen.notified(/This session is in a workflow[\s\S]*has changed/);
	expect(statusOf(pi)).toBe("Workflow ship > 🔹 BUILD [2/4] (waits for you)");
	const kept = await chat(stage, pi, "tuesday", 20);
	expectPhase(kept, "Do build for the parser.");
	expect(new Set(kept.map(({ model }) => model))).toEqual(new Set(["small"]));
	expect(kept.map((request) => times(request, "Build anew"))).toEqual(kept.map(() => 0));
	await pi.prompt("/workflow reload");
	expect(statusOf(pi)).toBe("Workflow ship > 🔹 BUILD [2/5] (waits for you)");
	const anew = await chat(stage, pi, "anew", 20);
	expectPhase(anew, "Build anew for the parser.");
	expect(anew.at(-1)?.users.join("\n")).toContain("replaces every earlier text of the workflow");
	expectKeptPrefix([...kept, ...anew]);
	await pi.send({ type: "compact" });
	const after = await chat(stage, pi, "after", 10);
	expectPhase(after, "Build anew for the parser.");
	// The model still knows what it found in the phase before.
	expect(after[0] && times(after[0], "three parts")).toBe(1);
}

async function forkOnWednesday(stage: Stage, pi: Rpc): Promise<void> {
	const file = String((await pi.state()).sessionFile);
	const asked = (await pi.entries()).find((entry) => JSON.stringify(entry).includes('"text":"after 5"'));
	await pi.send({ type: "fork", entryId: String(asked?.id) });
	expect(statusOf(pi)).toContain("🔹 BUILD [2/5]");
	expectPhase(await chat(stage, pi, "in the fork", 5), "Build anew for the parser.");
	await pi.prompt("/cancel-workflow");
	expect(statusOf(pi)).toBeUndefined();
	stage.play(step("next"), "there is none");
	await pi.run("is it over?");
	expect(pi.toolResults().at(-1)).toMatchObject({ tool: "workflow_step", error: true });
	await pi.send({ type: "switch_session", sessionPath: file });
	await pi.screen.status("🔹 BUILD [2/5]");
	expectPhase(await chat(stage, pi, "back again", 5), "Build anew for the parser.");
}

async function finishOnThursday(stage: Stage, pi: Rpc): Promise<void> {
	const handed = stage.server.requests.length;
	stage.play(
		call("handoff", { context: "Two of three parts are built." }),
		step("next", "all parts built"),
		"in tests",
	);
	await pi.prompt("/handoff build the third part");
	await pi.settled();
	const successor = stage.server.requests.slice(handed).find(({ users }) => !users.includes("back again 5"));
	expect(successor && [times(successor, "Build anew for the parser."), times(successor, "three parts")]).toEqual([
		1, 2,
	]);
	expect(statusOf(pi)).toBe("Workflow ship > 🔹 TESTS [3/5] (waits for you)");
	expectPhase(await chat(stage, pi, "testing", 10), "Do tests for the parser.");

	stage.play(step("next", "tests are green"), "looks good");
	await pi.run("to the review");
	const reviewed = [stage.server.last(), ...(await chat(stage, pi, "reviewing", 10))];
	expectPhase(reviewed, "Do review for the parser.");
	expectKeptPrefix(reviewed);
	for (const text of ["monday 2", "Do tests for", "Two of three parts"])
		expect(times(stage.server.last(), text), text).toBe(0);
	for (const text of ["three parts", "all parts built", "tests are green"])
		expect(times(stage.server.last(), text), text).toBe(1);

	stage.play(step("next"), step("next"), "I wait");
	await pi.run("to the release");
	expect(pi.toolResults().at(-1)).toMatchObject({ tool: "workflow_step", error: true });
	expect(statusOf(pi)).toBe("Workflow ship > 🔹 RELEASE [5/5] (waits for /workflow next)");
	await pi.prompt("/workflow next");
	expect(statusOf(pi)).toBeUndefined();
	expect((await pi.customEntries<State>("workflow:state")).at(-1)).toMatchObject({ active: false, cancelled: false });
	const after = await chat(stage, pi, "over", 19);
	expectKeptPrefix(after);
	expect(new Set(after.map(({ model }) => model))).toEqual(new Set(["small"]));
}

async function repeatOnFriday({ play, server }: Stage, pi: Rpc): Promise<void> {
	const from = server.requests.length;
	play(...Array.from({ length: 50 }, (_, run) => (run === 16 ? fail(400, "out of order") : `night ${run + 1}`)));
	await pi.prompt("/sequence run nightly", {}, 40_000);
	const sent = server.requests.slice(from);
	expect(sent.map(({ lastUser }) => lastUser)).toEqual(Array.from({ length: 50 }, () => "look at the night"));
	expect(new Set(sent.slice(1).map(({ users }) => users.length))).toEqual(new Set([1]));
	expect(lastNotice(pi)).toMatch(/^1 run failed:\n {2}run 17: step 1\/1 \(look at the night\): .*out of order/);
	expect((await pi.customEntries("sequence:finished")).at(-1)).toMatchObject({ how: "stopped", runs: 50, ended: 49 });
}
