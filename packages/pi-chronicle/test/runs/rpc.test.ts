// Whole runs from a pi session over RPC: the session stays usable, questions are dialogs, the timeline shows the run's progress.
import { describe, expect, it } from "vitest";
import { deepDescribe, deepIt } from "../harness/deep-it.ts";
import { call, fixtureExtension, gate, openBench, say } from "../harness/index.ts";
import { patient } from "../harness/patience.ts";
import { sampleTemplate } from "../sample-template.ts";
import { ledgerOf, move, withTemplates, worker } from "./bench.ts";

describe("a run in a session", () => {
	it("leaves the session usable while a worker runs, asks for approval in a dialog, and updates the timeline", async () => {
		const held = gate();
		const { project, server, rpc } = await openBench({
			files: withTemplates({ feature: sampleTemplate }),
			git: true,
			script: {
				[worker("planning")]: [
					move("implementation", "Two steps.", { after: held.opened, usage: { input: 1000, output: 100 } }),
				],
				[worker("implementation")]: [move("verification", "Built it.")],
				"*": [say("I am here."), say("No."), say("Fixed.")],
			},
		});
		const pi = await rpc();
		expect(await pi.prompt("/chronicle feature Add a --month option")).toBe("handled");
		await server.waitForRequest((request) => request.users[0]?.includes(worker("planning")) ?? false, 25_000);
		await pi.run("Are you there?");
		expect(server.about("Are you there?")).toHaveLength(1);
		held.open();
		const dialog = await pi.screen.dialog("Move from planning to implementation?");
		for (const words of ["Two steps.", "No files changed.", "1.1k tokens"]) expect(dialog.title).toContain(words);
		expect(server.about(worker("implementation"))).toEqual([]);
		await expect
			.poll(() => pi.screen.widgets.get("chronicle")?.join("\n"), { timeout: patient(5000) })
			.toContain("Planning [?]");
		pi.screen.answer(dialog, "Approve");
		const { message: end } = await pi.screen.notified(": done");
		for (const words of ["Result of implementation", "Built it.", "No files changed."]) expect(end).toContain(words);
		expect(ledgerOf(project)).toMatchObject({ status: "done", state: "verification" });
		// The model of the session knows the result once the user has accepted the offer, as text that is not the user's.
		const [, offered = ""] = /Put the result into this conversation: (\/chronicle use \w{8})/.exec(end) ?? [];
		await pi.run("Do you know?");
		expect(server.requests.at(-1)?.users.join()).not.toContain("Built it.");
		expect(await pi.prompt(offered)).toBe("handled");
		await pi.run("Fix it");
		const [result, prompt] = server.requests.at(-1)?.users.slice(-2) ?? [];
		expect(result).toMatch(/^\[Result of the pi-chronicle run [\s\S]*not by the user[\s\S]*Built it\./);
		expect(prompt).toBe("Fix it");
		const drawn = pi.screen.widgetHistory
			.filter(({ key }) => key === "chronicle")
			.map(({ lines }) => lines?.join("\n") ?? "");
		expect(drawn.some((text) => text.includes("Planning [●] -> Implementation [ ] -> Verification [ ]"))).toBe(true);
		expect(drawn.at(-1)).toBe("");
	});

	deepIt(
		"asks a guard question of a worker in a dialog with the state and the command; after no or yes the worker continues",
		async () => {
			const { project, rpc } = await openBench({
				files: {
					...withTemplates({ one: { states: { build: { persona: "Builder", next: ["finished"] } } } }),
					"deploy.sh": 'echo x > "$1.txt"\n',
					".pi/damage-control-rules.yaml":
						"bashToolPatterns:\n  - pattern: deploy\n    reason: Deploying needs a word\n    ask: true\n",
				},
				script: {
					[worker("build")]: [
						call("bash", { command: "sh deploy.sh one" }),
						call("bash", { command: "sh deploy.sh two" }),
						move("finished"),
					],
				},
			});
			const pi = await rpc();
			await pi.prompt("/chronicle one Do it");
			const first = await pi.screen.dialog("build:", 20_000);
			expect(`${first.title} ${first.message}`).toContain("sh deploy.sh one");
			expect(`${first.title} ${first.message}`).toContain("Deploying needs a word");
			pi.screen.answer(first, false);
			pi.screen.answer(await pi.screen.dialog("build:", 20_000), true);
			await pi.screen.notified("done");
			expect([project.exists("one.txt"), project.exists("two.txt")]).toEqual([false, true]);
		},
	);
});

deepDescribe("a run that waits", () => {
	it("of the published dialect asks before its state starts, and says so; while it waits, no timer and no worker run", async () => {
		const { project, server, rpc } = await openBench({
			files: {
				...withTemplates({
					commit: {
						name: "commit",
						initial: "committing",
						states: {
							committing: { description: "commits", agent: "committer", next: ["done"], requires_approval: true },
						},
					},
				}),
				".pi/agents/committer.md": "---\nname: committer\ntools: Read, Bash\n---\nYou commit.\n",
			},
		});
		const pi = await rpc({ extensions: [fixtureExtension("probe")] });
		const before = (await pi.probe()).resources;
		await pi.prompt("/chronicle commit Do it");
		await pi.screen.notified("before a state starts: committing");
		pi.screen.answer(await pi.screen.dialog("Start committing?", 20_000), "Later");
		await pi.screen.notified("/chronicle approve");
		// The timeline may be drawn once more within a second.
		await expect
			.poll(async () => (await pi.probe()).resources.filter((name) => !before.includes(name)), {
				timeout: patient(5000),
			})
			.toEqual([]);
		expect(pi.screen.widgets.get("chronicle")?.join("\n")).toContain("Committing [?]");
		await pi.prompt("/chronicle abort never mind");
		await pi.screen.notified("aborted");
		expect(pi.screen.widgets.has("chronicle")).toBe(false);
		expect(ledgerOf(project)).toMatchObject({ status: "aborted", state: "committing", attempt: 0 });
		expect(server.requests).toEqual([]);
	});
});

deepDescribe("a session that ends", () => {
	it("by /new or by closing releases its run: nothing keeps running, the next session offers the run and resumes it only on request", async () => {
		const { project, server, rpc } = await openBench({
			files: withTemplates({ one: { states: { build: { persona: "Builder", next: ["finished"] } } } }),
			script: {
				[worker("build")]: [
					call("bash", { command: "echo one >> steps.txt; sleep 91" }),
					call("bash", { command: "echo two >> steps.txt; sleep 92" }),
					move("finished"),
				],
			},
		});
		const pi = await rpc();
		await pi.prompt("/chronicle one Do it");
		await expect.poll(() => project.exists("steps.txt"), { timeout: patient(20_000) }).toBe(true);
		await pi.send({ type: "new_session" }, 20_000);
		await pi.screen.notified("is unfinished in build");
		expect(project.processes().filter(({ command }) => command.includes("sleep"))).toEqual([]);
		expect(pi.screen.widgets.has("chronicle")).toBe(false);
		expect(server.requests).toHaveLength(1);
		expect(project.read("steps.txt")).toBe("one\n");

		await pi.prompt("/chronicle resume");
		await expect.poll(() => project.read("steps.txt"), { timeout: patient(20_000) }).toBe("one\ntwo\n");
		await pi.close();
		expect(project.processes()).toEqual([]);
		const next = await rpc();
		await next.screen.notified("/chronicle resume");
		expect(server.requests).toHaveLength(2);
		await next.prompt("/chronicle resume last");
		await next.screen.notified("done", 20_000);
		expect(server.last().users.at(-1)).toContain("sleep 92");
		expect(project.read("steps.txt")).toBe("one\ntwo\n");
	});
});
