// git clean -fdx while a run waits: the documented commands find it and continue it.
import { expect, it } from "vitest";
import { openBench } from "../harness/index.ts";
import { call } from "../harness/reply.ts";
import { chronicle, ledgerOf, move, withTemplates, worker } from "./bench.ts";

it("list and status show the run as before, and approve continues it with its findings", async () => {
	const { project, server } = await openBench({
		files: {
			...withTemplates({
				t: {
					states: {
						plan: { persona: "Planner", next: ["build"], requires_approval: true },
						build: { persona: "Builder", next: ["done"] },
					},
				},
			}),
		},
		git: true,
		script: {
			[worker("plan")]: [
				call("workflow_update_snapshot", { findings: ["The port is 8081"] }),
				move("build", "Planned."),
			],
			[worker("build")]: [move("done", "Built.")],
		},
	});
	const first = await chronicle(project, ["run", "--json", "t", "Do", "it"]);
	expect(first.code, first.stderr).toBe(3);
	const { id } = ledgerOf(project);
	project.git("clean", "-fdx");
	expect(project.exists(".pi/chronicle/sessions")).toBe(false);

	const listed = await chronicle(project, ["list", "--json"]);
	expect(listed.data).toMatchObject({ runs: [{ id, status: "awaiting_approval" }] });
	const status = await chronicle(project, ["status", "--json", id.slice(0, 6)]);
	expect(status.data).toMatchObject({ id, status: "awaiting_approval" });
	const approved = await chronicle(project, ["approve", "--json", id.slice(0, 6), "go", "on"]);
	expect(approved.code, approved.stderr).toBe(0);
	expect(approved.data).toMatchObject({ status: "done" });
	for (const words of ["The port is 8081", "go on"])
		expect(server.about(worker("build"))[0]?.users[0]).toContain(words);
});
