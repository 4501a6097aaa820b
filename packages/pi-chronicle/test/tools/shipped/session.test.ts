// First use in a session: in an empty project the shipped definitions are listed, run with the session's model, and are copied.
import { describe, expect, it } from "vitest";
import { deepIt } from "../../harness/deep-it.ts";
import { call, openBench, say } from "../../harness/index.ts";
import { patient } from "../../harness/patience.ts";

const limit = { timeout: patient(100_000) };
const move = (target: string) =>
	call("workflow_transition", {
		...{ target_state: target, summary: `To ${target}.` },
		...(target === "building" ? { data: { criteria: ["It greets."] } } : {}),
	});

describe("in an empty project", () => {
	it("the definitions are listed, and a chronicle runs to its end with the session's model", limit, async () => {
		const states = ["building", "tests", "done"];
		const { project, server, rpc } = await openBench({ script: () => move(states.shift() ?? "done") });
		const pi = await rpc({ model: "scripted/two" });
		await pi.prompt("/chronicle");
		await pi.screen.notified(
			/You have no templates yet[\s\S]*Ready to use \(\/chronicle init <name>[\s\S]*\n {2}upgrade /,
		);
		await pi.prompt("/workflow");
		await pi.screen.notified(
			/You have no workflows yet[\s\S]*Ready to use[\s\S]*bug-hunt +Bug hunt: Reproduce → Locate → Repair → Confirm/,
		);
		expect(server.requests).toHaveLength(0);
		expect(project.exists(".pi")).toBe(false);

		await pi.prompt("/chronicle feature Add a greeting");
		await pi.screen.answer(await pi.screen.dialog("Move from planning to building?"), "Approve");
		await pi.screen.notified(": done");
		expect(server.requests.map(({ body }) => (body as { model?: string }).model)).toEqual(["two", "two", "two"]);
		const [planning, building, review] = server.requests;
		for (const reader of [building, review]) expect(reader?.users[0]).toContain("It greets.");
		expect(planning?.system).toContain("You plan changes that another engineer carries out without you.");
		expect(planning?.tools).not.toEqual(expect.arrayContaining(["write"]));
		expect(planning?.tools).not.toContain("bash");
		expect(building?.tools).toEqual(expect.arrayContaining(["read", "bash", "edit", "write"]));
		expect(review?.system).toContain("You review a change that you did not write");
		expect(review?.tools).toContain("bash");
		expect(review?.tools).not.toContain("edit");
		expect(project.list(".pi").filter((path) => !path.startsWith(".pi/chronicle/"))).toEqual([]);
	});

	deepIt("a workflow runs in the session, and its limits hold", limit, async () => {
		const script = [
			call("workflow_step", { action: "next", summary: "It fails twice." }),
			call("write", { path: "a.txt", content: "no" }),
			call("workflow_step", { action: "next", summary: "Line 3." }),
			call("workflow_step", { action: "next", summary: "Repaired." }),
			call("workflow_step", { action: "next", summary: "All well." }),
			say("Done."),
		];
		const { project, rpc } = await openBench({ script });
		const pi = await rpc();
		await pi.prompt("/workflow bug-hunt the total is wrong");
		await pi.settled();
		expect(pi.toolResults().map(({ tool, error }) => [tool, error])).toEqual([
			["workflow_step", false],
			["write", true],
			["workflow_step", false],
			["workflow_step", false],
			["workflow_step", false],
		]);
		expect(project.exists("a.txt")).toBe(false);
	});

	deepIt("init copies a definition of either kind, once; the copy is listed as the project's", limit, async () => {
		const { project, rpc } = await openBench({});
		const pi = await rpc();
		await pi.prompt("/chronicle init review");
		await pi.screen.notified("wrote .pi/chronicle/workflows/review.yaml");
		await pi.prompt("/workflow init docs");
		await pi.screen.notified("wrote .pi/workflows/docs/workflow.yaml");
		await pi.prompt("/workflow init docs");
		await pi.screen.notified(".pi/workflows/docs exists already");
		await pi.prompt("/chronicle init nothing");
		await pi.screen.notified("The package has no definition `nothing`");
		await pi.prompt("/chronicle");
		await pi.screen.notified(/Templates:\n {2}review /);
		await pi.prompt("/chronicle help");
		await pi.screen.notified(/Which one to use, cheapest first:\n {2}prompt /);
		expect(project.exists(".pi/rehearsals/workflows/docs.yaml")).toBe(true);
	});
});
