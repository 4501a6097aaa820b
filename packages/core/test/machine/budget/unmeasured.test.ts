// Changes that could not be measured are shown as unmeasured wherever changes are shown.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { supervise } from "../../../../pi-chronicle/src/local/supervisor/index.ts";
import {
	questionLines,
	runData,
	statusLines,
	storyLines,
	undoneOf,
} from "../../../../pi-chronicle/src/ui/phrases/index.ts";
import { within } from "../../../../pi-chronicle/test/harness/patience.ts";
import { moveTo } from "../../../../pi-chronicle/test/local/supervisor/scripted-launcher.ts";
import { openStage } from "../../../../pi-chronicle/test/local/supervisor/stage.ts";
import type { Workspace } from "../../../src/ports/index.ts";
import { addChanges } from "../../../src/snapshot/index.ts";

const asked = {
	name: "t",
	states: {
		plan: { persona: "Planner", next: ["build"], requires_approval: true },
		build: { persona: "Builder", next: ["finished"] },
	},
};
const why = "git was not found anywhere";
const failing: Workspace["snapshot"] = async () => ({
	ok: false,
	failure: { reason: "no_git", message: why, remedy: "Install it." },
});

async function askedWith(change: (workspace: Workspace, looks: number) => Partial<Workspace>) {
	const stage = openStage([moveTo("build")]);
	let looks = 0;
	const { workspace } = stage.ports;
	const snapshot: Workspace["snapshot"] = (options) => {
		looks += 1;
		return (change(workspace, looks).snapshot ?? workspace.snapshot)(options);
	};
	writeFileSync(join(stage.folder, "a.txt"), "1\n");
	const ledger = await stage.create(asked);
	const ports = { ...stage.ports, workspace: { ...workspace, snapshot } };
	const { run } = await supervise(ledger, ports, "fresh").ended;
	const [question] = stage.questions;
	if (!question) throw new Error("Nothing was asked.");
	return { run, ledger, question };
}

it.each<[string, (workspace: Workspace, looks: number) => Partial<Workspace>]>([
	["before and after", () => ({ snapshot: failing })],
	["before", (_, looks) => (looks === 1 ? { snapshot: failing } : {})],
	["after", (_, looks) => (looks === 2 ? { snapshot: failing } : {})],
])("changes not measured %s the visit are never shown as none", async (_, change) => {
	const { run, ledger, question } = await askedWith(change);
	const now = run.updatedAt;
	const lines = questionLines(question, run, now).join("\n");
	expect(lines).toMatch(/Changes could not be measured: .*git was not found anywhere/);
	expect(lines).not.toContain("No files changed");
	const read = { ...ledger, run };
	expect(statusLines(read, { now, prefix: "" }).join("\n")).toContain("could not be measured");
	expect(storyLines(run, undoneOf([])).join("\n")).toContain("could not be measured");
	expect(runData(read)).toMatchObject({
		unmeasured: [{ visit: 1, state: "plan", why: expect.stringContaining(why) }],
		question: { unmeasured: expect.stringContaining(why) },
	});
});

it("a file that could not be read is named besides the known changes", async () => {
	const { run, question } = await askedWith((workspace) => ({
		async snapshot(options) {
			const kept = await workspace.snapshot(options);
			if (!kept.ok) return kept;
			return { ok: true, value: { ...kept.value, unkept: [{ path: "closed", why: "cannot be read" }] } };
		},
	}));
	const lines = questionLines(question, run, run.updatedAt).join("\n");
	expect(lines).toContain("Changes could not be measured: closed (cannot be read)");
	expect(lines).not.toContain("No files changed");
});

it("measured files without changes are shown as such", async () => {
	const { run, question } = await askedWith(() => ({}));
	expect(question.unmeasured).toBeUndefined();
	expect(questionLines(question, run, run.updatedAt).join("\n")).toContain("No files changed.");
	const changed = [{ path: "a.txt", change: "M", added: 3, removed: 1 }] as const;
	const later = { ...run, snapshot: addChanges(run.snapshot, changed, 0, 1) };
	const lines = questionLines(question, later, run.updatedAt).join("\n");
	expect(lines).toContain("No files changed.\nEarlier in the run: 1 file +3 −1.");
});

it("stopping a supervision aborts a measurement that hangs, and the next supervisor measures again", async () => {
	const stage = openStage([moveTo("build")]);
	const { workspace } = stage.ports;
	let begun = (): void => {};
	const looking = new Promise<void>((resolve) => {
		begun = resolve;
	});
	const hanging: Workspace["snapshot"] = ({ signal } = {}) =>
		new Promise((resolve) => {
			const failure = { reason: "stopped", message: "It was stopped.", remedy: "Resume." } as const;
			signal?.addEventListener("abort", () => resolve({ ok: false, failure }));
			begun();
		});
	const ledger = await stage.create(asked);
	const supervision = supervise(ledger, { ...stage.ports, workspace: { ...workspace, snapshot: hanging } }, "fresh");
	await looking;
	const begunAt = Date.now();
	const { run } = await supervision.stop();
	expect(Date.now() - begunAt).toBeLessThan(within(1500));
	expect(run).toMatchObject({ stage: { kind: "baselining" }, notices: [], unmeasured: [] });
	const opened = await stage.store.open(run.id);
	if (!opened.ok) throw new Error(opened.failure.message);
	const end = await supervise(opened.value, stage.ports, "reopened").ended;
	expect(end.run).toMatchObject({ status: "awaiting_approval", unmeasured: [] });
});
