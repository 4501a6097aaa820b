// `rehearse --every` with real pi: evidence of one run, bounds, and options that exclude each other. Whole reports: every.deep.test.ts.
import { describe, expect, it } from "vitest";
import { deepIt } from "../../harness/deep-it.ts";
import { openProject } from "../../harness/index.ts";
import { rehearse } from "./example-project.ts";

const files = {
	".pi/workflows/small/workflow.yaml":
		"name: Small\ncommandName: small\ninitialMessage: 'Do {description}'\nphases: [a.md, b.md]\n",
	".pi/workflows/small/a.md": "---\nid: a\nname: First\nemoji: 🅰\ntools: { allow: [read] }\n---\nLook.\n",
	".pi/workflows/small/b.md": "---\nid: b\nname: Second\nemoji: 🅱\nadvance: person\n---\nWrite.\n",
};

describe("pi-chronicle rehearse --every", () => {
	deepIt("stops at its bound, counts only items that its runs covered, and exits with 1", async () => {
		const project = openProject({ files });
		const before = project.list();
		const { code, stdout, stderr, left } = await rehearse(project, "small", "--every", "--runs", "1", "--json");
		const report = JSON.parse(stdout);
		expect(report).toMatchObject({ outcome: "incomplete", bound: "runs", notEnforced: [] });
		expect(report.covered.map(({ text }: { text: string }) => text)).toEqual([
			"a → b",
			"a refuses write",
			"b → end",
			"end of b: yes",
			"end of b: no",
			"the agent cannot end b",
		]);
		expect(report.notCovered).toContainEqual(
			expect.objectContaining({ text: "b → a (back)", why: "no run reached it" }),
		);
		expect(report.unreachable).toContainEqual(
			expect.objectContaining({ id: "tools:small/b", why: "nothing limits its tools" }),
		);
		expect(stderr).toContain("Stopped after 1 run, at the limit of --runs.");
		expect(code).toBe(1);
		expect(left).toEqual([]);
		expect(project.list()).toEqual(before);
	});

	it.each([
		["a scenario", ["small", "--every", "--scenario", "x.yaml"], /--scenario/],
		["--keep", ["small", "--every", "--keep"], /--keep/],
		["no runs", ["small", "--every", "--runs", "0"], /whole number from 1/],
		["minutes that are no number", ["small", "--every", "--minutes", "long"], /whole number from 1/],
		["bounds without --every", ["small", "--runs", "3"], /--every/],
	])("refuses %s with 2", async (_, args, message) => {
		const { code, stderr, stdout } = await rehearse(openProject({ files }), ...args);
		expect(stderr).toMatch(message);
		expect([code, stdout]).toEqual([2, ""]);
	});
});
