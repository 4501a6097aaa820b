// Longer runs in a session: viewed, rewound, watched by a second session, and without a user. Real pi.
import { describe, expect, it } from "vitest";
import { call, gate, hang, openBench } from "../harness/index.ts";
import { patient } from "../harness/patience.ts";
import { sampleTemplate } from "../sample-template.ts";
import { chronicle, goOn, ledgerOf, move, withTemplates, worker } from "./bench.ts";

describe("a run in a session", () => {
	it("a rewind and a removal ask first, naming what is lost, with the safe answer first", async () => {
		const two = {
			states: { plan: { persona: "P", next: ["build"], requires_approval: true }, build: { persona: "B" } },
		};
		const { project, rpc } = await openBench({
			files: { ...withTemplates({ t: two }), "a.txt": "one\n", ".env": "TOKEN=1\n" },
			git: true,
			script: { [worker("plan")]: [call("bash", { command: "echo two >> a.txt" }), move("build", "Planned.")] },
		});
		const pi = await rpc();
		await pi.prompt("/chronicle t Do it");
		pi.screen.answer(await pi.screen.dialog("Move from plan"), null);
		await pi.screen.notified("/chronicle approve");
		project.write(".env", "TOKEN=22\n");
		const refused = pi.prompt("/chronicle rewind 1");
		const dialog = await pi.screen.dialog(/Rewind [0-9a-f]{8} to the start of visit 1/);
		for (const words of ["M a.txt", ".env (secret by its name", "undo restores them"])
			expect(dialog.title).toContain(words);
		expect(dialog.options?.[0]).toContain("No, change nothing");
		pi.screen.answer(dialog, "No, change nothing");
		await refused;
		expect(project.read("a.txt")).toBe("one\ntwo\n");
		const agreed = pi.prompt("/chronicle rewind 1");
		pi.screen.answer(await pi.screen.dialog(/Rewind [0-9a-f]{8}/), "Yes, rewind");
		await agreed;
		await pi.screen.notified(/Not brought back: \.env \(secret by its name[\s\S]*rewind kept-\d+ undoes it/);
		expect([project.read("a.txt"), project.read(".env")]).toEqual(["one\n", "TOKEN=22\n"]);
		const kept = pi.prompt("/chronicle remove last");
		const removal = await pi.screen.dialog("Remove this run");
		expect(removal.options?.[0]).toBe("No, keep everything");
		pi.screen.answer(removal, "No, keep everything");
		await kept;
		expect(ledgerOf(project).status).toBe("paused");
		const gone = pi.prompt("/chronicle remove last");
		pi.screen.answer(await pi.screen.dialog("Remove this run"), "Yes, remove");
		await gone;
		await pi.screen.notified("removed (");
		expect(project.list(".pi/chronicle/sessions").filter((name) => !name.endsWith(".gitignore"))).toEqual([]);
	});

	it("a dismissed dialog decides nothing; later answers reject with a message, send a message, show the diff, send the run elsewhere", async () => {
		const { project, server, rpc } = await openBench({
			files: { ...withTemplates({ feature: sampleTemplate }), "a.txt": "one\n" },
			git: true,
			script: {
				[worker("planning")]: [
					call("bash", { command: "echo two >> a.txt" }),
					move("implementation", "First."),
					move("implementation", "Second."),
				],
			},
		});
		const pi = await rpc();
		await pi.prompt("/chronicle feature Do it");
		pi.screen.answer(await pi.screen.dialog("Move from planning"), null);
		await pi.screen.notified("/chronicle approve");
		expect(ledgerOf(project).status).toBe("awaiting_approval");
		await expect
			.poll(() => pi.screen.widgets.get("chronicle")?.join("\n"), { timeout: patient(5000) })
			.toContain("Planning [?]");

		await pi.prompt("/chronicle reject name the risks, please");
		const again = await pi.screen.dialog("Move from planning", 20_000);
		expect(server.last().users.at(-1)).toContain("name the risks, please");
		expect(again.title).toContain("Second.");
		expect(again.title).toContain("M a.txt +1 −0");
		pi.screen.answer(again, "Review the changes");
		await pi.screen.notified("+two");
		pi.screen.answer(await pi.screen.dialog("Move from planning"), "Tell the worker something");
		pi.screen.answer(await pi.screen.dialog("What should the next worker know?"), "Mind the gap");
		await pi.screen.notified("The next worker reads it");
		pi.screen.answer(await pi.screen.dialog("Move from planning"), "Send to another state");
		pi.screen.answer(await pi.screen.dialog("Which state"), "verification");
		pi.screen.answer(await pi.screen.dialog("Message for the worker of verification"), "");
		await pi.screen.notified("done");
		expect(ledgerOf(project).history).toMatchObject([{ from: "planning", to: "verification", cause: "person" }]);
		expect(server.requests).toHaveLength(3);
	});
});

describe("a session that watches a run", () => {
	it("shows a decision made elsewhere; a second session only watches", async () => {
		const held = gate();
		const { project, server, rpc } = await openBench({
			files: withTemplates({ feature: sampleTemplate }),
			script: {
				[worker("planning")]: [move("implementation")],
				[worker("implementation")]: [move("verification", "Built.", { after: held.opened })],
			},
		});
		const pi = await rpc();
		await pi.prompt("/chronicle feature Do it");
		const dialog = await pi.screen.dialog("Move from planning", 20_000);
		// The answer comes from outside while the dialog is open: the run continues here, and the dialog is obsolete.
		const outside = await chronicle(project, ["approve", "--json"]);
		expect(outside.data).toMatchObject({ heard: "taken" });
		await server.waitForRequest((request) => request.users[0]?.includes(worker("implementation")) ?? false);
		pi.screen.answer(dialog, "Send to another state");
		const second = await rpc();
		await second.prompt("/chronicle resume");
		await second.screen.notified("supervised by another process");
		await expect
			.poll(() => second.screen.widgets.get("chronicle")?.join("\n"), { timeout: patient(5000) })
			.toContain("Implementation [●]");
		held.open();
		await pi.screen.notified("done", 20_000);
		await expect.poll(() => second.screen.widgets.has("chronicle"), { timeout: patient(5000) }).toBe(false);
	});
});

describe("a run that another process supervises", () => {
	it("is shown as interrupted when that process is killed, with the command that resumes it", async () => {
		const { project, server, rpc } = await openBench({
			files: withTemplates({ one: { states: { build: { persona: "Builder", next: ["finished"] } } } }),
			script: { [worker("build")]: [hang("at it")] },
		});
		const other = goOn(project, ["run", "one", "Do it"]);
		await server.waitForRequest(1, 20_000);
		const pi = await rpc();
		await pi.prompt("/chronicle resume");
		await pi.screen.notified("supervised by another process");
		await expect
			.poll(() => pi.screen.widgets.get("chronicle")?.join("\n"), { timeout: patient(5000) })
			.toContain("Build [●]");
		other.signal("SIGKILL");
		await pi.screen.notified("is interrupted.", 15_000);
		expect(pi.screen.text).toContain("/chronicle resume");
		expect(pi.screen.widgets.has("chronicle")).toBe(false);
	});
});

describe("without a user", () => {
	it("pi -p runs until it needs the user or ends; the exit code says which; nothing is approved by itself", async () => {
		const { project, print } = await openBench({
			files: withTemplates({
				feature: sampleTemplate,
				cleaning: { states: { a: { persona: "A", next: ["b"], cleanup: ["touch ran"] } } },
			}),
			script: {
				[worker("planning")]: [move("implementation", "Planned.")],
				[worker("implementation")]: [move("verification", "Built.")],
			},
		});
		const first = await print("/chronicle feature Do it");
		expect(first.code, first.stderr).toBe(3);
		expect(first.stdout).toContain("▸ planning (visit 1): Software Architect, scripted/one");
		expect(first.stdout).toContain("/chronicle approve");
		expect(ledgerOf(project).status).toBe("awaiting_approval");
		const second = await print("/chronicle approve");
		expect(second.code, second.stderr).toBe(0);
		expect(second.stdout).toContain("Planning [✓] -> Implementation [✓] -> Verification [✓]");
		expect((await print("/chronicle approve")).code).toBe(2);
		expect((await print("/chronicle nothing Do it")).code).toBe(2);
		expect((await print("/chronicle cleaning Do it")).code).toBe(3);
		expect(project.exists("ran")).toBe(false);
	});
});
