// Random commands of the user and answers of the model in any order, in real pi: screen, completions and context agree with the run.
import { expect, it } from "vitest";
import { call, calls, fail, fixtureExtension, type Reply } from "../harness/index.ts";
import { patient } from "../harness/patience.ts";
import { openStage, type State, step, stepCall } from "./stage.ts";

const replies: readonly (Reply | string)[] = [
	step("next", "what was found"),
	step("next"),
	step("loop"),
	step("status"),
	step("cancel"),
	call("bash", { command: "echo x > made.txt" }),
	calls([stepCall("next"), stepCall("next")]),
	calls([stepCall("cancel"), ["bash", { command: "true" }]]),
	fail(400, "no such thing"),
	"words",
	"more words",
];
const inputs = [
	...["w task", "w task", "v other", "pause", "resume", "resume", "skip", "back", "back a", "reload", "status"].map(
		(words) => `/workflow ${words}`,
	),
	"/cancel-workflow",
	"hello",
	"/goto 0",
	"/goto 3",
	"abort",
];

/** Numbers from 0 to 1 that are the same for the same seed. */
function numbers(seed: number): () => number {
	let state = seed;
	return () => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return state / 2 ** 32;
	};
}

it.each([7, 29])(
	"screen, completions and context agree with the run after commands and answers in any order, seed %i",
	{ timeout: patient(120_000) },
	async (seed) => {
		const next = numbers(seed);
		const pick = <Item>(items: readonly Item[]) => items[Math.floor(next() * items.length)] as Item;
		const stage = await openStage(
			{
				w: ["a", "@s", "b"],
				s: { show: "workflows", maxLoops: 1, phases: ["s1", { id: "s2", tools: { allow: ["read"] } }] },
				v: { autoContinue: false, phases: ["x", "y"] },
			},
			{ settings: { retry: { enabled: false } } },
		);
		const mover = stage.project.write(
			"mover.mjs",
			`export default (pi) => pi.registerCommand("goto", { handler: async (at, ctx) => {
			const messages = ctx.sessionManager.getEntries().filter(({ type }) => type === "message");
			if (ctx.isIdle() && messages.length > 0) await ctx.navigateTree(messages[Number(at) % messages.length].id);
		} });`,
		);
		const pi = await stage.rpc({ extensions: [mover, fixtureExtension("probe")], answers: () => next() < 0.5 });
		const done: string[] = [];
		for (let turn = 0; turn < 25; turn++) {
			stage.play(...Array.from({ length: 1 + Math.floor(next() * 5) }, () => pick(replies)));
			const input = pick(inputs);
			done.push(input);
			if (input === "abort") await pi.send({ type: "abort" });
			// pi refuses a message to a busy model that does not say how to queue it.
			else await pi.prompt(input).catch(() => {});
			if (next() < 0.4) continue;
			await pi.idle(20_000, 40);
			const so = done.join(", ");
			const last = (await pi.customEntries<State>("workflow:state")).at(-1);
			const shown = pi.screen.statuses.get("chronicle-workflow");
			const { activeTools } = await pi.probe();
			expect(pi.screen.widgets.size, so).toBe(0);
			// The tool stays after a run.
			if (shown !== undefined || last === undefined)
				expect(activeTools.includes("workflow_step"), so).toBe(shown !== undefined);
			if (shown !== undefined || last === undefined || next() < 0.5) continue;
			stage.play("nothing is on");
			await pi.run("hello");
			const said = JSON.stringify(stage.server.last().messages);
			const [instructed] = [...said.matchAll(/Do \w+ for /g)].slice(-1);
			if (instructed) expect(said.lastIndexOf("no longer apply"), so).toBeGreaterThan(instructed.index);
		}
		await pi.idle(20_000, 40);
		expect(pi.eventsOf("extension_error"), done.join(", ")).toEqual([]);
	},
);
