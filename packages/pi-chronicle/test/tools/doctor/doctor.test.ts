// `doctor`: its findings and remedies, and that it changes nothing unless asked. Real pi on the command line and in a session.
import { spawn } from "node:child_process";
import files, { existsSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { thisHost } from "../../../src/local/ledger/index.ts";
import { createRun, openProject as openChronicleProject, prepareStart } from "../../../src/local/project/index.ts";
import { CRASH_VARIABLE } from "../../../src/local/supervisor/index.ts";
import { RUN_TAG } from "../../../src/process/index.ts";
import { examineInTime } from "../../../src/tools/doctor/examination.ts";
import { machineExaminations } from "../../../src/tools/doctor/machine.ts";
import { deepIt } from "../../harness/deep-it.ts";
import {
	openBench,
	openModelServer,
	openProject,
	type Project,
	type ProjectOptions,
	packageUnderTest,
	piScript,
	runNode,
} from "../../harness/index.ts";
import { patient } from "../../harness/patience.ts";
import { move, withTemplates, worker } from "../../runs/bench.ts";

const key = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJ";

interface Result {
	readonly what: string;
	readonly state: string;
	readonly text: string;
	readonly remedy?: string;
}

async function examine(project: Project, ...args: string[]) {
	const { cli } = packageUnderTest();
	const done = await runNode(project, [cli, "doctor", "--json", ...args], { env: { PI_CHRONICLE_PI: piScript() } });
	const { healthy, checks } = JSON.parse(done.stdout) as { healthy: boolean; checks: Result[] };
	return { code: done.code, healthy, of: (what: string) => checks.filter((check) => check.what === what), done };
}

async function withModel(options: ProjectOptions = {}): Promise<Project> {
	return openProject({
		server: await openModelServer([]),
		settings: { packages: [packageUnderTest().root], defaultProvider: "scripted", defaultModel: "one" },
		...options,
	});
}

const template = { states: { plan: { persona: "P", next: ["over"] }, over: {} } };
const workflow = {
	".pi/workflows/w/workflow.yaml": "name: W\ncommandName: w\ninitialMessage: 'Do {description}'\nphases: [a.md]\n",
	".pi/workflows/w/a.md": "---\nid: a\nname: A\nemoji: x\n---\nLook.\n",
};

describe("doctor", () => {
	it("finds nothing wrong in a sound project, and examines everything", async () => {
		const project = await withModel({ files: workflow, git: true });
		const before = project.list();
		const { code, healthy, of, done } = await examine(project);
		expect([code, healthy, done.stderr]).toEqual([0, true, ""]);
		expect(of("pi")).toMatchObject([{ state: "ok", text: expect.stringMatching(/^pi \d+\.\d+\.\d+ at /) }]);
		expect(of("packages")).toMatchObject([{ state: "ok" }]);
		expect(of("model")).toMatchObject([{ state: "ok", text: expect.stringContaining("scripted/one") }]);
		expect(of("Node")).toMatchObject([{ state: "ok", text: `Node ${process.versions.node}` }]);
		expect(of("git")).toMatchObject([{ state: "ok", text: expect.stringMatching(/^git version [\d.]+$/) }]);
		for (const what of ["sandbox", "disk", "trust", "rule files", "leftovers"]) expect(of(what)).not.toEqual([]);
		expect(of("definitions")).toMatchObject([{ state: "ok", text: "1 workflow" }]);
		expect(project.list()).toEqual(before);
	});

	it("reports every problem with its remedy, and exits with 1", async () => {
		const project = openProject({
			files: {
				".pi/workflows/broken/workflow.yaml": "name: B\n",
				".pi/damage-control-rules.yaml": "zeroAcessPaths: [.env]\n",
			},
			agentFiles: {
				"extensions/other.js":
					"export default (pi) => pi.registerCommand('workflow', { description: 'x', handler: async () => {} });\n",
			},
			settings: { packages: [packageUnderTest().root] },
		});
		const { code, healthy, of } = await examine(project);
		expect([code, healthy]).toEqual([1, false]);
		expect(of("model")).toMatchObject([{ state: "failed", remedy: expect.stringContaining("/login") }]);
		expect(of("packages")).toMatchObject([
			{
				state: "warning",
				text: expect.stringMatching(/^\/workflow is also a command of .*other\.js; .*\/workflow:\d/),
			},
		]);
		expect(of("rule files")).toMatchObject([{ state: "failed", text: expect.stringContaining("zeroAcessPaths") }]);
		expect(of("definitions")).toMatchObject([
			{
				state: "failed",
				text: expect.stringContaining("broken/workflow.yaml"),
				remedy: expect.stringContaining("check"),
			},
		]);
	});

	deepIt("explains how to trust a project, how to add the package to pi, and why a pi does not start", async () => {
		const project = openProject({ files: workflow, trusted: false });
		const { code, of } = await examine(project);
		expect(code).toBe(1);
		expect(of("trust")).toMatchObject([{ state: "warning", remedy: expect.stringContaining("/trust") }]);
		expect(of("packages")).toMatchObject([{ remedy: expect.stringContaining("pi install npm:pi-chronicle") }]);
		expect(of("definitions")).toMatchObject([{ state: "ok" }]);

		const broken = project.write("pi.mjs", `console.error("no model for ${key}"); process.exit(1);\n`);
		const second = await examine(project, "--pi", broken);
		expect(second.of("pi")).toMatchObject([{ state: "failed", text: expect.stringContaining("no model for") }]);
		expect(second.done.stdout + second.done.stderr).not.toContain(key);
		const crashes = project.write("crash.mjs", "throw new Error('permission denied, mkdir /a');\n");
		const third = await examine(project, "--pi", crashes);
		expect(third.of("pi")).toMatchObject([
			{ text: expect.stringMatching(/does not start here: permission denied, mkdir \/a$/) },
		]);
		const absent = await examine(project, "--pi", project.path("no-such-pi"));
		expect(absent.of("pi")).toMatchObject([{ state: "failed", text: expect.stringContaining("no-such-pi") }]);
	});

	it("names a folder that runs could not write, with the remedy", async () => {
		const { agentFolder, folder: cwd } = openProject();
		const project = { place: { cwd, agentFolder }, sessions: join(cwd, ".pi/chronicle/sessions") } as never;
		const disk = machineExaminations(project).find(({ what }) => what === "disk");
		const examineAll = () => disk?.examine(new AbortController().signal);
		expect(await examineAll()).toMatchObject([{ state: "ok" }]);
		const { accessSync } = files;
		files.accessSync = (path) => {
			if (path === cwd) throw Object.assign(new Error("EACCES"), { code: "EACCES", path });
		};
		syncBuiltinESMExports();
		const found = await examineAll();
		files.accessSync = accessSync;
		syncBuiltinESMExports();
		const text = expect.stringContaining(`${cwd} cannot be used`);
		expect(found).toEqual([{ state: "failed", text, remedy: expect.stringContaining("chmod") }]);
	});

	it("reports a missing git", async () => {
		const project = await withModel();
		const { cli } = packageUnderTest();
		const env = { PI_CHRONICLE_PI: piScript(), PATH: project.folder };
		const { stdout, code } = await runNode(project, [cli, "doctor"], { env });
		expect(stdout).toMatch(/^FAIL git: .*\n {5}Install git/m);
		expect(code).toBe(1);
	});

	deepIt("stops processes and removes files of dead runs with --fix, and nothing else", async () => {
		const project = await withModel({ files: { ".pi/chronicle/workflows/t.json": template } });
		vi.stubEnv("PI_CODING_AGENT_DIR", project.agentFolder);
		const place = {
			cwd: project.folder,
			home: project.home,
			agentFolder: project.agentFolder,
			trust: "trusted",
		} as const;
		const opened = openChronicleProject({ ...place, pi: { command: process.execPath, args: [], version: undefined } });
		const run = async () => {
			const prepared = await prepareStart(opened, "t");
			if (prepared.kind === "refused") throw new Error(prepared.message);
			const created = await createRun(opened, prepared, { task: "Look", cleanup: "none" });
			if (!created.ok) throw new Error(created.failure.message);
			return created.value;
		};
		const [dead, alive] = [await run(), await run()];
		await dead.releaseLease();
		const sleep = (id: string) =>
			spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], {
				env: project.environment({ [RUN_TAG]: id }),
				stdio: "ignore",
			});
		const [orphan, worker] = [sleep(dead.run.id), sleep(alive.run.id)];
		const gone = new Promise((resolve) => orphan.once("exit", resolve));
		const old = project.write(".pi/chronicle/sessions/.x.json.4194999.tmp", "half");
		const ours = project.write(`.pi/chronicle/sessions/.y.json.${process.pid}.tmp`, "half");
		const young = project.write(".pi/chronicle/sessions/.z.json.4194999.tmp", "half");
		const inAgentFolder = (name: string): string => {
			const file = join(project.agentFolder, name);
			writeFileSync(file, "half");
			return file;
		};
		const others = [
			// A sender of notices, which the examined pi may start, removes its own drafts: that is one less for the doctor.
			project.write(".pi/chronicle/notices/.wake.4194999.tmp", "half"),
			project.write(`.pi/chronicle/sessions/${dead.run.id}/inbox/.1.post.json.4194999.tmp`, "half"),
			...[".guard-answers.json.4194999.tmp", ".sandbox-hosts.json.4194999.tmp"].map(inAgentFolder),
		];
		const foreign = inAgentFolder(".settings.json.4194999.tmp");
		for (const file of [old, ours, foreign, ...others]) utimesSync(file, new Date(0), new Date(0));
		const killed = { host: thisHost(), pid: 4194999, started: "never" };
		const unbegun = project.write(
			".pi/chronicle/sessions/6f1d0c9e-2b7a-4c55-9a52-1f0f3f6e7a10/lease.1",
			JSON.stringify(killed),
		);
		const [unleased, unleasedYoung] = ["7f1d0c9e", "8f1d0c9e"].map((start) => {
			const folder = project.path(`.pi/chronicle/sessions/${start}-2b7a-4c55-9a52-1f0f3f6e7a10`);
			mkdirSync(folder);
			return folder;
		});
		utimesSync(unleased ?? "", new Date(0), new Date(0));

		// A process has its environment a moment after it was started.
		await vi.waitFor(async () => {
			const found = await examine(project);
			expect(found.of("leftovers").map(({ text }) => text)).toEqual(
				expect.arrayContaining([
					expect.stringContaining(`${orphan.pid}`),
					expect.stringMatching(/^[45] drafts of unfinished files, such as /),
					"Processes that were killed left the files of 2 runs that never began behind.",
				]),
			);
			expect(found.of("leftovers").some(({ text }) => text.includes(`${worker.pid}`))).toBe(false);
			expect(found.code).toBe(0);
		}, patient(30_000));
		expect(existsSync(old)).toBe(true);

		const fixed = await examine(project, "--fix");
		await gone;
		expect(fixed.of("leftovers").map(({ text }) => text)).toEqual(
			expect.arrayContaining([
				expect.stringMatching(/^stopped 1 process of the run /),
				expect.stringMatching(/^removed [45] drafts/),
				"removed the files of 2 runs that never began",
			]),
		);
		expect([old, unbegun, ...others].filter(existsSync)).toEqual([]);
		expect([ours, young, foreign].filter((file) => !existsSync(file))).toEqual([]);
		expect([unleased, unleasedYoung].map((folder) => existsSync(folder ?? ""))).toEqual([false, true]);
		expect(worker.exitCode).toBeNull();
		await alive.releaseLease();
		project.killProcesses();
	});

	deepIt(
		"distinguishes an interrupted run from one whose supervisor died after its end",
		{
			timeout: patient(90_000),
		},
		async () => {
			const { project } = await openBench({
				files: withTemplates({ t: { states: { build: { persona: "Builder", next: ["over"] }, over: {} } } }),
				script: { [worker("build")]: [move("over"), move("over")] },
			});
			const killed = async (point: string): Promise<void> => {
				const env = { PI_CHRONICLE_PI: piScript(), [CRASH_VARIABLE]: point };
				await runNode(project, [packageUnderTest().cli, "run", "t", "Look"], { env });
			};
			await killed("after finished");
			expect((await examine(project)).of("leftovers").map(({ text }) => text)).toEqual([
				"Supervisors that were killed left 1 lease behind.",
			]);
			expect((await examine(project, "--fix")).of("leftovers").map(({ text }) => text)).toEqual(["released 1 lease"]);
			expect(project.list(".pi/chronicle/sessions").filter((path) => /lease|lock/.test(path))).toEqual([]);
			await killed("after attempt_reserved");
			expect((await examine(project)).of("leftovers").map(({ text }) => text)).toEqual([
				expect.stringMatching(/^The run \w+ was interrupted/),
			]);
			project.killProcesses();
		},
	);

	deepIt("works in a session of pi too", { timeout: patient(90_000) }, async () => {
		const { rpc } = await openBench({ files: workflow });
		const pi = await rpc();
		await pi.prompt("/chronicle doctor");
		await pi.screen.notified(/ok {3}Node: [\s\S]*definitions: 1 workflow/);
		await pi.prompt("/chronicle help");
		await pi.screen.notified(/doctor +examines/);
	});
});

describe("an examination", () => {
	it("ends within its time limit in every case, and reveals no secret", async () => {
		const late = { what: "x", maxMs: 20, examine: () => new Promise<never>(() => {}) };
		expect(await examineInTime(late)).toMatchObject([{ what: "x", state: "failed" }]);
		const thrown = { what: "x", maxMs: 5000, examine: async () => Promise.reject(new Error(`bad ${key}`)) };
		const [result] = await examineInTime(thrown);
		expect(result).toMatchObject({ state: "failed", text: expect.stringContaining("bad") });
		expect(JSON.stringify(result)).not.toContain(key);
	});
});
