// Children that wait for the user in every way: the status of the first run shows each with what it asks, and every printed command works as
// printed.
import { expect, it } from "vitest";
import { openBench } from "../harness/index.ts";
import { patient } from "../harness/patience.ts";
import { call } from "../harness/reply.ts";
import { chronicle, ledgerOf, move, withTemplates, worker } from "./bench.ts";

const one = (name: string, more: object = {}) => ({
	states: { [name]: { persona: "Builder", next: ["done", "failed"], ...more }, done: {}, failed: {} },
});

it("every waiting child is shown with its question, summary, files and the commands that answer it", {
	timeout: patient(240_000),
}, async () => {
	const template = {
		states: {
			build: {
				branches: {
					api: { run: one("write", { requires_approval: true }), task: "Write the API" },
					parts: {
						run: { states: { split: { run: one("deep", { requires_approval: true }), next: ["done"] }, done: {} } },
						task: "Write the parts",
					},
					stuck: { run: one("try"), task: "Try it" },
					lost: { run: one("lose"), task: "Lose it" },
				},
				next: ["finished"],
			},
		},
	};
	const { project } = await openBench({
		files: withTemplates({ t: template }),
		script: {
			[worker("write")]: [call("write", { path: "api.txt", content: "api\n" }), move("done", "The API is there.")],
			[worker("deep")]: [call("write", { path: "deep.txt", content: "deep\n" }), move("done", "The parts are there.")],
			[worker("try")]: [move("human_intervention", "Which port?"), move("done", "Tried.")],
			[worker("lose")]: [move("failed", "There is no disk."), move("done", "Found.")],
		},
	});
	const first = await chronicle(project, ["run", "t", "Build it"]);
	expect(first.code, first.stderr).toBe(3);
	for (const text of [
		/"api" \(\w{8}\): Move from write to done\?\n[\s\S]*The API is there\.[\s\S]*1 file changed, \+1 −0:\n {4}A api\.txt/,
		/"parts › split" \(\w{8}\): Move from deep to done\?\n[\s\S]*The parts are there\.[\s\S]*A deep\.txt/,
		/"stuck" \(\w{8}\): [^\n]*Which port\?/,
	])
		expect(first.stdout).toMatch(text);
	const list = await chronicle(project, ["list"]);
	for (const text of [first.stdout, list.stdout]) {
		expect(text.match(/pi-chronicle approve \w{8}/g)).toHaveLength(2);
		expect(text).not.toContain("--answers");
	}
	const { waitsFor } = (await chronicle(project, ["status", "--json"])).data as {
		waitsFor: { children: { name: string; commands: string[]; files: { files: number } | null }[] };
	};
	expect(waitsFor.children.map(({ name, commands }) => [name, commands[0]?.split(" ")[0]])).toEqual([
		["api", "approve"],
		["parts › split", "approve"],
		["stuck", "release"],
		["lost", "reopen"],
	]);
	// Each as printed, until nothing is left to answer.
	const used: string[] = [];
	for (let status = first.stdout; used.length < 6; ) {
		const printed = /^pi-chronicle ((?:approve|release|reopen) \w{8}[^·\n<]*?)(?: ·|$)/m.exec(status)?.[1];
		if (printed === undefined) break;
		used.push(printed.trim());
		const result = await chronicle(project, printed.trim().split(" "));
		expect([0, 3], `${printed}\n${result.stdout}${result.stderr}`).toContain(result.code);
		status = (await chronicle(project, ["status"])).stdout;
	}
	expect(used.map((command) => command.split(" ")[0])).toEqual(["approve", "approve", "release", "reopen"]);
	const root = (await chronicle(project, ["status", "--json"])).data as { id: string };
	expect(ledgerOf(project, root.id).status).toBe("done");
	expect([project.read("api.txt"), project.read("deep.txt")]).toEqual(["api\n", "deep\n"]);
});
