// A plan that waits for a decision, stored in pi's agent folder, and its files once the user has saved it.
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { DefinitionDraft } from "../../../src/tools/plan/draft.ts";
import { type Plan, saveDraft } from "../../../src/tools/plan/plan.ts";
import { keepPlan, planFolder, removePlan, waitingPlan } from "../../../src/tools/plan/waiting.ts";
import { openFolder } from "../../harness/folder.ts";

const draft: DefinitionDraft = {
	kind: "workflow",
	key: "fix",
	files: [
		{ path: ".pi/workflows/fix/workflow.yaml", text: "name: Fix\n" },
		{ path: ".pi/workflows/fix/a.md", text: "Do it.\n" },
	],
};
const plan: Plan = { task: "t", draft, command: "fix", lines: ["one"], usage: { tokens: 5, costUsd: 0.1 } };
const placeIn = (agentFolder: string, cwd = "/project") => ({ cwd, agentFolder });

describe("a waiting plan", () => {
	it("belongs to its project, until another replaces it or it is removed", () => {
		const folder = openFolder();
		const place = placeIn(folder);
		expect(waitingPlan(place)).toBeUndefined();
		keepPlan(plan, place);
		expect([waitingPlan(place), waitingPlan(placeIn(folder, "/other"))]).toEqual([plan, undefined]);
		keepPlan({ ...plan, task: "another" }, place);
		expect(waitingPlan(place)?.task).toBe("another");
		removePlan(place);
		removePlan(place);
		expect([waitingPlan(place), readdirSync(planFolder(folder))]).toEqual([undefined, []]);
	});

	it("is readable only by the user", () => {
		const folder = openFolder();
		keepPlan(plan, placeIn(folder));
		expect(statSync(planFolder(folder)).mode & 0o077).toBe(0);
	});

	const { task: _task, ...without } = plan;
	const outside = { ...draft, files: [draft.files[0], { path: "../x.md", text: "" }] };
	it.each<[what: string, content: unknown]>([
		["null", null],
		["a number", 7],
		["a list", []],
		["no fields", {}],
		["no task", without],
		["a command that is a number", { ...plan, command: 7 }],
		["lines that are a text", { ...plan, lines: "one" }],
		["a line that is a number", { ...plan, lines: ["one", 7] }],
		["no usage", { ...plan, usage: null }],
		["tokens that are a text", { ...plan, usage: { tokens: "5", costUsd: 0 } }],
		["no cost", { ...plan, usage: { tokens: 5 } }],
		["no files", { ...plan, draft: { ...draft, files: [] } }],
		["files that are a text", { ...plan, draft: { ...draft, files: "x" } }],
		["a file outside the folders of definitions", { ...plan, draft: outside }],
	])("is ignored if its file contains %s", (_what, content) => {
		const place = placeIn(openFolder());
		keepPlan(plan, place);
		const [name = ""] = readdirSync(planFolder(place.agentFolder));
		for (const text of [JSON.stringify(content), JSON.stringify(plan).slice(0, 40), ""]) {
			writeFileSync(join(planFolder(place.agentFolder), name), text);
			expect(waitingPlan(place)).toBeUndefined();
		}
	});
});

describe("the files of a draft", () => {
	it("are written together", async () => {
		const cwd = openFolder();
		expect(await saveDraft(draft, cwd)).toBeUndefined();
		for (const { path, text } of draft.files) expect(readFileSync(join(cwd, path), "utf8")).toBe(text);
	});

	it("are not written if one exists, which stays unchanged", async () => {
		const cwd = openFolder({ ".pi/workflows/fix/a.md": "mine\n" });
		expect(await saveDraft(draft, cwd)).toBe(".pi/workflows/fix/a.md exists by now, so nothing was written.");
		expect(readdirSync(join(cwd, ".pi/workflows/fix"))).toEqual(["a.md"]);
		expect(readFileSync(join(cwd, ".pi/workflows/fix/a.md"), "utf8")).toBe("mine\n");
	});
});
