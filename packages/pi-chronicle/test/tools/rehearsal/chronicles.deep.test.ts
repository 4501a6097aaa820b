// The example's chronicles, rehearsed to their end by real workers.
import { expect, it } from "vitest";
import { patient } from "../../harness/patience.ts";
import { exampleProject, rehearse } from "./example-project.ts";

it.each([
	["bug-fix", ["investigation", "reproduction", "repair", "confirmation"], ["src/parse.js", "test/parse.test.js"]],
	[
		"refactoring",
		["survey", "safety-net", "change", "comparison"],
		["src/cli.js", "src/format.js", "test/cli.test.js"],
	],
	[
		"parallel",
		["split", "implement", "implement", "tests", "behavior", "readers", "integrate"],
		["src/latest.js", "src/mean.js"],
	],
])(
	"the example chronicle %s follows its scenario to the end",
	{ timeout: patient(90_000) },
	async (name, states, changed) => {
		const { code, stdout } = await rehearse(exampleProject(), "chronicle", name, "--json");
		const { outcome, parts, changes } = JSON.parse(stdout);
		// Children work at the same time, in any order.
		expect(parts.map(({ id }: { id: string }) => id).sort()).toEqual([...states].sort());
		expect(changes.map(({ path }: { path: string }) => path)).toEqual(changed);
		// The test that shows the bug fails, as it must; nothing else does.
		const failed = parts.flatMap(({ calls }: { calls: { with: string; outcome: string }[] }) =>
			calls.filter(({ outcome }) => outcome !== "ok").map((call) => call.with),
		);
		expect(failed).toEqual(name === "bug-fix" ? ["node --test test/parse.test.js"] : []);
		expect([outcome, code]).toEqual(["done", 0]);
		if (name !== "parallel") return;
		// Each call belongs to its child, whichever wrote to the journal last.
		const written = parts.flatMap(({ child, calls }: { child?: string; calls: { tool: string; with: string }[] }) =>
			calls.filter(({ tool }) => tool === "write").map((call) => `${child}: ${call.with}`),
		);
		expect(written.sort()).toEqual(["tasks 1: mean: src/mean.js", "tasks 2: latest: src/latest.js"]);
	},
);
