// States that are commands, children that need each other, and runs apart, on two hosts of which one is killed.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { LedgerEvent } from "@pi-chronicle/core/machine";
import { describe, expect, it } from "vitest";
import { CRASH_VARIABLE } from "../../pi-chronicle/src/local/supervisor/index.ts";
import { openFolder } from "../../pi-chronicle/test/harness/folder.ts";
import { openModelServer } from "../../pi-chronicle/test/harness/index.ts";
import { patient } from "../../pi-chronicle/test/harness/patience.ts";
import { needsPostgres } from "../../pi-chronicle/test/harness/postgres.ts";
import { call } from "../../pi-chronicle/test/harness/reply.ts";
import { childWorker, move, withTemplates, worker } from "../../pi-chronicle/test/runs/bench.ts";
import { type EngineHost, type EngineStage, eventually, inspectRecord, openEngineStage } from "./engine-stage.ts";

/** A stage with the template `t`. */
async function openSteps(
	t: object,
	script: Parameters<typeof openModelServer>[0] = () => "never asked",
	files: Readonly<Record<string, unknown>> = {},
): Promise<EngineStage> {
	return openEngineStage(await openModelServer(script), { files: { ...withTemplates({ t }), ...files } });
}

async function submit({ cli }: EngineStage, ...options: readonly string[]): Promise<string> {
	const submitted = await cli([
		"run",
		"--json",
		"--model",
		"scripted/one",
		"--approve-cleanup",
		...options,
		"t",
		"Do it",
	]);
	expect(submitted.code, submitted.stderr + submitted.stdout).toBe(0);
	return (JSON.parse(submitted.stdout) as { id: string }).id;
}

async function untilDead({ child, log }: EngineHost): Promise<void> {
	const end = await Promise.race([child.exited, sleep(patient(60_000))]);
	expect(end?.kind, log()).toBe("killed");
}

async function untilDone(stage: EngineStage, run: string): Promise<readonly LedgerEvent[]> {
	await stage.until(run, ({ status, holder }) => status === "done" && holder === null);
	await inspectRecord(stage, run);
	return stage.events(run);
}

/** What the run's branch holds of a file, once that is `text`. */
function branchHas({ remote }: EngineStage, run: string, name: string, text: string): Promise<string> {
	const show = () =>
		spawnSync("git", ["--git-dir", remote, "show", `refs/heads/chronicle/${run}:${name}`], { encoding: "utf8" }).stdout;
	return eventually(show, (shown) => shown === text);
}

const lines = (file: string): readonly string[] =>
	existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];

describe("a command on an engine", { ...needsPostgres, timeout: patient(180_000) }, () => {
	/** Each command notes that it ran, outside of the run's folder. */
	const noting = (repeatable: boolean) => {
		const notes = join(openFolder(), "ran");
		const states = {
			test: {
				command: `echo ran >> ${notes}; echo made > made.txt; exit 3`,
				repeatable,
				next: { 3: "look", else: "failed" },
			},
			look: { command: "cat made.txt", next: ["done", "failed"] },
			done: {},
			failed: {},
		};
		return { notes, states };
	};

	it.each([
		["before command_started", false, 1],
		["after command_started", true, 1],
		["command is over", true, 2],
		["after command_ended", false, 1],
		["after moved", false, 1],
	])(
		"whose host is killed '%s' continues elsewhere with its files (repeatable: %s)",
		async (point, repeatable, times) => {
			const { notes, states } = noting(repeatable);
			const stage = await openSteps({ states });
			const dying = stage.host("dying", { [CRASH_VARIABLE]: point });
			const run = await submit(stage);
			await untilDead(dying);
			stage.host("heir");
			const events = await untilDone(stage, run);
			expect(lines(notes)).toHaveLength(times);
			expect(events.flatMap((event) => (event.kind === "moved" ? [event.to] : []))).toEqual(["look", "done"]);
			expect(await branchHas(stage, run, "made.txt", "made\n")).toBe("made\n");
		},
	);

	it("that may not run twice is asked about on another host, which says that its changes are undone", async () => {
		const { notes, states } = noting(false);
		const stage = await openSteps({ states });
		const dying = stage.host("dying", { [CRASH_VARIABLE]: "command is over" });
		const run = await submit(stage);
		await untilDead(dying);
		stage.host("heir");
		await stage.until(run, ({ status, holder }) => status === "asks" && holder === null);
		const status = await stage.cli(["status", run]);
		expect(status.stdout).toContain("what the command changed in the files is undone");
		const answers = await Promise.all([stage.cli(["answer", run, "run again"]), stage.cli(["answer", run, "failure"])]);
		expect(answers.map(({ code }) => code).toSorted(), answers.map(({ stderr }) => stderr).join()).toEqual([0, 2]);
		const isAgain = answers[0].code === 0;
		if (!isAgain)
			return void (await stage.until(run, ({ status: now, holder }) => now === "failed" && holder === null));
		await untilDone(stage, run);
		expect(lines(notes)).toHaveLength(2);
	});

	it("is ended with its processes by abort, and has no secret of the host", async () => {
		const out = openFolder();
		const states = {
			test: { command: `env > ${out}/env; echo $$ > ${out}/pid; sleep 6543.21 & wait`, next: ["done", "failed"] },
			done: {},
			failed: {},
		};
		const stage = await openSteps({ states });
		stage.host("a", { SECRET_OF_HOST: "s3cret", PGPASSWORD: "pg-s3cret" });
		stage.host("b", { SECRET_OF_HOST: "s3cret", PGPASSWORD: "pg-s3cret" });
		const run = await submit(stage);
		await eventually(
			() => lines(`${out}/pid`),
			(found) => found.length > 0,
		);
		const env = readFileSync(`${out}/env`, "utf8");
		for (const secret of ["s3cret", "PGPASSWORD", "postgres://", "PI_CHRONICLE_ENGINE"])
			expect(env).not.toContain(secret);
		expect((await stage.cli(["abort", run, "Enough."])).code).toBe(0);
		await stage.until(run, ({ status, holder }) => status === "aborted" && holder === null);
		const sleeping = () => stage.project.processes().filter(({ command }) => command.includes("6543.21"));
		expect(await eventually(sleeping, (found) => found.length === 0)).toEqual([]);
	});

	it("that its host never runs waits, and says whose decision that is", async () => {
		const stage = await openSteps({
			states: { test: { command: "true", next: ["done", "failed"] }, done: {}, failed: {} },
		});
		const config = join(openFolder(), "host.json");
		writeFileSync(config, JSON.stringify({ projects: { app: { remote: stage.remote, cleanup: "never" } } }));
		stage.host("a", {}, ["--config", config, "--engine", stage.cluster.url]);
		const run = await submit(stage);
		await stage.until(run, ({ status, holder }) => status === "paused" && holder === null);
		expect((await stage.cli(["status", run])).stdout).toContain("this host runs no commands of templates");
	});
});

