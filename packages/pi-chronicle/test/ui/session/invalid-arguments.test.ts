// `/chronicle` with invalid arguments, and with ledgers that it cannot resume.
import { describe, expect, it } from "vitest";
import { openBench } from "../../harness/index.ts";
import { patient } from "../../harness/patience.ts";
import { withTemplates } from "../../runs/bench.ts";

const template = { states: { build: { persona: "Engineer", next: ["done"] } } };
const foreign = {
	id: "0123456789abcdef",
	workflowName: "Feature",
	workflowDef: { name: "Feature", states: {} },
	currentState: "coding",
	history: [
		{ state: "planning", agentName: "planner", completedAt: 1771883144996, tokensUsed: 5, summary: "Two steps." },
	],
	snapshot: { keyFindings: ["The port is 8081."] },
	totalTokens: 5,
	status: "running",
	lastUpdated: 1771883144996,
};

describe("/chronicle in a session", () => {
	it("reports misspellings and guesses nothing; shows another program's ledger and does not resume it", async () => {
		const { project, rpc } = await openBench({
			files: {
				...withTemplates({ feature: template, help: template, torn: "{" }),
				".pi/chronicle/sessions/0123456789abcdef.json": foreign,
			},
		});
		const pi = await rpc();
		const answer = async (line: string): Promise<string> => {
			const before = pi.screen.notifications.length;
			await pi.prompt(line);
			await expect.poll(() => pi.screen.notifications.length, { timeout: patient(20_000) }).toBeGreaterThan(before);
			return JSON.stringify(pi.screen.notifications.at(-1));
		};
		for (const [line, said] of [
			["statsu", "Did you mean `status`?"],
			["featrue do it", "Did you mean `feature`?"],
			["Resume", "Did you mean `resume`?"],
			["list all", "Too many arguments"],
			["status last now", "Too many arguments"],
			["show", "`feature`"],
			["show torn", "torn.json:1:"],
			["torn do it", "torn.json:1:"],
			["pause everything", "is not a run"],
			["approve 3f2a9 fine", 'No run matches \\"3f2a9\\"'],
			["approve fine", "There are no runs yet. Start one: /chronicle <template> <task>"],
			["diff last 99 1", "diff [run] [visit | all]"],
			["start help", "Describe the task"],
			["help", "sends a waiting run to a state"],
			["status 0123", "A ledger of AE"],
			["view 0123", "The port is 8081."],
			["resume 0123", "cannot continue here"],
			["abort 0123456789abcdef", "cannot continue here"],
			["check feature ./nothing.json", "neither a file nor a template"],
		])
			expect(await answer(`/chronicle ${line}`), line).toContain(said);
		expect(JSON.parse(project.read(".pi/chronicle/sessions/0123456789abcdef.json"))).toEqual(foreign);
		expect(project.list(".pi/chronicle/sessions")).toEqual([".pi/chronicle/sessions/0123456789abcdef.json"]);
	});

	it("offers no templates of an untrusted project, and says so", async () => {
		const { rpc } = await openBench({ trusted: false, files: withTemplates({ feature: template }) });
		const pi = await rpc();
		await pi.prompt("/chronicle feature Do it");
		await pi.screen.notified("`triage` and `upgrade`. The project's templates are not read");
		await pi.prompt("/chronicle");
		await pi.screen.notified("The project's templates are not read");
	});
});
