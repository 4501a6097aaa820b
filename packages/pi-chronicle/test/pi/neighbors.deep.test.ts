// This package's commands, status lines and annotations together with packages that use the same names, replace the footer or ask before calls.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { call, fixtureExtension, openBench, packageUnderTest, type RpcOptions, say } from "../harness/index.ts";
import { patient } from "../harness/patience.ts";
import { recorded } from "../sequence/stage.ts";
import { openStage, stepCall, workflowFiles } from "../workflow/stage.ts";

const neighbors = (what: string, order: "before" | "after" = "after"): RpcOptions => ({
	env: { NEIGHBORS: what },
	...(order === "after"
		? { extensions: [fixtureExtension("neighbors")] }
		: { package: "none", extensions: [fixtureExtension("neighbors"), packageUnderTest().root] }),
});

describe.each(["before", "after"] as const)("a package with /workflow and /handoff loaded %s this one", (order) => {
	const ours = order === "before" ? ":2" : ":1";

	it("is reported once, and the bare command does not reach the model", async () => {
		const stage = await openStage({ w: [{ id: "a" }] });
		const pi = await stage.rpc(neighbors("commands", order));
		await pi.screen.notified(new RegExp(`Ours: .*/workflow${ours}`));
		await pi.prompt("/workflow w do it");
		await pi.screen.notified(`Ours is /workflow${ours}. Nothing was sent.`);
		await pi.prompt("/handoff");
		await pi.screen.notified(`Ours is /handoff${ours}. Nothing was sent.`);
		expect(stage.server.requests).toHaveLength(0);
		stage.play(call(...stepCall("next")));
		await pi.prompt(`/workflow${ours} w do it`);
		await pi.settled(20_000);
		expect(stage.server.requests[0]?.body && JSON.stringify(stage.server.requests[0]?.body)).toContain(
			"Start w: do it",
		);
		expect(stage.project.exists("neighbors.log")).toBe(false);
		// Other texts with a slash are the user's.
		await pi.run("/usr/bin is a path");
		expect(stage.server.requests.at(-1)?.lastUser).toBe("/usr/bin is a path");
	});

	it("a recorded /handoff runs ours, under pi's new name", async () => {
		const { project, server, rpc } = await openBench({
			script: [say("one"), call("handoff", { context: "THE BRIEF" }), say("successor worked"), say("three")],
		});
		const pi = await rpc({
			...neighbors("commands", order),
			session: recorded(project, "first", "/handoff do the rest", "third"),
		});
		await pi.prompt("/sequence run");
		await expect.poll(() => server.requests.length, { timeout: patient(20_000) }).toBe(4);
		expect(server.requests[1]?.tools).toContain("handoff");
		expect(JSON.stringify(server.requests[2]?.messages)).toContain("THE BRIEF");
		expect(server.requests[3]?.lastUser).toBe("third");
		expect(project.exists("neighbors.log")).toBe(false);
	});

	it("without a screen nothing is sent either, and the exit code is an error", async () => {
		const stage = await openStage({ w: [{ id: "a" }] });
		const end = await stage.print("/workflow w do it", neighbors("commands", order));
		expect([end.code, stage.server.requests.length]).toEqual([2, 0]);
		expect(end.stdout + end.stderr).toContain(`Ours is /workflow${ours}`);
	});
});

it("a permission package asks neither for workflow_step nor for read-only calls", async () => {
	const stage = await openStage({ w: [{ id: "a" }, { id: "b" }] });
	const pi = await stage.rpc(neighbors("permission"));
	stage.play(call(...stepCall("next")), call("bash", { command: "true" }), call(...stepCall("next")));
	await pi.prompt("/workflow w do it");
	await pi.settled(20_000);
	expect(stage.project.read("neighbors.log").trim().split("\n")).toEqual(['asked "bash"']);
});

describe("when another package replaces the footer or clears status lines", () => {
	it("phase and posture appear above the editor, unless pi's own footer shows them", async () => {
		const files = { ...workflowFiles({ w: [{ id: "a", autoContinue: false }] }) };
		const bench = await openBench({ files, script: () => say("ok") });
		const hidden = await bench.tui({ cols: 80, rows: 24, ...neighbors("footer,clears") });
		await hidden.submit("/readonly");
		await hidden.waitForScreen((screen) => /^\s*readonly\s*$/m.test(screen) && screen.includes("a footer of somebody"));
		await hidden.submit("/workflow w do it");
		await hidden.waitForScreen("Workflow w > 🔹 A");
		await hidden.close();
		const plain = await bench.tui({ cols: 80, rows: 24 });
		await plain.submit("/readonly");
		await plain.waitForScreen("readonly");
		await plain.still();
		expect(
			plain
				.screen()
				.match(/^.*\breadonly\b.*$/gm)
				?.filter((line) => !/Readonly:|\/readonly/.test(line)),
		).toHaveLength(1);
	});
});

describe("defaultProjectTrust: never", () => {
	const files = workflowFiles({ w: [{ id: "a" }] });

	it("without a saved decision a project's workflows are not read, which is reported", async () => {
		const bench = await openBench({
			files,
			settings: { defaultProjectTrust: "never" },
			script: () => say("ok"),
		});
		rmSync(join(bench.project.agentFolder, "trust.json"), { force: true });
		const end = await bench.print("/workflow w do it");
		expect([end.code, bench.server.requests.length]).toEqual([2, 0]);
		expect(end.stdout + end.stderr).toMatch(/trust/);
		const saved = await openBench({ files, settings: { defaultProjectTrust: "never" }, script: [say("ok")] });
		const pi = await saved.rpc();
		await pi.prompt("/workflow list");
		await pi.screen.notified(/Workflow w/);
	});

	it("with pi's default they are read", async () => {
		const bench = await openBench({ files, script: () => say("ok") });
		rmSync(join(bench.project.agentFolder, "trust.json"), { force: true });
		const pi = await bench.rpc();
		await pi.prompt("/workflow list");
		await pi.screen.notified(/Workflow w/);
	});
});
