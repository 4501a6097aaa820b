// What a run took, phase by phase, in the entry that ends it.
import { expect, it } from "vitest";
import { call, openBench, say } from "../harness/index.ts";

const phase = (id: string) => `---\nid: ${id}\nname: ${id.toUpperCase()}\nemoji: x\n---\nDo ${id}.`;

it("the end shows time, tokens and cost of every phase, in the session and on the screen", async () => {
	const usage = { input: 900, output: 100 };
	const { tui } = await openBench({
		files: {
			".pi/workflows/two/workflow.yaml":
				"name: Two\ncommandName: two\ninitialMessage: '{description}'\nphases: [a.md, b.md]\n",
			".pi/workflows/two/a.md": phase("a"),
			".pi/workflows/two/b.md": phase("b"),
		},
		script: [
			say("working", { usage }),
			call("workflow_step", { action: "next" }, { usage }),
			call("workflow_step", { action: "next" }, { usage }),
			say("All done.", { usage }),
		],
		settings: { chronicle: { workflow: { countdown: 0 } } },
	});
	const pi = await tui({ cols: 100, rows: 40 });
	await pi.submit("/workflow two it");
	await pi.waitForScreen(/A · .* · 2k tokens · \$0\.00/);
	expect(pi.screen()).toMatch(/B · \d+ s · 1k tokens · \$0\.00/);
	expect(pi.screen()).toMatch(/together · \d+ s · 3k tokens · \$0\.00/);
});
