// The gate of a phase: it runs when the model finishes the phase, and keeps it open if it fails. Real pi.
import { expect, it } from "vitest";
import { processStart } from "../../src/process/index.ts";
import { openRpcStage, type State, step } from "./stage.ts";

it("{tests} is the command of the project's tests", async () => {
	const { pi, project, server, play } = await openRpcStage({ w: [{ id: "a", gate: "{tests}" }] }, { countdown: 1 });
	project.write("package.json", JSON.stringify({ scripts: { test: "echo checked && exit 4" } }));
	play(step("next", "done"), () => {
		project.write("package.json", "{}");
		return step("next", "there are none");
	});
	await pi.prompt("/workflow w it");
	await pi.settled();
	expect(JSON.stringify(server.requests[0]?.messages)).toContain(
		"its gate runs, and must succeed: the project's tests",
	);
	expect(server.requests[1]?.lastResult?.text).toMatch(/failed with exit code \d+, .*`npm test`[\s\S]*checked/);
	expect(pi.toolResults().map(({ error }) => error)).toEqual([true, false]);
});

it("a failing gate keeps the phase open, and its end is the tool's result; a passing one lets it go", async () => {
	const gate = "sleep 60 & echo $! >> left; echo checking; test -f passed || { echo '1 failed' >&2; exit 3; }";
	// The limits of the phase are the model's.
	const stage = await openRpcStage({ w: [{ id: "a", gate, tools: { whitelist: ["read"] } }, "b"] }, { countdown: 1 });
	const { pi, project, server } = stage;
	const last = async () => (await pi.customEntries<State>("workflow:state")).at(-1);
	stage.play(
		step("next", "done"),
		() => {
			project.write("passed", "");
			return step("next", "repaired");
		},
		step("next"),
		"Done.",
	);
	await pi.prompt("/workflow w it");
	await pi.settled();
	// What a try leaves running is stopped with it.
	const left = project.read("left").trim().split("\n").map(Number);
	expect(left).toHaveLength(2);
	for (const pid of left) expect(processStart(pid), `${pid}`).toBeUndefined();
	const [refused, passed] = pi.toolResults();
	expect(refused).toMatchObject({ tool: "workflow_step", error: true });
	const results = server.requests.map(({ lastResult }) => lastResult?.text ?? "");
	expect(results[1]).toContain('The gate of "A" failed with exit code 3, so the phase is not finished');
	expect(results[1]).toMatch(/checking[\s\S]*1 failed/);
	expect(passed).toMatchObject({ error: false });
	expect(JSON.stringify(server.requests[0]?.messages)).toContain("its gate runs, and must succeed");
	expect(await last()).toMatchObject({ active: false, cancelled: false });
});
