// Every question that this package asks before a loss preselects the safe answer in the terminal.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { entryTypes } from "../../src/companions/notebook/notebook.ts";
import { snapshotType } from "../../src/sequence/recorded.ts";
import { openBench, SessionDraft, say } from "../harness/index.ts";
import { patient } from "../harness/patience.ts";
import { workflowFiles } from "../workflow/stage.ts";

const source = join(import.meta.dirname, "../../src");
const saved = "steps:\n  - Old\n";

it("Enter keeps the sequence, the page, the workflow and the session", { timeout: patient(60_000) }, async () => {
	const { project, server, tui } = await openBench({
		files: { ".pi/sequences/plan.yaml": saved, ...workflowFiles({ w: { phases: ["a"], autoContinue: false } }) },
		script: () => say("ok"),
	});
	const draft = new SessionDraft(project);
	draft.user("start");
	draft.assistant("yes");
	draft.custom(entryTypes.page, { version: 1, epoch: 1, name: "notes", content: "kept" });
	draft.custom(snapshotType, { version: 1, sequenceId: "s", steps: ["one"], updatedAt: 1 });
	const pi = await tui({ cols: 100, rows: 40, session: draft.write() });
	await pi.submit("/workflow w do it");
	await server.waitForRequest(1);
	await pi.still();
	const asked = [
		["/sequence delete plan", 'Delete the sequence "plan"?'],
		["/sequence save plan", 'Replace the sequence "plan"?'],
		["/notebook delete notes", 'Delete the page "notes"?'],
		["/sequence run 2", "Leave this session for the next run?"],
		["/sequence run 5000", "Run it that many times?"],
		["/workflow w another task", "Abandon the active workflow?"],
	] as const;
	for (const [command, title] of asked) {
		await pi.submit(command);
		await pi.waitForScreen(title);
		await pi.still();
		await pi.press("enter");
		await pi.waitForScreen((screen) => !screen.includes(title));
	}
	await pi.submit("/notebook");
	await pi.waitForScreen("notes: kept");
	expect(project.read(".pi/sequences/plan.yaml")).toBe(saved);
	expect(server.requests).toHaveLength(1);
});

it("pi's own confirmation, which has Yes first, is used only where the terminal has another dialog", () => {
	const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
	const asking = files.filter((file) => /\bui\.confirm\(/.test(readFileSync(join(source, file), "utf8")));
	expect(asking.map((file) => file.replaceAll("\\", "/"))).toEqual(["pi/display/question.ts"]);
});
