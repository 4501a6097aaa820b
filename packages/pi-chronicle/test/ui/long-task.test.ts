// A task of 100 KB in every text for the user that names the task: its beginning, its size, and where all of it is.
import { expect, it } from "vitest";
import { previewLines, stepsText } from "../../src/sequence/preview.ts";
import type { DefinitionDraft } from "../../src/tools/plan/draft.ts";
import { planLines } from "../../src/tools/plan/preview.ts";
import type { Program } from "../../src/tools/rehearsal/rehearse.ts";
import { openingLines } from "../../src/tools/rehearsal/report.ts";
import { type ForeignEntry, foreignLines } from "../../src/ui/phrases/index.ts";
import { cancelledText, endText } from "../../src/workflow/prompts/index.ts";
import { begin, drafts, happen } from "../workflow/definition-builder.ts";

const task = `Begin here ${"and do that ".repeat(9_000)}`.trim();
const workflow = begin(drafts({ w: ["a"] }), "w", task);
const ownEnd = begin(drafts({ w: { entries: ["a"], completionMessage: "Did {description}" } }), "w", task);
const cancelled = happen(workflow, { kind: "abandon", at: 2_000 }).run;
const outline = { command: "fix", title: "Fix", steps: [], chart: ["not a chart"], limits: "", maxUsd: undefined };
const draft = { kind: "workflow", key: "fix", files: [] } as unknown as DefinitionDraft;
const planned = { outline, requests: [], missed: [] } as unknown as Parameters<typeof planLines>[2];
const rehearsed = { kind: "workflow", name: "fix", task, diagnostics: [] } as unknown as Program;
const ledger = {
	id: "12345678",
	format: "x",
	summary: { template: "fix", status: "done", task, tokens: 0, updatedAt: "" },
};

it.each<[place: string, text: () => string | Promise<string>]>([
	["the end of a workflow", () => endText(workflow, "done")],
	["a workflow's own last message", () => endText(ownEnd, "done")],
	["a cancelled workflow", () => endText(cancelled, "cancelled")],
	["the row of a model's cancel", () => cancelledText(workflow)],
	["the steps of a sequence", () => previewLines([`/workflow fix ${task}`]).join("\n")],
	["a question about a sequence", () => stepsText([`/workflow fix ${task}`])],
	["a drafted plan", async () => (await planLines(task, draft, planned, { tokens: 0, costUsd: 0 })).join("\n")],
	["a rehearsal", () => openingLines(rehearsed, "/project").join("\n")],
	["a ledger of another tool", () => foreignLines(ledger as unknown as ForeignEntry).join("\n")],
])("%s shows the beginning of a long task and how much more there is", async (_place, text) => {
	const shown = await text();
	expect(shown.length).toBeLessThan(1_100);
	expect(shown).toContain("Begin here and do that");
	expect(shown).toMatch(/(108k? characters; [^)]+|10\d,?\d{3} more characters)/);
});
