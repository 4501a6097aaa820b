// What ends the repetition of a saved sequence, and what follows a step that fails, in real pi.
import { describe, expect, it } from "vitest";
import { call, fail, openBench, type Reply, say } from "../harness/index.ts";
import { patient } from "../harness/patience.ts";

const retry = { enabled: false };

/** Runs a saved sequence without a terminal. */
async function replay(
	file: string,
	script: (request: { lastUser: string }, count: number) => Reply | string,
	count = "",
) {
	let asked = 0;
	const bench = await openBench({
		settings: { retry },
		files: { ".pi/sequences/s.yaml": file },
		script: (request) => script(request, ++asked),
	});
	const { code, stdout, stderr } = await bench.print(`/sequence run s ${count}`);
	return { code, said: `${stdout}\n${stderr}`, sent: bench.server.requests.map(({ lastUser }) => lastUser), bench };
}

describe("onError", () => {
	const file = (onError: string) => `runs: 3\nonError: ${onError}\nsteps: [first, second]\n`;
	/** The second step of the second run fails, `times` times. */
	const failing = (times: number) => (_request: unknown, count: number) =>
		count >= 4 && count < 4 + times ? fail(400, "out of order") : "ok";

	it("stop ends the sequence, as without the field", async () => {
		const { code, said, sent } = await replay(file("stop"), failing(1));
		expect([code, sent.length]).toEqual([1, 4]);
		expect(said).toMatch(/The sequence stopped at run 2\/3, step 2\/2 \(second\).*out of order/);
	});

	it("continue starts the next run, names the failed one at the end, and exits with 1", async () => {
		const { code, said, sent } = await replay(file("continue"), failing(1));
		expect(sent).toEqual(["first", "second", "first", "second", "first", "second"]);
		expect(said).toMatch(/The sequence continues after run 2\/3, which failed at step 2\/2 \(second\): .*out of order/);
		expect(said).toMatch(/1 run failed:\n {2}run 2: step 2\/2 \(second\): .*out of order/);
		expect(code).toBe(1);
	});

	it("retry repeats the step once, in its session", async () => {
		const once = await replay(file("retry"), failing(1));
		expect(once.sent).toEqual(["first", "second", "first", "second", "second", "first", "second"]);
		expect(once.said).toMatch(
			/The step failed at run 2\/3, step 2\/2 \(second\), and is repeated once: .*out of order/,
		);
		expect(once.code).toBe(0);
		const twice = await replay(file("retry"), failing(2));
		expect([twice.code, twice.sent.length]).toEqual([1, 5]);
		expect(twice.said).toContain("The sequence stopped at run 2/3, step 2/2");
	});

	it("concerns no step that waits for the user, and no stop", async () => {
		const { code, said, sent } = await replay(
			"runs: 2\nmaxCost: 0.000001\nonError: continue\nsteps: [first, second]\n",
			() => say("ok", { usage: { input: 1000, output: 1000 } }),
		);
		expect([code, sent]).toEqual([1, ["first"]]);
		expect(said).toContain("of at most");
	});
});

describe("until", () => {
	it("ends the repetition as soon as the command succeeds", async () => {
		const file = "runs: 5\nuntil: test -e done.txt\nsteps: [go]\n";
		const { code, said, sent } = await replay(file, ({ lastUser }, count) =>
			count === 2 ? call("write", { path: "done.txt", content: "yes" }) : `did ${lastUser}`,
		);
		expect(sent).toHaveLength(3);
		expect(said).toContain("After run 1/5, `test -e done.txt` failed with exit code 1.");
		expect(code).toBe(0);
	});

	it("ends it as soon as a text appears in an answer, not in a prompt", async () => {
		const { code, sent } = await replay(
			'runs: 5\nuntilText: ALL DONE\nsteps: ["say ALL DONE when done", next]\n',
			(_request, count) => (count === 3 ? "now: ALL DONE" : "not yet"),
		);
		expect([code, sent.length]).toEqual([0, 4]);
	});

	it("is a failure if the last run is over before", async () => {
		const { code, said, sent } = await replay(
			"runs: 5\nuntil: exit 3\nuntilText: DONE\nsteps: [go]\n",
			() => "ok",
			"2",
		);
		expect([code, sent.length]).toEqual([1, 2]);
		expect(said).toMatch(
			/nothing that ends the sequence has happened, until `exit 3` succeeds or an answer contains "DONE"/,
		);
	});

	it("is judged like a call of the agent", async () => {
		const bench = await openBench({
			settings: { retry },
			files: {
				".pi/sequences/s.yaml": "runs: 2\nuntil: touch marker.txt\nsteps: [go]\n",
				".pi/damage-control-rules.yaml":
					"bashToolPatterns:\n  - pattern: touch marker\\.txt\n    reason: makes a marker\n",
			},
			script: () => "ok",
		});
		const { code, stdout, stderr } = await bench.print("/sequence run s");
		expect([code, bench.server.requests.length]).toEqual([1, 2]);
		expect(`${stdout}\n${stderr}`).toMatch(/After run 1\/2, `touch marker\.txt` was refused: .*makes a marker/);
		expect(bench.project.exists("marker.txt")).toBe(false);
	});

	it("ends with the sequence when the user stops it", async () => {
		const file = "runs: 3\nuntil: touch started && sleep 20\nsteps: [go]\n";
		const bench = await openBench({ files: { ".pi/sequences/s.yaml": file }, script: () => "ok" });
		const pi = await bench.rpc();
		const running = pi.prompt("/sequence run s");
		await expect.poll(() => bench.project.exists("started"), { timeout: patient(10_000) }).toBe(true);
		await pi.prompt("/sequence stop now");
		await running;
		expect(bench.server.requests).toHaveLength(1);
		// No session is opened for a run that does not follow.
		expect((await pi.entries()).some(({ type }) => type === "message")).toBe(true);
		expect(pi.screen.notifications.at(-1)?.message).toContain("with /sequence run s 3 --from 2.1");
	});

	it("is shown by show, --dry-run, and told where it has no effect", async () => {
		const { bench } = await replay("until: npm test\nonError: retry\nsteps: [go]\n", () => "ok", "--dry-run");
		const pi = await bench.rpc();
		await pi.prompt("/sequence show s");
		expect(pi.screen.text).toContain("1 run, until `npm test` succeeds; a step that fails is repeated once");
		expect(pi.screen.text).toMatch(/s\.yaml:1:1 .*the sequence runs once/);
		await pi.prompt("/sequence run s 3 --dry-run");
		expect(pi.screen.text).toContain(
			"3 runs of 1 step, until `npm test` succeeds; a step that fails is repeated once. Nothing was sent.",
		);
	});
});
