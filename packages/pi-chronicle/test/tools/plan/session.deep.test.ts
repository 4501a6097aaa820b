// `/plan` and `pi-chronicle plan` with real pi: the draft is made by a child session that can only read, corrected until it passes, and
// nothing is written before the user decides.
import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { deepIt } from "../../harness/deep-it.ts";
import { call, gate, openBench, type Project, packageUnderTest, piScript, runNode, say } from "../../harness/index.ts";
import { patient } from "../../harness/patience.ts";

const author = "Draft a definition for pi-chronicle";
const path = ".pi/chronicle/workflows/month.yaml";
const template = (next: string) => `Two parts, so a chronicle.

\`\`\`yaml file=${path}
name: Month option
limits: { cost_usd: 2 }
states:
  plan: { persona: architect, tools: [read, grep], next: [${next}], requires_approval: true }
  build: { persona: engineer, next: [done] }
\`\`\`
`;
const sound = template("build");
const misspelled = template("biuld");
const files = { "package.json": { scripts: { test: "node --test" } }, "src/cli.js": "" };
const slow = 60_000;

describe("/plan", () => {
	it(
		"drafts with reading tools only, corrects what the check finds, shows chart, personas, limits and estimate, and starts on request",
		async () => {
			const { server, rpc, project } = await openBench({
				files,
				script: {
					[author]: [call("read", { path: "package.json" }), say(misspelled), say(sound)],
					'the state "plan"': [call("workflow_transition", { target_state: "build", summary: "Planned." })],
				},
			});
			const pi = await rpc();
			await pi.prompt("/plan Export the receipts of one month");
			const dialog = await pi.screen.dialog("Start this plan?", slow);
			expect(project.exists(path)).toBe(false);
			const drafts = server.about(author);
			expect(drafts[0]?.tools.sort()).toEqual(["find", "grep", "ls", "read"]);
			expect(drafts[0]?.lastUser).toContain("Export the receipts of one month");
			expect(drafts.at(-1)?.lastUser).toMatch(/month\.yaml:4:\d+ warning: `biuld` is not defined/);
			const text = dialog.title.replace(/[ \t]+/g, " ");
			for (const words of [
				"Month option (chronicle month)",
				"Task: Export the receipts of one month",
				"architect · only read, grep · asks you",
				"build engineer",
				"Limits: $2",
				"Rehearsal: 2 visits, to the end",
				/Estimate: [\d.]+k to [\d.]+[kM] tokens, \$[\d.]+ to \$[\d.]+; the run stops at \$2/,
				`Files: ${path}`,
				/Drafting: [\d.]+k? tokens/,
			])
				expect(text).toMatch(words);
			pi.screen.answer(dialog, "Start it now");
			await pi.screen.notified(/Started month/, slow);
			await pi.screen.dialog("Move from plan to build?", slow);
			expect(project.read(path)).toContain("persona: architect");
		},
		patient(120_000),
	);

	deepIt(
		"writes nothing when the plan is dropped, keeps it when it is postponed, also over a restart, and saves it without starting",
		async () => {
			const { rpc, project, server } = await openBench({ files, script: { [author]: [say(sound)] } });
			let pi = await rpc();
			await pi.prompt("/plan Export one month");
			pi.screen.answer(await pi.screen.dialog("Start this plan?", slow), null);
			await pi.screen.notified("The plan waits");
			await pi.close();
			pi = await rpc();
			const asked = pi.prompt("/plan");
			pi.screen.answer(await pi.screen.dialog("Start this plan?"), "Save its files");
			await asked;
			await pi.screen.notified("Start it at any time: /chronicle start month");
			expect(project.read(path)).toContain("Month option");
			await pi.prompt("/plan");
			await pi.screen.notified("Describe the task");
			expect(server.requests).toHaveLength(1);
		},
		patient(120_000),
	);

	deepIt(
		"checks an edited file: a mistake is shown and the previous plan stays; a valid edit is rehearsed and shown",
		async () => {
			const { rpc, project } = await openBench({ files, script: { [author]: [say(sound)] } });
			const edits = [
				"states: {",
				project ? sound.split("\n").slice(3, -2).join("\n").replace("engineer", "developer") : "",
			];
			const answers = ["Edit", "Edit", "Drop"];
			const pi = await rpc({
				answers: ({ method }) => (method === "editor" ? edits.shift() : (answers.shift() ?? null)) ?? null,
			});
			await pi.prompt("/plan Export one month");
			await pi.screen.notified("The edited draft is invalid", slow);
			await pi.prompt("/plan");
			await pi.screen.notified("The plan was dropped. Nothing was written.", slow);
			expect(pi.screen.dialogs.at(-1)?.title).toContain("developer");
			expect(project.exists(path)).toBe(false);
		},
		patient(120_000),
	);

	deepIt(
		"gives up after six drafts and reports the problems, and stops at once when asked",
		async () => {
			const held = gate();
			const { rpc, project, server } = await openBench({
				files,
				script: { [author]: [...Array(6).fill(say(misspelled)), say("too late", { after: held.opened })] },
			});
			const pi = await rpc({ answers: [true] });
			await pi.prompt("/plan Export one month");
			const told = await pi.screen.notified("No draft passed in 6 attempts.", slow);
			expect(told.message).toContain("biuld");
			await pi.prompt("/plan Export one month");
			await server.waitForRequest(7, slow);
			await pi.prompt("/plan");
			await pi.screen.notified("Stopped the drafting.");
			held.open();
			expect(project.exists(".pi/chronicle")).toBe(false);
		},
		patient(120_000),
	);

	deepIt(
		"shows the plan with its answers at every size, is decided by one key, and never covers typed text",
		async () => {
			const { tui, project } = await openBench({ files, script: { [author]: [say(sound), say(sound)] } });
			const pi = await tui({ cols: 80, rows: 24 });
			await pi.submit("/plan Export the receipts of one month");
			await pi.waitForScreen("plan: ", slow);
			pi.type("half a thought");
			await pi.waitForScreen("The plan is ready. /plan shows it.", slow);
			expect(pi.screen()).toContain("half a thought");
			await pi.press("ctrl+u");
			await pi.submit("/plan");
			for (const [cols, rows] of [
				[40, 12],
				[80, 24],
				[120, 40],
			] as const) {
				pi.resize(cols, rows);
				const shown = await pi.waitForScreen(
					(screen) => screen.split("\n").every((line) => line.length <= cols) && screen.includes("Drop it"),
				);
				for (const words of ["Start this plan?", "Later", "Start it now", "Edit one of its files", "Esc later"])
					expect(shown).toContain(words);
			}
			pi.type("x");
			await pi.waitForScreen("The plan was dropped. Nothing was written.");
			expect(project.exists(".pi/chronicle")).toBe(false);
		},
		patient(120_000),
	);

	deepIt(
		"sends the guide of another kind when the model chooses it; a sequence is checked, saved and started without a task",
		async () => {
			const file = ".pi/sequences/tidy.yaml";
			const draft = (steps: string) =>
				`Two prompts.\n\n\`\`\`yaml file=${file}\n${steps}: [Tidy up, Say what you did]\n\`\`\`\n`;
			const { rpc, project, server } = await openBench({
				files,
				script: {
					[author]: [say("The same two prompts each time.\nkind: sequence"), say(draft("step")), say(draft("steps"))],
					"*": [say("Tidy."), say("I tidied up.")],
				},
			});
			const pi = await rpc();
			await pi.prompt("/plan Tidy up");
			const dialog = await pi.screen.dialog("Start this plan?", slow);
			const [chosen, corrected] = server.about(author).slice(1);
			expect(chosen?.lastUser).toContain("# Writing sequences");
			expect(corrected?.lastUser).toMatch(/tidy\.yaml:1:1 .*Did you mean `steps`/);
			expect(dialog.title).toContain("tidy (sequence tidy)");
			expect(dialog.title).not.toContain("Rehearsal:");
			pi.screen.answer(dialog, "Start it now");
			await expect.poll(() => server.requests.at(-1)?.lastUser, { timeout: slow }).toBe("Say what you did");
			expect(project.read(file)).toContain("steps:");
		},
		patient(120_000),
	);

	deepIt("in print mode prints the plan, starts nothing and exits with 3", async () => {
		const { print, project } = await openBench({ files, script: { [author]: [say(sound)] } });
		const { code, stdout } = await print("/plan Export one month");
		expect(stdout).toContain("Month option (chronicle month)");
		expect([code, project.exists(path)]).toEqual([3, false]);
	});

	deepIt(
		"reports a plan that cannot be stored, and pi stays usable",
		async () => {
			const { rpc, project, server } = await openBench({
				files,
				script: { [author]: [say(sound)], "*": [say("still here")] },
			});
			const name = createHash("sha256").update(project.folder).digest("hex").slice(0, 16);
			// A folder where the plan's file would be.
			mkdirSync(join(project.home, ".pi/agent/chronicle/plans", `${name}.json`), { recursive: true });
			const pi = await rpc();
			await pi.prompt("/plan Export one month");
			await pi.screen.notified("The plan failed: ", slow);
			await pi.run("hi");
			expect(server.requests.at(-1)?.lastUser).toBe("hi");
			expect(project.exists(path)).toBe(false);
		},
		patient(120_000),
	);

	deepIt("is refused in a project that is not trusted, without a request to the model", async () => {
		const { rpc, server } = await openBench({ files, trusted: false });
		const pi = await rpc();
		await pi.prompt("/plan Export one month");
		await pi.screen.notified("Trust it first");
		expect(server.requests).toEqual([]);
	});
});

