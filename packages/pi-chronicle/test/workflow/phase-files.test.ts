// When the snapshot of a phase is taken, and what the user hears of one that fails.
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { WorkspaceFailure } from "@pi-chronicle/core/ports";
import { expect, it } from "vitest";
import { type OpenRunFiles, PhaseFiles } from "../../src/workflow/session/phase-files.ts";
import { begin, drafts } from "./definition-builder.ts";

const run = begin(drafts({ w: ["a"] }), "w");
const failed = (reason: WorkspaceFailure["reason"], message: string) => ({
	ok: false as const,
	failure: { reason, message, remedy: "" },
});
const taken = { ok: true as const, value: { tree: "t", unkept: [], notes: [] } };

/** Plays `keep` once for each of `visits`; snapshots have these outcomes. */
async function keepEach(visits: readonly number[], outcomes: readonly (typeof taken | ReturnType<typeof failed>)[]) {
	const left = [...outcomes];
	const entries: string[] = [];
	const told: string[] = [];
	const pi = {
		getSettings: () => ({ chronicle: { workflow: { snapshots: true } } }),
		appendEntry: (customType: string) => void entries.push(customType),
	} as unknown as ExtensionAPI;
	const ctx = {
		hasUI: true,
		mode: "rpc",
		cwd: "/p",
		ui: { notify: (text: string) => void told.push(text) },
		sessionManager: { getLeafId: () => null, getSessionFile: () => undefined },
	} as unknown as ExtensionContext;
	const open = async () => ({ ok: true, value: { snapshot: async () => left.shift() } });
	const files = new PhaseFiles(pi, open as unknown as OpenRunFiles);
	for (const step of visits) await files.keep(ctx, { ...run, step });
	return { told, left: left.length, saved: entries.length };
}

it("is taken once in a visit", async () => {
	expect(await keepEach([1, 1, 2], [taken, taken, taken])).toEqual({ told: [], left: 1, saved: 2 });
});

it("is taken again where the user has stopped the agent, without a word", async () => {
	expect(await keepEach([1, 1], [failed("stopped", "It was stopped."), taken])).toEqual({
		told: [],
		left: 0,
		saved: 1,
	});
});

it("that fails is reported once for each reason, and not tried again in its visit", async () => {
	const full = failed("no_space", "The disk is full.");
	const { told, left } = await keepEach([1, 1, 2, 3], [full, full, failed("io", "It cannot be read.")]);
	expect(told.map((text) => text.split(". ")[0])).toEqual(["The disk is full", "It cannot be read"]);
	expect(left).toBe(0);
});
