// Two hosts and the command line, without faults and with the worst one.
import { describe, expect, it } from "vitest";
import { deepDescribe } from "../../../harness/deep-it.ts";
import { openModelServer, openProject, packageUnderTest, runNode } from "../../../harness/index.ts";
import { patient } from "../../../harness/patience.ts";
import { needsPostgres } from "../../../harness/postgres.ts";
import { answer } from "../../kills/sample-run.ts";
import { foldersOf, openEngineStage } from "./engine-stage.ts";

describe("a package without pg and pg-boss", () => {
	it("says how to install them, and only where an engine is named", async () => {
		const project = openProject({ trusted: true });
		const { cli } = packageUnderTest();
		const named = await runNode(project, [cli, "list", "--engine", "postgres://nobody@127.0.0.1:1/none"]);
		expect(named.code).toBe(1);
		expect(named.stderr).toContain("npm install pg@8 pg-boss@12");
		expect((await runNode(project, [cli, "list"])).code).toBe(0);
	});
});

deepDescribe("an engine", needsPostgres, () => {
	it("does a run that was submitted, approved and looked at from elsewhere", {
		timeout: patient(120_000),
	}, async () => {
		const server = await openModelServer(answer);
		const stage = await openEngineStage(server);
		const a = stage.host("a");
		const run = await stage.submit();
		await stage.approve(run);
		await stage.inspect(run);
		await expect.poll(() => foldersOf(a), { timeout: patient(20_000) }).toEqual([]);
		const events = await stage.events(run);
		expect(events.filter(({ kind }) => kind === "opened")).toHaveLength(1);
		const status = await stage.cli(["status", run]);
		expect(status.stdout).toContain("done");
		const diff = await stage.cli(["diff", run, "all"]);
		expect(diff.stdout).toContain("+built");
		const engine = await stage.cli(["engine", "status"]);
		expect(engine.stdout).toMatch(/host a .*0 of 4 slots, alive/);
		const asked = await stage.cli(["engine", "drain", "a"]);
		expect(asked.code).toBe(0);
		expect(await a.child.exited).toEqual({ kind: "exited", code: 0 });
	});
});
