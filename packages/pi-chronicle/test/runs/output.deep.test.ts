// Output data with real workers: a refusal in the same turn, a child per entry, and the next worker's instructions.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openBench } from "../harness/index.ts";
import { patient } from "../harness/patience.ts";
import { call } from "../harness/reply.ts";
import { chronicle, move, withTemplates, worker } from "./bench.ts";

const parts = {
	type: "object",
	required: ["parts"],
	properties: {
		why: { type: "string" },
		parts: {
			type: "array",
			items: { type: "object", required: ["file"], properties: { file: { type: "string", pattern: "\\.txt$" } } },
		},
	},
};
const report = { type: "object", required: ["lines"], properties: { lines: { type: "integer" } } };

const template = {
	requires: ">=0.2",
	states: {
		plan: { persona: "Planner", output: parts, next: ["build"] },
		build: {
			run: { states: { work: { persona: "Builder", output: report, next: ["done"] } } },
			for_each: "output.plan.parts",
			task: "Write {item.file}",
			max_parallel: 1,
			next: ["check"],
		},
		check: {
			persona: "Checker",
			next: ["finished"],
			instructions: "The first has {output.build.0.lines} lines. {output.plan.why}",
		},
	},
};

const why = "Two files, because each has a reader of its own.";

const handOver = (target: string, data: unknown) =>
	call("workflow_transition", { target_state: target, summary: "handed over", data });

describe("output data on the command line", { timeout: patient(120_000) }, () => {
	it("is requested again if it does not match, starts a child per entry, and reaches the next worker", async () => {
		const { project, server } = await openBench({
			files: withTemplates({ t: template }),
			script: {
				[worker("plan")]: [
					call("workflow_update_snapshot", {
						findings: [{ key: "race", file: "src/ü.ts", at: [3, null], deep: { ok: false } }],
					}),
					handOver("build", { parts: [{ file: "a.md" }] }),
					handOver("build", { parts: [{ file: "a.txt" }, { file: "b.txt" }], why }),
				],
				[worker("work")]: ["a.txt", "b.txt"].flatMap((path) => [
					call("write", { path, content: "x\n" }),
					handOver("done", { lines: path === "a.txt" ? 17 : 4 }),
				]),
				[worker("check")]: [move("finished")],
			},
		});
		const run = await chronicle(project, ["run", "t", "Build it"]);
		expect([run.code, run.stderr]).toEqual([0, expect.any(String)]);
		expect(["a.txt", "b.txt"].map((name) => readFileSync(join(project.folder, name), "utf8"))).toEqual(["x\n", "x\n"]);
		const [first, saved, second] = server.about(worker("plan"));
		expect(JSON.stringify(first?.body)).toContain('"pattern":"\\\\.txt$"');
		expect(saved?.lastResult?.text).toBe("Saved f1. This run has no open task.");
		expect(second?.users, "the refusal is no message").toEqual(first?.users);
		const told = server.about(worker("check"))[0]?.users.join("\n");
		for (const line of ["race:", "file: src/ü.ts", "at: [3,null]", 'deep: {"ok":false}']) expect(told).toContain(line);
		expect(JSON.stringify(second?.messages)).toContain("data.parts[0].file must match pattern");
		const tasks = server.about(worker("work")).map(({ users }) => users[0] ?? "");
		expect(tasks.some((text) => text.includes("Write a.txt"))).toBe(true);
		expect(server.about(worker("check"))[0]?.users[0]).toContain("The first has 17 lines.");
		expect(told?.split(why), "told once, in the instructions").toHaveLength(2);
		expect(told).toContain('plan: {"parts":[{"file":"a.txt"},{"file":"b.txt"}]}');
		const replayed = await chronicle(project, ["rehearse", "t"]);
		expect([replayed.code, replayed.stdout, replayed.stderr]).toEqual([
			0,
			expect.stringContaining("check"),
			expect.any(String),
		]);
	});
});