const plan = (project: Project, ...args: string[]) =>
	runNode(project, [packageUnderTest().cli, "plan", "--model", "scripted/one", ...args], {
		env: { PI_CHRONICLE_PI: piScript() },
		timeout: patient(120_000),
	});

describe("pi-chronicle plan", () => {
	deepIt(
		"prints a plan and exits with 3; --save writes it; a name that exists goes back to the model; --start runs it",
		async () => {
			const { project } = await openBench({
				files,
				script: {
					[author]: [say(sound), say(sound), say(sound.replaceAll("month.yaml", "other.yaml"))],
					'the state "plan"': [call("workflow_transition", { target_state: "build", summary: "Planned." })],
				},
			});
			const shown = await plan(project, "--json", "Export one month");
			expect([shown.code, project.exists(path)]).toEqual([3, false]);
			expect(JSON.parse(shown.stdout)).toMatchObject({ kind: "chronicle", name: "month", saved: false });
			const saved = await plan(project, "--save");
			expect(saved.stdout).toContain("Saved. Start it: pi-chronicle run month");
			expect([saved.code, project.exists(path)]).toEqual([0, true]);
			const started = await plan(project, "--start", "Export one month");
			// The run waits for the approval of its plan.
			expect([started.code, project.exists(".pi/chronicle/workflows/other.yaml")]).toEqual([3, true]);
		},
		patient(240_000),
	);

	it("refuses wrong arguments without a model", async () => {
		const { project } = await openBench({ files });
		for (const args of [[], ["--start"], ["--save", "--start", "x"], ["--sav", "x"]]) {
			const done = await plan(project, ...args);
			expect([done.code, done.stdout]).toEqual([2, ""]);
		}
	});
});
