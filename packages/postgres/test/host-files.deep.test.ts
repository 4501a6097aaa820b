// What belongs to the files of a run beside their contents, on two hosts: permissions, and the folder of a child that waits.
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openFolder } from "../../pi-chronicle/test/harness/folder.ts";
import { openModelServer } from "../../pi-chronicle/test/harness/index.ts";
import { patient } from "../../pi-chronicle/test/harness/patience.ts";
import { needsPostgres } from "../../pi-chronicle/test/harness/postgres.ts";
import { call } from "../../pi-chronicle/test/harness/reply.ts";
import { move, withTemplates, worker } from "../../pi-chronicle/test/runs/bench.ts";
import { type EngineStage, openEngineStage } from "./engine-stage.ts";

async function submit({ cli }: EngineStage): Promise<string> {
	const submitted = await cli(["run", "--json", "--model", "scripted/one", "--approve-cleanup", "t", "Do it"]);
	expect(submitted.code, submitted.stderr).toBe(0);
	return (JSON.parse(submitted.stdout) as { id: string }).id;
}

async function childOf({ database }: EngineStage, run: string): Promise<{ id: string; status: string } | undefined> {
	const text = "SELECT id::text, status FROM chronicle.run WHERE parent = $1";
	return (await database.query<{ id: string; status: string }>(text, [run])).rows[0];
}

describe("the files of a run on two hosts", { ...needsPostgres, timeout: patient(180_000) }, () => {
	it("keep permissions that git does not keep: on the next host, in a child, and by its join", async () => {
		const notes = join(openFolder(), "notes");
		const look = (where: string, ...names: string[]) =>
			`for f in ${names.join(" ")}; do echo "${where} $(ls -ld $f | cut -c1-10) $f"; done >> ${notes}`;
		const made = ["own.txt", "key.txt", "safe", "safe/x.txt"];
		const states = {
			make: {
				command: `echo k > key.txt; chmod 600 key.txt; mkdir -m 700 safe; echo x > safe/x.txt; ${look("first", "own.txt")}`,
				host: ["one"],
				next: ["look"],
			},
			look: { command: look("second", ...made), host: ["two"], next: ["build"] },
			build: {
				branches: {
					part: {
						task: "Make a file",
						run: {
							states: {
								w: {
									command: `${look("child", ...made)}; echo c > mine.txt; chmod 600 mine.txt; echo >> key.txt`,
									host: ["one"],
									next: ["done"],
								},
								done: {},
							},
						},
					},
				},
				next: ["check"],
			},
			check: { command: look("joined", "mine.txt", ...made), host: ["two"], next: ["done"] },
			done: {},
		};
		const stage = await openEngineStage(await openModelServer(() => "never asked"), {
			files: withTemplates({ t: { states } }),
		});
		// Of the submitter, and not committed yet.
		writeFileSync(join(stage.project.folder, "own.txt"), "own\n");
		chmodSync(join(stage.project.folder, "own.txt"), 0o600);
		stage.host("one", {}, ["--labels", "one"]);
		stage.host("two", {}, ["--labels", "two"]);
		const run = await submit(stage);
		await stage.until(run, ({ status, holder }) => status === "done" && holder === null);
		const kept = (where: string) => [
			`${where} -rw------- own.txt`,
			`${where} -rw------- key.txt`,
			`${where} drwx------ safe`,
			`${where} -rw-r--r-- safe/x.txt`,
		];
		expect(readFileSync(notes, "utf8").trim().split("\n")).toEqual([
			"first -rw------- own.txt",
			...kept("second"),
			...kept("child"),
			"joined -rw------- mine.txt",
			...kept("joined"),
		]);
	});

	it.each(["its folder", "everything in it", "its folder and its snapshots"])(
		"arrive from a child that waits while somebody deletes %s",
		async (what) => {
			const server = await openModelServer({
				[worker("work")]: [call("write", { path: "api.txt", content: "api\n" }), move("done", "The API is there.")],
				[worker("check")]: [move("finished", "All there.")],
			});
			const part = { states: { work: { persona: "Builder", next: ["done"], requires_approval: true } } };
			const build = { branches: { api: { run: part, task: "Write the API" } }, next: ["check"] };
			const t = { states: { build, check: { persona: "Checker", next: ["finished"] } } };
			const stage = await openEngineStage(server, { files: withTemplates({ t }) });
			const { data } = stage.host("a");
			const run = await submit(stage);
			await expect
				.poll(async () => (await childOf(stage, run))?.status, { timeout: patient(60_000) })
				.toBe("awaiting_approval");
			const child = (await childOf(stage, run))?.id ?? "";
			await stage.until(child, ({ parked, holder }) => parked && holder === null);
			const work = join(data, "app", "work", child);
			expect(existsSync(join(work, "api.txt"))).toBe(true);
			if (what === "everything in it")
				for (const name of readdirSync(work)) rmSync(join(work, name), { recursive: true });
			else rmSync(work, { recursive: true });
			if (what.endsWith("snapshots")) rmSync(join(data, "app", "runs", child), { recursive: true });
			// The host makes the files anew that were shown: it is the same question.
			const approved = await stage.cli(["approve", child]);
			expect(approved.code, approved.stderr + approved.stdout).toBe(0);
			await stage.until(run, ({ status, holder }) => status === "done" && holder === null);
			const shown = spawnSync("git", ["--git-dir", stage.remote, "show", `chronicle/${run}:api.txt`], {
				encoding: "utf8",
			});
			expect(shown.stdout).toBe("api\n");
		},
	);
});
