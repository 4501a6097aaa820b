// Whole runs from the command line: real pi workers, a scripted model, one process after another.
import { describe, expect, it } from "vitest";
import { openBench } from "../harness/index.ts";
import { call } from "../harness/reply.ts";
import { packageUnderTest } from "../harness/under-test.ts";
import { sampleTemplate } from "../sample-template.ts";
import { chronicle, eventsOf, ledgerOf, move, runIds, withTemplates, worker } from "./bench.ts";

describe("the specification's sample", () => {
	it("runs unchanged: the approval waits in the ledger, a later process answers it, and the next worker gets a handover", async () => {
		const { project, server } = await openBench({
			files: { ...withTemplates({ feature: sampleTemplate }), "src/a.txt": "one\n" },
			git: true,
			script: {
				[worker("planning")]: [
					call("workflow_update_snapshot", { data: "The API port is 8081, not 8080" }),
					move("implementation", "Planned in two steps."),
				],
				[worker("implementation")]: [
					call("write", { path: "src/b.txt", content: "new\n" }),
					call("bash", { command: "echo two >> src/a.txt" }),
					move("verification", "Built it."),
				],
			},
		});
		// Here pi is not named: the one next to the package is found.
		const asInstalled = { cli: packageUnderTest().cliBesidePi, env: { PI_CHRONICLE_PI: undefined } };
		const first = await chronicle(project, ["run", "--json", "feature", "Add", "a", "--month", "option"], asInstalled);
		expect(first.code, first.stderr).toBe(3);
		expect(first.data).toMatchObject({ status: "awaiting_approval", state: "planning", task: "Add a --month option" });
		expect(server.requests).toHaveLength(2);
		const waiting = ledgerOf(project);
		expect(waiting).toMatchObject({ schemaVersion: 2, status: "awaiting_approval", template: { name: "feature" } });
		expect(waiting.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/);

		const second = await chronicle(project, ["approve", "--json", waiting.id.slice(0, 6), "use", "tabs"], asInstalled);
		expect(second.code, second.stderr).toBe(0);
		expect(second.data).toMatchObject({ status: "done", state: "verification" });
		const build = server.about(worker("implementation"))[0];
		expect(build?.users).toHaveLength(1);
		for (const words of ["The API port is 8081", "Planned in two steps.", "use tabs"])
			expect(build?.users[0]).toContain(words);
		const ledger = ledgerOf(project);
		expect(ledger.history.map(({ from, to, cause }) => `${from}>${to} ${cause}`)).toEqual([
			"planning>implementation worker",
			"implementation>verification worker",
		]);
		expect(ledger.snapshot.files.map(({ path }) => path).sort()).toEqual(["src/a.txt", "src/b.txt"]);
		expect(eventsOf(project).map(({ kind }) => kind)).toContain("approved");
	});
});

it("a run in the home folder is asked about first: without a terminal it is refused, and the printed option starts it", async () => {
	const { project } = await openBench({
		files: withTemplates({ t: { states: { build: { persona: "Builder", next: ["done"] } } } }),
		script: { [worker("build")]: [move("done")] },
	});
	// Everything that a process finds its home folder by.
	const atHome = { env: { HOME: project.path(), USERPROFILE: project.path() } };
	const refused = await chronicle(project, ["run", "--json", "t", "Do", "it"], atHome);
	expect(refused.code, refused.stderr).toBe(3);
	expect(refused.stdout + refused.stderr).toMatch(/home folder .* run --in-home/s);
	expect(runIds(project)).toEqual([]);

	const started = await chronicle(project, ["run", "--json", "--in-home", "t", "Do", "it"], atHome);
	expect(started.code, started.stderr).toBe(0);
	expect(runIds(project)).toHaveLength(1);
});
