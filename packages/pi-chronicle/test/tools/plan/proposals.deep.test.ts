// The tool with which the model proposes runs: absent until it is switched on, and nothing starts without the user, except the templates that
// a setting names.
import { describe, expect, it } from "vitest";
import { deepIt } from "../../harness/deep-it.ts";
import { call, openBench, say } from "../../harness/index.ts";
import { patient } from "../../harness/patience.ts";

const path = ".pi/chronicle/workflows/month.yaml";
const states = "states:\n  build: { persona: engineer, next: [done] }\n";
const slow = 60_000;
const build = { 'the state "build"': [call("workflow_transition", { target_state: "done", summary: "Built." })] };
const propose = (args: object) => call("propose_run", { task: "Export one month", ...args });

/** The tool of that name in the body of a request. */
function toolIn(body: unknown, name: string): { readonly description?: string } {
	const { tools = [] } = body as { tools?: { function?: { name: string; description: string } }[] };
	return tools.map((tool) => tool.function).find((tool) => tool?.name === name) ?? {};
}

describe("proposals", () => {
	it(
		"cost nothing until one question is answered; a draft with a mistake goes back to the model; the user starts it",
		async () => {
			const { server, rpc, project } = await openBench({
				script: {
					...build,
					"*": [
						say("plain"),
						propose({ files: [{ path, text: states.replace("engineer", "[]") }] }),
						propose({ files: [{ path, text: states }] }),
						say("It runs."),
						say("Known."),
					],
				},
			});
			const pi = await rpc();
			await pi.run("hi");
			const before = server.requests[0];
			expect(JSON.stringify(before?.body)).not.toContain("propose_run");
			await pi.prompt("/chronicle tool");
			await pi.screen.notified("The model cannot propose runs.");
			// pi accepts the message once the question is answered.
			const accepted = pi.prompt("Run this as a chronicle");
			pi.screen.answer(await pi.screen.dialog("May the model propose runs"), "Yes, from now on");
			await pi.screen.notified("The model can propose runs now");
			await accepted;
			const dialog = await pi.screen.dialog("Start this plan?", slow);
			expect(dialog.title).toContain("Task: Export one month");
			expect(project.exists(path)).toBe(false);
			pi.screen.answer(dialog, "Start it now");
			await pi.screen.notified("Started month", slow);
			await pi.settled();
			const { description = "" } = toolIn(server.requests.at(-1)?.body, "propose_run");
			expect(description).toMatch(/Templates:\n[\s\S]*- feature: \S/);
			const [wrong, right] = pi.toolResults();
			expect([wrong?.error, right?.error]).toEqual([true, false]);
			expect(JSON.stringify(server.requests.at(-1)?.messages)).toContain("month.yaml:2:21");
			expect(project.read(path)).toBe(states);
			await pi.close();
			const next = await rpc();
			await next.run("Run this as a chronicle, too");
			expect(next.screen.dialogs).toEqual([]);
			expect(JSON.stringify(server.requests.at(-1)?.body)).toContain("propose_run");
		},
		patient(120_000),
	);

	deepIt(
		"that the user drops write nothing; when switched off, the tool is absent, also after a restart",
		async () => {
			const { server, rpc, project } = await openBench({
				script: [say("plain"), propose({ files: [{ path, text: states }] }), say("As you like."), say("plain again")],
			});
			let pi = await rpc();
			await pi.run("hi");
			await pi.prompt("/chronicle tool on");
			await pi.prompt("Run this as a chronicle");
			pi.screen.answer(await pi.screen.dialog("Start this plan?", slow), "Drop it");
			await pi.settled();
			expect(JSON.stringify(server.requests.at(-1)?.messages)).toContain("The user dropped the proposal");
			expect(project.exists(".pi/chronicle")).toBe(false);
			await pi.prompt("/chronicle tool off");
			const session = project.sessionFiles().at(-1);
			await pi.close();
			pi = await rpc(session === undefined ? {} : { session });
			await pi.run("hi again");
			expect(server.requests.at(-1)?.tools).not.toContain("propose_run");
		},
		patient(120_000),
	);

	deepIt.each([
		["asks before an existing template starts", {}, false],
		["starts a template that the setting names without a question", { startUnasked: ["month"] }, true],
	])(
		"%s",
		async (_what, more, unasked) => {
			const { rpc } = await openBench({
				files: { [path]: states },
				settings: { chronicle: { proposals: true, ...more } },
				script: { ...build, "*": [propose({ template: "month" }), say("ok")] },
			});
			const pi = await rpc();
			await pi.prompt("Run the month template");
			if (!unasked) pi.screen.answer(await pi.screen.dialog("The model proposes to start month", slow), "Yes");
			await pi.screen.notified("Started month", slow);
			await pi.settled();
			expect(pi.screen.dialogs).toHaveLength(unasked ? 0 : 1);
		},
		patient(120_000),
	);

	deepIt(
		"start nothing in print mode, regardless of the model's request",
		async () => {
			const { print, project } = await openBench({
				settings: { chronicle: { proposals: true } },
				script: [propose({ files: [{ path, text: states }] }), say("ok")],
			});
			const { stdout } = await print("Run this as a chronicle");
			expect(stdout).toContain("ok");
			expect(project.exists(path)).toBe(false);
		},
		patient(120_000),
	);
});
