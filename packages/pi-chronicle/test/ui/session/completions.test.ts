// Completions after `/chronicle `, in a project with templates and runs on disk.
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { createRun, openProject, prepareStart } from "../../../src/local/project/index.ts";
import { openScope } from "../../../src/pi/index.ts";
import { openCompletions } from "../../../src/ui/session/completions.ts";
import { openChronicle } from "../../../src/ui/session/supervised-runs.ts";
import { openFolder } from "../../harness/index.ts";

const template = { states: { plan: { persona: "P", next: ["build"] }, build: { persona: "B", next: ["done"] } } };

async function withRuns() {
	const cwd = openFolder({
		".pi/chronicle/workflows/feature.json": { description: "Plan and build", ...template },
		".pi/chronicle/workflows/status.json": template,
		".pi/chronicle/workflows/broken.json": "{",
	});
	vi.stubEnv("PI_CODING_AGENT_DIR", join(cwd, "agent"));
	const project = openProject({
		cwd,
		home: cwd,
		agentFolder: join(cwd, "agent"),
		trust: "trusted",
		pi: { command: process.execPath, args: [], version: undefined },
	});
	const prepared = await prepareStart(project, "feature");
	if (prepared.kind === "refused") throw new Error(prepared.message);
	const created = await createRun(project, prepared, { task: "Add it", cleanup: "none" });
	if (!created.ok) throw new Error(created.failure.message);
	await created.value.releaseLease();
	const proposals = { on: false, turn: async () => true };
	const session = openChronicle(openScope(), { proposals, more: [] }, () => {});
	const offered = openCompletions(session, async () => session);
	const complete = async (prefix: string, trusted = true) =>
		(await offered(prefix, { cwd, trusted }))?.map(({ value }) => value) ?? null;
	const explain = async (prefix: string) =>
		(await offered(prefix, { cwd, trusted: true }))?.map(({ description }) => description ?? "");
	return {
		id: created.value.run.id.slice(0, 8),
		complete,
		explain,
		offered: (line: string) => offered(line, { cwd, trusted: true }),
	};
}

describe("completions of /chronicle", () => {
	it("offer templates and verbs, then runs, then states; a template named like a verb is offered after start", async () => {
		const { id, complete, explain } = await withRuns();
		expect(await complete("")).toEqual(
			expect.arrayContaining(["feature", "start", "status", "approve", "rewind", "view", "report"]),
		);
		expect((await complete(""))?.filter((name) => name === "status")).toEqual(["status"]);
		expect(await complete("fea")).toEqual(["feature"]);
		expect(await complete("re")).toEqual([
			"refactor",
			"review",
			"resume",
			"reject",
			"release",
			"reopen",
			"rewind",
			"report",
			"repair",
			"remove",
		]);
		expect(await complete("start ")).toEqual(expect.arrayContaining(["start feature", "start status", "start review"]));
		expect(await complete("approve ")).toEqual(["approve last", `approve ${id}`, "approve --choice"]);
		expect(await complete(`approve ${id.slice(0, 3)}`)).toEqual([`approve ${id}`]);
		expect(await complete("resume --t")).toEqual(["resume --tokens"]);
		expect(await complete(`resume ${id} go on --mi`)).toEqual([`resume ${id} go on --minutes`]);
		const names = ["--dry-run", "--other-branch", "--reload", "--approve-cleanup", "--without-cleanup"];
		const options = names.map((option) => `rewind ${option}`);
		expect(await complete("rewind ")).toEqual(["rewind last", `rewind ${id}`, "rewind 1", ...options]);
		expect(await complete("diff last a")).toEqual(["diff last all"]);
		// Every command of the shell is one of a session.
		expect(await complete("discard l")).toEqual(["discard last"]);
		expect(await complete("reopen p")).toEqual(["reopen plan"]);
		expect(await complete(`release ${id} `)).toEqual([
			`release ${id} plan`,
			`release ${id} build`,
			`release ${id} done`,
		]);
		expect(await complete("feature ")).toBeNull();
		expect(await complete("nothing")).toBeNull();
		expect(await complete(`tell ${randomUUID()} `)).toBeNull();
		expect(await complete("fea", false)).toBeNull();
		// Complete words are left to Enter.
		for (const line of ["feature", "status", `approve ${id}`, "approve last", "diff last all", "reopen plan"])
			expect(await complete(line)).toBeNull();
		expect(await explain("approve ")).toContainEqual(expect.stringMatching(/^interrupted in plan, \d+s ago: Add it$/));
	});
});
