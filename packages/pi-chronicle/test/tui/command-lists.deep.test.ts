// The commands that are typed alone in the terminal: each opens the same list; Enter opens an entry, or fills its line in.
import { expect, it } from "vitest";
import { openBench } from "../harness/index.ts";
import { patient } from "../harness/patience.ts";

const phase = "---\nid: fix\nname: Fix\nemoji: 🔧\n---\nFix it.\n";
const files = {
	".pi/workflows/fix/workflow.yaml": "name: Fix a bug\ncommandName: fix\ninitialMessage: Begin.\nphases:\n  - fix.md\n",
	".pi/workflows/fix/fix.md": phase,
	".pi/chronicle/workflows/nightly.yaml": "states:\n  build: { persona: Build it., next: [done] }\n  done: {}\n",
};

it("lists what may follow, filters, fills in and opens", { timeout: patient(60_000) }, async () => {
	const { tui } = await openBench({ files, script: [] });
	const pi = await tui({ cols: 100, rows: 30 });
	// Not ctrl+c: pressed twice within half a second, it ends pi.
	const clear = () => pi.press("ctrl+u");

	await pi.submit("/workflow");
	await pi.waitForScreen(/── Workflows [\s\S]* fix +Fix a bug/);
	await pi.type("fix a");
	await pi.waitForScreen("Workflows · fix a");
	await pi.press("enter");
	await pi.waitForScreen(/^\W*\/workflow fix *$/m);
	await clear();

	await pi.submit("/chronicle");
	await pi.waitForScreen("── Chronicles ");
	await pi.type("nightly");
	await pi.press("enter");
	await pi.waitForScreen(/^\W*\/chronicle nightly *$/m);
	await clear();

	await pi.submit("/guard");
	await pi.waitForScreen(/── Guard [\s\S]*No rule/);
	await pi.type("log");
	await pi.press("enter");
	await pi.waitForScreen(/No call|no calls|Nothing/i);

	await pi.submit("/rehearse");
	await pi.waitForScreen(/── Rehearse [\s\S]*nightly/);
	await pi.press("escape");

	await pi.submit("/notebook");
	await pi.waitForScreen(/── Notebook [\s\S]*→ on/);
	await pi.press("enter");
	await pi.waitForScreen("The notebook is on");
	expect(pi.screen()).not.toContain("── Notebook");
});
