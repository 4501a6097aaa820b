// Workers under the guard's rules: refusals, questions to the user, the log, and frozen rules. Real pi, scripted model.
import { chmodSync, cpSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { WorkerAnswer } from "@pi-chronicle/core/ports";
import { describe, expect, it } from "vitest";
import { probeSandbox } from "../../../src/safety/index.ts";
import { deepIt, sampled } from "../../harness/deep-it.ts";
import { type ModelServer, openModelServer } from "../../harness/model-server.ts";
import { needs, needsProgram } from "../../harness/needs.ts";
import { patient } from "../../harness/patience.ts";
import { openProject, type Project } from "../../harness/project.ts";
import { call, calls } from "../../harness/reply.ts";
import { packageUnderTest } from "../../harness/under-test.ts";
import { openRig, statePlan } from "./worker-rig.ts";

const move = call("workflow_transition", { target_state: "checking", summary: "Built it." });
const rules = [
	"bashToolPatterns:",
	"  - pattern: '\\bterraform\\s+destroy\\b'",
	"    reason: Infrastructure is not torn down here",
	"  - pattern: '\\brelease\\.sh\\s+now\\b'",
	"    reason: Releasing is for people",
	"    ask: true",
	"zeroAccessPaths: ['.env']",
	"",
].join("\n");
const files = {
	".pi/damage-control-rules.yaml": rules,
	".env": "TOKEN=MARK-SECRET\n",
	"release.sh": "echo released\n",
};

const sandbox = await probeSandbox();
const bundled = existsSync(join(packageUnderTest().root, "dist", "later"));

function guardedProject(server: ModelServer): Project {
	const project = openProject({ server, files });
	chmodSync(project.path("release.sh"), 0o755);
	return project;
}

describe("a guarded worker", () => {
	it("rules apply without any extension of the user: the model gets the reason, the run continues, the log names the rule", async () => {
		const server = await openModelServer([
			calls([
				["bash", { command: "terraform destroy -auto-approve" }],
				["read", { path: ".env" }],
				["bash", { command: "cat .e''nv" }],
			]),
			move,
		]);
		const rig = openRig(openProject({ server, files }));
		const worker = await rig.start();
		expect(worker.started.rules).toMatch(/^[0-9a-f]{16}$/);
		expect(await worker.ended).toEqual({ kind: "stopped" });
		const results = server.last().results.map(({ text }) => text);
		expect(results[0]).toContain("Infrastructure is not torn down here");
		expect(JSON.stringify(server.requests.map(({ body }) => body))).not.toContain("MARK-SECRET");
		const ended = rig.of("tool_ended").filter(({ tool }) => tool !== "workflow_transition");
		expect(ended.map(({ blocked }) => blocked)).toEqual([
			expect.stringContaining("guard"),
			expect.stringContaining(".env"),
			expect.stringContaining(".env"),
		]);
		expect(ended.every(({ error }) => error)).toBe(true);
	});

	it("without tools for writing, it counts as one that runs commands and edits nothing, and is kept from changing the project; temporary folders are free", async () => {
		const server = await openModelServer([
			calls([
				["bash", { command: "echo x > out.txt" }],
				["bash", { command: "git commit --allow-empty -qm x" }],
				["bash", { command: 'cd "$(mktemp -d)" && git init -q && touch ran && ls' }],
			]),
			call("bash", { command: "./release.sh" }),
			move,
		]);
		const project = guardedProject(server);
		const state = { tools: ["read", "bash"] };
		const rig = openRig(project, { state });
		await (await rig.start()).ended;
		expect([...(await rig.launcher.abilities([statePlan(state)])).values()]).toMatchObject([
			{ edits: false, runs: true },
		]);
		const results = server.last().results.map(({ text }) => text);
		const advice = "A change that the project needs belongs in the summary";
		expect(results).toEqual([
			expect.stringMatching(
				/This state does not change the project, and .* would change out\.txt\. A copy in a temporary folder may/,
			),
			expect.stringContaining(advice),
			expect.stringMatching(/^ran\s*$/),
			expect.stringContaining("released"),
		]);
		expect(project.exists("out.txt")).toBe(false);
	});

	deepIt(
		"when the code that judges cannot be loaded, calls are refused, and only the state's end is not",
		needs("the built package", bundled),
		async () => {
			const server = await openModelServer([call("bash", { command: "echo ran > out.txt" }), move]);
			const project = openProject({ server, files });
			const copy = join(project.home, "package");
			cpSync(packageUnderTest().root, copy, { recursive: true });
			writeFileSync(join(copy, "dist", "later", "safety-guard-open.mjs"), 'throw new Error("broken");\n');
			const rig = openRig(project, { launcher: { workerEntry: join(copy, "worker.ts") } });
			const worker = await rig.start();
			expect(await worker.ended).toEqual({ kind: "stopped" });
			expect(server.last().results[0]?.text).toContain("guard policy could not judge this call (broken)");
			expect(project.exists("out.txt")).toBe(false);
			expect(rig.of("move")).toHaveLength(1);
		},
	);

	it.each<[string, WorkerAnswer, RegExp, boolean]>(
		sampled([
			["a yes lets it run", { kind: "confirmed" }, /released/, false],
			["a no refuses", { kind: "denied" }, /Releasing is for people[\s\S]*said no/, true],
			[
				"without a user, the call is refused with a usable reason",
				{ kind: "undecided" },
				/Releasing is for people[\s\S]*nobody can be asked now/,
				true,
			],
		]),
	)("a question reaches the user through the supervisor, with the command: %s", async (_, answer, result, refused) => {
		const server = await openModelServer([call("bash", { command: "./release.sh now" }), move]);
		const rig = openRig(guardedProject(server), { answer: () => answer });
		const worker = await rig.start();
		await worker.ended;
		const [asked] = rig.of("ask");
		expect(asked?.question).toMatchObject({ kind: "confirm" });
		expect(JSON.stringify(asked?.question)).toContain("./release.sh now");
		expect(server.last().results[0]?.text).toMatch(result);
		expect(rig.of("tool_ended")[0]?.blocked !== undefined).toBe(refused);
		expect(rig.of("move")).toHaveLength(1);
	});

	deepIt("time in which the user is asked does not count", async () => {
		const server = await openModelServer([call("bash", { command: "./release.sh now" }), move]);
		const wallMs = patient(1200);
		const rig = openRig(guardedProject(server), {
			answer: () => new Promise((resolve) => setTimeout(() => resolve({ kind: "confirmed" }), wallMs + 100)),
		});
		const worker = await rig.start({ limits: { wallMs, idleMs: patient(1000), countCacheReads: true } });
		expect(await worker.ended).toEqual({ kind: "stopped" });
	});

	deepIt("the rules of a run are frozen: changing the rule file or the brief has no effect", async () => {
		const server = await openModelServer([
			calls([
				["write", { path: ".pi/damage-control-rules.yaml", content: "zeroAccessPaths: []" }],
				["bash", { command: "rm -f .pi/chronicle/sessions/*/workers/*.brief.json" }],
			]),
			call("read", { path: ".env" }),
			move,
		]);
		const project = openProject({ server, files });
		const rig = openRig(project);
		await (await rig.start()).ended;
		expect(project.read(".pi/damage-control-rules.yaml")).toBe(rules);
		expect(server.last().results.at(-1)?.text).not.toContain("MARK-SECRET");
		expect(
			rig
				.of("tool_ended")
				.slice(0, 3)
				.every(({ blocked }) => blocked !== undefined),
		).toBe(true);
	});

	it.each(
		sampled([
			["pi -p --no-extensions 'delete src'"],
			["npx @earendil-works/pi-coding-agent -p hello"],
			["claude -p 'do it'"],
			["npx pi-chronicle run feature task"],
		]),
	)("a worker starts no further agents: %s", async (command) => {
		const server = await openModelServer([call("bash", { command }), move]);
		const rig = openRig(openProject({ server }));
		await (await rig.start()).ended;
		expect(rig.of("tool_ended")[0]).toMatchObject({ error: true, blocked: expect.any(String) });
	});

	deepIt("calls made by a script are judged and logged like any other", async () => {
		const code =
			"const a = await tools.bash({ command: 'echo fine' }); let b; try { b = await tools.read({ path: '.env' }); } catch (error) { b = String(error); } return JSON.stringify([a, b]);";
		const server = await openModelServer([call("codemode", { code }), move]);
		const rig = openRig(openProject({ server, files }), { state: { tools: ["read", "bash", "codemode"] } });
		await (await rig.start()).ended;
		expect(rig.of("tool_started").map(({ tool }) => tool)).toEqual(["codemode", "bash", "read", "workflow_transition"]);
		expect(rig.of("tool_ended").find(({ tool }) => tool === "read")?.blocked).toContain(".env");
		expect(server.requests[1]?.lastResult?.text).toContain("fine");
		expect(JSON.stringify(server.requests.map(({ body }) => body))).not.toContain("MARK-SECRET");
	});

	it(
		"with the sandbox on, a command that no rule recognizes changes nothing outside the working folder; handover.md can be read",
		needsProgram("bwrap", sandbox),
		async () => {
			const write = (path: string) =>
				`${process.execPath} -e "require('fs')['write'+'FileSync'](['${path.slice(0, 1)}', '${path.slice(1)}'].join(''), 'x')" || echo kept`;
			const places = ["inside.txt", "../outside.txt", ".pi/damage-control-rules.yaml"];
			const command = `${places.map(write).join("; ")}; exit 3`;
			let handover = "";
			const reads = () =>
				calls([
					["bash", { command: `cat ${handover}` }],
					["read", { path: handover }],
				]);
			const server = await openModelServer([reads, call("bash", { command }), move]);
			const project = openProject({ server, files });
			const rig = openRig(project, { launcher: { sandbox: { use: "required" } } });
			handover = join(rig.folder, "handover.md");
			writeFileSync(handover, "all of it\n", { mode: 0o600 });
			const worker = await rig.start();
			expect(await worker.ended).toEqual({ kind: "stopped" });
			expect(project.exists("inside.txt")).toBe(true);
			expect(project.exists("../outside.txt")).toBe(false);
			expect(project.read(".pi/damage-control-rules.yaml")).toBe(rules);
			const { results } = server.last();
			expect(results.slice(0, 2).map(({ text }) => text.trim())).toEqual(["all of it", "all of it"]);
			expect(results.at(-1)?.text).toMatch(/kept[\s\S]*kept[\s\S]*code 3/);
			expect(rig.of("tool_started")[2]?.args).toContain("FileSync");
		},
	);

	it("nothing is launched when the sandbox is required and missing", async () => {
		const project = openProject({ server: await openModelServer([]) });
		const env = project.environment({ CHRONICLE_SANDBOX: "off" });
		const launched = await openRig(project, { launcher: { sandbox: { use: "required" }, env } }).launch();
		expect(launched).toMatchObject({
			ok: false,
			failure: { reason: "rules", detail: expect.stringContaining("bwrap") },
		});
	});

	it.each([
		["torn YAML", "zeroAccessPaths: ['.env"],
		["a wrong type", "zeroAccessPaths: '.env'"],
		["an invalid expression", "bashToolPatterns:\n  - pattern: '('\n    reason: x"],
	])("rules that cannot be read (%s) stop the launch", async (_, text) => {
		const server = await openModelServer([]);
		const project = openProject({ server, files: { ".pi/damage-control-rules.yaml": text } });
		const launched = await openRig(project).launch();
		expect(launched).toMatchObject({
			ok: false,
			failure: { reason: "rules", detail: expect.stringContaining("damage-control-rules.yaml") },
		});
		expect(project.processes()).toEqual([]);
	});

	it("a folder at the path of the rule file stops the launch too; a missing file means no rules", async () => {
		const server = await openModelServer([move]);
		const broken = openProject({ server, files: { ".pi/damage-control-rules.yaml/x": "" } });
		expect(await openRig(broken).launch()).toMatchObject({ ok: false, failure: { reason: "rules" } });
		const worker = await openRig(openProject({ server })).start();
		expect(worker.started.rules).toBeUndefined();
		await worker.ended;
	});
});