describe("children that need each other, on an engine", { ...needsPostgres, timeout: patient(180_000) }, () => {
	const builder = (needs: readonly string[] = []) => ({ persona: "Builder", next: ["done"], needs });
	const graph = {
		states: {
			build: { branches: { b: builder(["a"]), a: builder(), c: builder(["a", "b"]) }, next: ["check"] },
			check: { persona: "Checker", next: ["done"] },
		},
	};
	/** Writes the file of its name, if those of all that it needs are there. */
	const write =
		(name: string, ...needs: readonly string[]) =>
		({ results }: { results: readonly { text: string }[] }) =>
			results.at(-1)?.text.includes(`wrote-${name}`)
				? move("done", `${name} is there.`)
				: call("bash", {
						command: `${needs.map((of) => `test -e ${of}.txt && `).join("")}echo ${name} > ${name}.txt && echo wrote-${name}`,
					});
	const script = {
		[childWorker("a")]: write("a"),
		[childWorker("b")]: write("b", "a"),
		[childWorker("c")]: write("c", "a", "b"),
		[worker("check")]: [move("done", "All there."), move("done", "All there.")],
	};

	it.each(["after child_ended", "files of a child are merged", "after joined", "child is up#2", "after joined#2"])(
		"begin from what was joined, although the host of their parent is killed '%s'",
		async (point) => {
			const stage = await openSteps(graph, script);
			const dying = stage.host("dying", { [CRASH_VARIABLE]: point });
			const run = await submit(stage);
			await untilDead(dying);
			// Nothing of it is left: what was joined is where every host finds it.
			spawnSync("rm", ["-rf", dying.data]);
			for (const name of ["b", "c"]) stage.host(name, {}, ["--slots", "2"]);
			const events = await untilDone(stage, run);
			const joined = events.flatMap((event) =>
				event.kind === "joined" && event.child !== undefined ? [event.child] : [],
			);
			expect(new Set(joined).size).toBe(3);
			expect(joined).toHaveLength(3);
			for (const name of ["a", "b", "c"])
				expect(await branchHas(stage, run, `${name}.txt`, `${name}\n`)).toBe(`${name}\n`);
		},
	);
});

describe("runs apart, on an engine", needsPostgres, () => {
	it("are refused with what there is instead", { timeout: patient(60_000) }, async () => {
		const stage = await openSteps({ states: { plan: { persona: "Planner", next: ["done"] } } });
		const apart = await stage.cli(["run", "--model", "scripted/one", "--apart", "t", "Do it"]);
		expect([apart.code, apart.stderr]).toEqual([2, expect.stringContaining("its result is a branch of the remote")]);
		const run = await submit(stage, "--here");
		for (const verb of ["join", "discard"]) {
			const refused = await stage.cli([verb, run]);
			expect([verb, refused.code, refused.stderr]).toEqual([
				verb,
				2,
				expect.stringContaining("each has its result on a branch of the remote"),
			]);
		}
	});
});
