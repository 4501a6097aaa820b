// The command line on a terminal: one live row below the progress, colors, and nothing of either in a pipe.
import { expect, it } from "vitest";
import { call, gate, openBench, startTerminal } from "../harness/index.ts";
import { patient } from "../harness/patience.ts";
import { packageUnderTest } from "../harness/under-test.ts";
import { chronicle, move, withTemplates, worker } from "./bench.ts";

const template = {
	name: "Feature",
	limits: { cost_usd: 5 },
	states: {
		build: { persona: "Senior Engineer", next: ["check"] },
		check: { persona: "Tester", next: ["done"] },
		done: {},
	},
};
const slow = "setTimeout(() => {}, 60_000);\n";

it(
	"shows the state, the worker, its call, the time and the cost on one row, and each visit with its own time",
	async () => {
		const held = gate();
		const { project, server } = await openBench({
			files: { ...withTemplates({ feature: template }), "slow.mjs": slow },
			git: true,
			script: {
				[worker("build")]: [call("bash", { command: "until [ -e go ]; do sleep 0.1; done" }), move("check", "Built.")],
				[worker("check")]: [call("bash", { command: "node slow.mjs" }, { after: held.opened })],
			},
		});
		server.lenient();
		const terminal = await startTerminal(
			project,
			[process.execPath, packageUnderTest().cli, "run", "--approve", "feature", "Do it"],
			{ cols: 100, rows: 20, ready: /● build/ },
		);
		const row = /● build · Senior Engineer · (?:[2-9]|\d\d)s · \$0\S* ▱{8} of \$5\.00 · bash until \[ -e go/;
		await terminal.waitForScreen(row, 20_000);
		project.write("go", "");
		// The visit took as long as its call, and the line of its start is not its end.
		await terminal.waitForScreen(/✓ build → check · (?:[2-9]|\d\d)s, /, 20_000);
		await terminal.waitForScreen("● check · Tester");
		const lines = terminal.lines().filter((line) => line.trim() !== "");
		expect(lines.filter((line) => line.startsWith("● "))).toHaveLength(1);
		expect(lines.at(-1)).toMatch(/^● check/);
		const plain = terminal.snapshot().runs.flat();
		const mark = plain.find(({ text }) => text.startsWith("✓"));
		const words = plain.find(({ text }) => text.includes("build → check"));
		expect(mark?.text).toBe("✓");
		expect(mark?.style.color).not.toEqual(words?.style.color);
		held.open();
		await terminal.waitForScreen("bash node slow.mjs", 20_000);
		terminal.resize(60, 20);
		await terminal.waitForScreen((screen) => screen.split("\n").filter((line) => line.startsWith("● ")).length === 1);
		process.kill(terminal.pid, "SIGINT");
		await terminal.exit;
		expect(terminal.screen()).not.toMatch(/^● /m);
	},
	patient(90_000),
);

it(
	"has neither colors nor a live row in a pipe",
	async () => {
		const { project } = await openBench({
			files: withTemplates({ feature: template }),
			git: true,
			script: { [worker("build")]: [move("check", "Built.")], [worker("check")]: [move("done", "Fine.")] },
		});
		const { stdout, stderr, code } = await chronicle(project, ["run", "--approve", "feature", "Do it"]);
		expect(code).toBe(0);
		expect(stderr).toContain("✓ build → check");
		// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
		expect(stdout + stderr).not.toMatch(/[\u001b\r]/);
		expect(stderr).not.toContain("●");
		expect(stdout).toMatch(/Next: pi-chronicle report [0-9a-f]{8} · pi-chronicle diff [0-9a-f]{8} all/);
	},
	patient(60_000),
);

it(
	"shows on the row what each child does, as status in another terminal does",
	async () => {
		const held = gate();
		const child = { run: { states: { work: { persona: "Builder", next: ["done"] } } } };
		const other = { run: { states: { write: { persona: "Writer", next: ["done"] } } } };
		const parent = { states: { parts: { branches: { api: child, docs: other }, next: ["done"] } } };
		const { project, server } = await openBench({
			files: { ...withTemplates({ parent }), "slow.mjs": slow },
			git: true,
			script: {
				[worker("work")]: [call("bash", { command: "node slow.mjs" })],
				[worker("write")]: [move("done", "Written.", { after: held.opened })],
			},
		});
		server.lenient();
		const terminal = await startTerminal(
			project,
			[process.execPath, packageUnderTest().cli, "run", "--approve", "parent", "Do it"],
			{ cols: 140, rows: 20, ready: /● parts/ },
		);
		const limit = patient(20_000);
		await terminal.waitForScreen(/● parts .* 0 of 2 children done · api: bash node slow\.mjs · docs: waiting/, limit);
		const { stdout } = await chronicle(project, ["status"]);
		expect(stdout).toMatch(/● api .* · in work: bash node slow\.mjs/);
		expect(stdout).toMatch(/● docs .* · in write: waiting for the model/);
		held.open();
		await terminal.waitForScreen(/● parts .* 1 of 2 children done · api: bash node slow\.mjs/, limit);
		process.kill(terminal.pid, "SIGINT");
		await terminal.exit;
		const left = await chronicle(project, ["status"]);
		expect(left.stdout).toMatch(/api .* · interrupted · .* · in work$/m);
		project.killProcesses();
	},
	patient(90_000),
);
