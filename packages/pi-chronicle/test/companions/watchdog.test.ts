// The watchdog in real pi: a status line, and one nudge per band.
import { expect, it } from "vitest";
import { bandOf } from "../../src/companions/watchdog/bands.ts";
import { call, openBench, say } from "../harness/index.ts";

it.each([
	[0, undefined],
	[29.9, undefined],
	[30, 30],
	[69, 50],
	[100, 70],
])("%d %% is in the band from %s", (percent, from) => {
	expect(bandOf(percent)?.from).toBe(from);
});

it("the watchdog is silent unless turned on; then it sends one nudge per band and shows a permanent status", async () => {
	const turn = (input: number) => call("bash", { command: "true" }, { usage: { input, output: 10 } });
	const script = [
		turn(1000),
		turn(7000),
		turn(7500),
		turn(11000),
		say("done", { usage: { input: 11500, output: 10 } }),
	];
	const quiet = await openBench({ script });
	const silent = await quiet.rpc({ model: "scripted/small" });
	await silent.run("go");
	expect([...silent.screen.statuses]).toEqual([]);
	expect(JSON.stringify(quiet.server.requests.at(-1)?.messages)).not.toContain("Your context is");

	const { server, rpc } = await openBench({ settings: { chronicle: { watchdog: true } }, script });
	const pi = await rpc({ model: "scripted/small" });
	await pi.run("go");
	const nudges = server.requests.at(-1)?.users.filter((text) => text.includes("Your context is")) ?? [];
	expect(nudges).toHaveLength(2);
	expect(nudges[0]).toContain("35 % full (7k of 20k tokens)");
	expect(nudges[1]).toContain("55 % full");
	expect([...pi.screen.statuses.values()].join()).toMatch(/ctx 5\d %/);
});

it("a resumed session is not nudged again for its band; after a compaction it is", async () => {
	const turn = (input: number) => call("bash", { command: "true" }, { usage: { input, output: 10 } });
	const { server, rpc } = await openBench({
		settings: { chronicle: { watchdog: true }, compaction: { enabled: false, keepRecentTokens: 1 } },
		script: (request) => {
			const asked = request.lastUser;
			if (asked.startsWith("work") && request.results.length === 0) return turn(7000);
			if (asked.startsWith("resume") && request.results.length < 2) return turn(7200);
			if (asked.startsWith("fresh") && request.results.length < 1) return turn(7400);
			return say("done", { usage: { input: 7500, output: 10 } });
		},
	});
	const nudges = () => server.requests.at(-1)?.users.filter((text) => text.includes("Your context is")).length;
	const pi = await rpc({ model: "scripted/small" });
	await pi.run("work");
	expect(nudges()).toBe(1);
	const { sessionFile } = (await pi.state()) as { sessionFile: string };
	await pi.close();
	const again = await rpc({ model: "scripted/small", session: sessionFile });
	await again.run("resume");
	expect(nudges()).toBe(1);
	await again.send({ type: "compact" });
	await again.run("fresh");
	expect(nudges()).toBe(1);
});

it("the watchdog follows the notebook's switch immediately, and the branch", async () => {
	const { rpc } = await openBench({
		script: () => call("bash", { command: "true" }, { usage: { input: 7000, output: 10 } }),
	});
	const pi = await rpc({ model: "scripted/small" });
	await pi.prompt("/notebook on");
	const shown = () => pi.screen.statuses.get("chronicle-context");
	expect(shown()).toContain("ctx 0 %");
	await pi.prompt("/notebook off");
	expect(shown()).toBeUndefined();
	await pi.prompt("/notebook on");
	await pi.prompt("go");
	await pi.waitFor("turn_end");
	await pi.screen.status(/ctx 3\d ?%/);
	await pi.send({ type: "abort" });
	await pi.prompt("/notebook off");
	expect(shown()).toBeUndefined();
});
