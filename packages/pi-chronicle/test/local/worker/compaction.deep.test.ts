// A worker whose conversation is compacted: it is asked once to save before, and briefed once after. Real pi with a small window.
import { expect } from "vitest";
import { deepIt } from "../../harness/deep-it.ts";
import type { ModelRequest } from "../../harness/model-request.ts";
import { openModelServer } from "../../harness/model-server.ts";
import { openProject } from "../../harness/project.ts";
import { call, fail, type Reply, say } from "../../harness/reply.ts";
import { move, openRig } from "./worker-rig.ts";

const brief = "The brief of now.";
const save = "Save now with workflow_update_snapshot";
const echo = (usage: number): Reply =>
	call("bash", { command: `echo ${"x".repeat(2000)}` }, { usage: { input: usage, output: 10, cached: 0 } });

/** An extension whose tool compacts the conversation, as `/compact` does. */
const compactor = `export default (pi) => pi.registerTool({
	name: "shrink", label: "Shrink", description: "Compacts", parameters: { type: "object", properties: {} },
	async execute(_id, _params, _signal, _update, ctx) {
		ctx.compact({});
		return { content: [{ type: "text", text: "soon" }], details: undefined };
	},
});`;

const has = (request: ModelRequest | undefined, text: string): number =>
	request?.messages.filter(({ content }) => JSON.stringify(content ?? "").includes(text)).length ?? 0;

/** The model's requests, without those for summaries. `turns`: its replies to them; `ends`: whether the compaction ends the turn. */
async function play(turns: Reply[], ends: boolean): Promise<readonly ModelRequest[]> {
	const asked: ModelRequest[] = [];
	const server = await openModelServer((request) => {
		if (request.tools.length === 0) return say("A summary of what was said.");
		asked.push(request);
		return turns.shift() ?? move();
	});
	const compaction = { keepRecentTokens: 200, reserveTokens: 2_000 };
	const project = openProject({ server, settings: { compaction }, files: { "shrink.mjs": compactor } });
	const state = { model: "scripted/small", tools: ["bash", "shrink"], extensions: ["./shrink.mjs"] };
	const rig = openRig(project, { state });
	const worker = await rig.start();
	// The supervisor then reminds the worker.
	if (ends) await rig.wait("turn_settled").then(() => worker.send("Go on."));
	await worker.ended;
	expect(rig.of("move"), JSON.stringify([...rig.seen.slice(-6), await worker.ended])).toHaveLength(1);
	return asked;
}

deepIt.each<[how: string, turns: Reply[], ends: boolean]>([
	["at pi's threshold", [echo(3_000), echo(15_000), echo(19_500), echo(3_000)], false],
	["after an overflow", [echo(3_000), echo(15_000), fail(400, "prompt is too long: 30000 tokens"), echo(3_000)], false],
	["by a command", [echo(3_000), echo(15_000), call("shrink", {}), echo(3_000)], true],
])("a compaction %s: the model is asked once to save, and briefed once", async (_how, turns, ends) => {
	const asked = await play(turns, ends);
	const compacted = asked.findIndex((request) => has(request, "A summary of what was said.") > 0);
	expect(compacted).toBeGreaterThan(0);
	expect(asked.slice(0, compacted).map((request) => has(request, save))).toEqual([
		0,
		0,
		...asked.slice(2, compacted).map(() => 1),
	]);
	expect(has(asked[2], "[Automatic reminder from pi-chronicle, not from the user]")).toBe(1);
	for (const request of asked.slice(0, compacted)) expect(has(request, brief)).toBe(0);
	for (const request of asked.slice(compacted)) expect(has(request, brief)).toBe(1);
});
