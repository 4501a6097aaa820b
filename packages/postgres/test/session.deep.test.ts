// An engine used from a session of pi: submit, view, answer and steer runs, with real pi, a real Postgres and a separate host.
import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { deepIt } from "../../pi-chronicle/test/harness/deep-it.ts";
import {
	openBench,
	packageUnderTest,
	type Rpc,
	startRpc,
	startTerminal,
	startTui,
} from "../../pi-chronicle/test/harness/index.ts";
import { patient } from "../../pi-chronicle/test/harness/patience.ts";
import { needsPostgres } from "../../pi-chronicle/test/harness/postgres.ts";
import { piScript } from "../../pi-chronicle/test/harness/under-test.ts";
import { withTemplates } from "../../pi-chronicle/test/runs/bench.ts";
import { type EngineStage, openEngineStage, openStageModel } from "./engine-stage.ts";

/** How pi is started with the packages of an engine next to this one, and with its address in the environment. */
function named({ cluster }: EngineStage) {
	return {
		package: dirname(dirname(packageUnderTest().cliWithEngine)),
		env: { PI_CHRONICLE_ENGINE: cluster.url, PI_CHRONICLE_PROJECT: "app" },
	};
}

/** Enters a line, and gives the notification that it leads to. */
async function told(pi: Rpc, line: string, wanted: RegExp): Promise<string> {
	const before = pi.screen.notifications.length;
	await pi.prompt(line);
	const find = () => pi.screen.notifications.slice(before).find(({ message }) => wanted.test(message))?.message;
	await expect.poll(find, { timeout: patient(30_000) }).toBeDefined();
	return find() ?? "";
}

/** Submits a run of the play; `asked`: its cleanup commands are not approved yet. */
async function submit(pi: Rpc, task: string, asked = true): Promise<string> {
	const begun = told(pi, `/chronicle play ${task}`, /Submitted play/);
	if (asked) pi.screen.answer(await pi.screen.dialog("commands of its own"), "Allow them");
	const [, id = ""] = /\(([0-9a-f-]{36})\)/.exec(await begun) ?? [];
	return id;
}

describe("a session of pi without the package of engines", () => {
	it("says which engine it cannot use and why, and needs none for its own runs", async () => {
		const { rpc } = await openBench({
			files: withTemplates({ t: { states: { a: { persona: "A", next: ["done"] } } } }),
		});
		const pi = await rpc({ env: { PI_CHRONICLE_ENGINE: "postgres://nobody@127.0.0.1:1/none" } });
		expect(await told(pi, "/chronicle", /postgres/)).toContain("@pi-chronicle/postgres@");
		expect(await told(pi, "/chronicle --engine none", /Runs|No runs/)).toContain("/chronicle --engine none <command>");
		expect(await told(pi, "/chronicle check t", /t/)).not.toContain("postgres@");
	});
});

describe("a session of pi with an engine", needsPostgres, () => {
	it("submits a run, shows what it waits for, asks its question, and reports its end", {
		timeout: patient(180_000),
	}, async () => {
		const server = await openStageModel();
		const stage = await openEngineStage(server);
		const pi = await startRpc(stage.project, named(stage));
		const run = await submit(pi, "Do it all.");
		const short = run.slice(0, 8);
		expect(await told(pi, "/chronicle", /Runs:/)).toMatch(
			new RegExp(`${short} +queued · planning[^\\n]*\\n +Waits for a host of the engine\\.`),
		);
		expect(await told(pi, `/chronicle status ${short}`, /Task:/)).toContain("· queued ·");
		stage.host("a");
		const question = await pi.screen.dialog("Move from planning to building?");
		pi.screen.answer(question, "Approve");
		await pi.screen.notified(new RegExp(`Play ${short}: done`), 60_000);
		await stage.inspect(run);
		expect(await told(pi, `/chronicle diff ${short} all`, /\+built/)).toContain("log.txt");
		// What cannot be done says why.
		expect(await told(pi, `/chronicle approve ${short}`, /over|wait/)).toBeTruthy();
		expect(await told(pi, "/chronicle --engine postgres://nobody@127.0.0.1:1/none list", /reached/)).toContain(
			"127.0.0.1:1/none",
		);
		// Runs of this machine are another list.
		expect(await told(pi, "/chronicle --engine none list", /No runs yet/)).toBeTruthy();
	});

	deepIt("steers a run that is answered elsewhere", { timeout: patient(240_000) }, async () => {
		const server = await openStageModel();
		const stage = await openEngineStage(server);
		const pi = await startRpc(stage.project, named(stage));
		stage.host("a");
		const gate = stage.gate();
		const run = await submit(pi, `Do it all. Gate: ${gate.path}`);
		const short = run.slice(0, 8);
		await pi.screen.dialog("Move from planning to building?");
		// Answered from elsewhere: the run continues, and the session with it.
		await stage.approve(run);
		await stage.untilAtGate(run);
		expect(await told(pi, `/chronicle tell ${short} Mind the gate.`, /read it/)).toContain("engine");
		expect(await told(pi, `/chronicle pause ${short}`, /waits in building/)).toContain("/chronicle resume");
		gate.open();
		await pi.prompt(`/chronicle resume ${short}`);
		await pi.screen.notified(new RegExp(`Play ${short}: done`), 90_000);
		const events = await stage.events(run);
		expect(events.some((event) => event.kind === "told" && event.text === "Mind the gate.")).toBe(true);

		const other = (await submit(pi, "Do it all.", false)).slice(0, 8);
		await pi.screen.dialog(`Play ${other}`);
		await pi.prompt(`/chronicle abort ${other} Not now.`);
		await pi.screen.notified(new RegExp(`Play ${other}: aborted`), 60_000);
	});

	deepIt(
		"shows a run on the timeline of a terminal, asks again by its key, and follows it in a shell",
		{
			timeout: patient(240_000),
		},
		async () => {
			const server = await openStageModel();
			const stage = await openEngineStage(server);
			const gate = stage.gate();
			const run = await stage.submit(gate);
			const short = run.slice(0, 8);
			const follow = [process.execPath, packageUnderTest().cliWithEngine, "view", "--follow", run];
			const address = ["--engine", stage.cluster.url, "--project", "app"];
			const shell = await startTerminal(stage.project, [...follow, ...address], {
				...{ cols: 80, rows: 24, ready: "[1 History]" },
				env: { PI_CHRONICLE_PI: piScript() },
			});
			const pi = await startTui(stage.project, { ...named(stage), cols: 80, rows: 24 });
			stage.host("a");
			await shell.waitForScreen("awaiting approval");
			await stage.until(run, ({ status, holder }) => status === "awaiting_approval" && holder === null);
			await pi.submit(`/chronicle approve ${short}`);
			await pi.waitForScreen("Move from planning to building?");
			await pi.press("escape");
			await pi.waitForScreen((screen) => !screen.includes("Esc later"));
			expect((await stage.until(run, () => true)).status).toBe("awaiting_approval");
			await pi.submit(`/chronicle approve ${short}`);
			await pi.waitForScreen("Move from planning to building?");
			await pi.press("a");
			await stage.untilAtGate(run);
			await pi.waitForScreen(/Building[\s\S]*▸ bash/);
			await shell.waitForScreen("planning → building");
			gate.open();
			await shell.waitForScreen("checking → done");
			await pi.waitForScreen(`Play ${short}: done`);
			await shell.press("q");
			expect(await shell.exit).toEqual({ code: 0 });
		},
	);
});
