// A run that continues with its edited template, from the command line.
import { expect, it } from "vitest";
import { openBench } from "../harness/index.ts";
import { patient } from "../harness/patience.ts";
import { call } from "../harness/reply.ts";
import { chronicle, eventsOf, ledgerOf, move, withTemplates, worker } from "./bench.ts";

const file = ".pi/chronicle/workflows/t.json";
const build = { persona: "Builder", next: ["finished"], instructions: "Use tabs." };
const before = { limits: { cost_usd: 1 }, states: { build, finished: { next: [] } } };
const after = {
	limits: { cost_usd: 10 },
	states: {
		build: { ...build, instructions: "Use spaces.", next: ["review"], cleanup: ["echo cleaned >> cleaned.txt"] },
		review: { persona: "Reviewer", next: ["finished"] },
		finished: { next: [] },
	},
};

it("resume --reload refuses an incompatible template, and continues with a compatible one", {
	timeout: patient(90_000),
}, async () => {
	const { project, server } = await openBench({
		files: withTemplates({ t: before }),
		script: {
			[worker("build")]: [
				call("write", { path: "a.txt", content: "a\n" }, { usage: { input: 2_000_000, output: 1 } }),
				move("review", "Built."),
			],
			[worker("review")]: [move("finished", "Reviewed.")],
		},
	});
	const first = await chronicle(project, ["run", "t", "Build it"]);
	expect([first.code, ledgerOf(project).status]).toEqual([4, "budget_exceeded"]);

	project.write(file, { ...after, states: { review: after.states.review } });
	const gone = await chronicle(project, ["resume", "--reload"]);
	expect([gone.code, gone.stderr]).toEqual([2, expect.stringContaining('"build" is no longer a state')]);
	project.write(file, "{");
	const broken = await chronicle(project, ["resume", "--reload"]);
	expect([broken.code, broken.stderr]).toEqual([2, expect.stringContaining("does not load")]);
	project.write(file, after);
	const unapproved = await chronicle(project, ["resume", "--reload"]);
	expect([unapproved.code, unapproved.stderr]).toEqual([3, expect.stringContaining("cleaned.txt")]);
	const undo = await chronicle(project, ["rewind", "undo", "--reload"]);
	expect([undo.code, undo.stderr]).toEqual([2, expect.stringContaining("number of a visit")]);
	expect(ledgerOf(project).status).toBe("budget_exceeded");

	const resumed = await chronicle(project, ["resume", "--reload", "--approve-cleanup"]);
	expect([resumed.code, resumed.stderr]).toEqual([0, expect.not.stringContaining("has changed since")]);
	expect(project.read("cleaned.txt")).toBe("cleaned\n");
	expect(ledgerOf(project).history.map(({ from, to }) => `${from} ${to}`)).toEqual(["build review", "review finished"]);
	const texts = server.requests.map(({ users }) => users.join("\n"));
	expect(texts.map((text) => text.includes("Use spaces."))).toEqual([false, true, false]);
	const [created, ...later] = eventsOf(project);
	const reload = later.find(({ kind }) => kind === "resumed")?.reload as { template: { definition: unknown } };
	expect([created?.template, reload.template]).toMatchObject([{ definition: before }, { definition: after }]);
	const report = await chronicle(project, ["report"]);
	expect([report.code, report.stderr]).toEqual([0, expect.any(String)]);
});
