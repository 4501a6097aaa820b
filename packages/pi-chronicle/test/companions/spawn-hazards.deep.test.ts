// Child sessions under failures, in real pi: refused writes, questions, a killed child, a closed session.
import { describe, expect, it } from "vitest";
import { call, calls, fail, hang, openBench, say } from "../harness/index.ts";
import { needsLinux } from "../harness/needs.ts";
import { patient } from "../harness/patience.ts";
import { workflowFiles } from "../workflow/stage.ts";

const slow = {
	"SLOW CHILD": [hang("thinking")],
	"*": [call("spawn", { prompt: "SLOW CHILD" }), say("went on"), say("more")],
};

describe("a child session", () => {
	it("obeys the parent's posture and the project's rules, and its questions reach the user", async () => {
		const { project, server, rpc } = await openBench({
			files: {
				".pi/damage-control-rules.yaml":
					"bashToolPatterns:\n  - pattern: 'touch asked'\n    reason: asks first\n    ask: true\nzeroAccessPaths:\n  - secret.txt\n",
				"secret.txt": "hidden\n",
			},
			script: {
				"WRITING CHILD": [
					calls([["write", { path: "new.txt", content: "x" }]]),
					call("read", { path: "secret.txt" }),
					say("tried"),
				],
				"ASKING CHILD": [call("bash", { command: "touch asked" }), say("asked")],
				"*": [
					call("spawn", { prompt: "WRITING CHILD" }),
					say("ok"),
					call("spawn", { prompt: "ASKING CHILD" }),
					say("ok"),
				],
			},
		});
		const pi = await rpc({ answers: () => true });
		await pi.prompt("/spawn on");
		await pi.prompt("/readonly on");
		await pi.run("go");
		expect(project.exists("new.txt")).toBe(false);
		const child = server.requests.filter(({ users }) => users.some((text) => text.includes("WRITING CHILD")));
		expect(JSON.stringify(child.at(-1)?.messages)).not.toContain("hidden");
		await pi.prompt("/readonly off");
		await pi.run("again");
		expect(project.exists("asked")).toBe(true);
		expect(pi.screen.dialogs.some(({ title }) => title?.includes("Child session:"))).toBe(true);
	});

	it("that is killed returns an error to the model; usage of a failing one is counted too", async () => {
		const { project, server, rpc } = await openBench({
			settings: { retry: { enabled: false } },
			script: {
				"SLOW CHILD": [hang("thinking")],
				"COSTLY CHILD": [
					call("bash", { command: "true" }, { usage: { input: 700, output: 20 } }),
					fail(400, "no more"),
				],
				"*": [call("spawn", { prompt: "SLOW CHILD" }), call("spawn", { prompt: "COSTLY CHILD" }), say("went on")],
			},
		});
		server.lenient();
		const pi = await rpc();
		await pi.prompt("/spawn on");
		const before = new Set(project.processes().map(({ pid }) => pid));
		await pi.prompt("go");
		await server.waitForRequest(2);
		for (const { pid } of project.processes()) if (!before.has(pid)) process.kill(pid, "SIGKILL");
		await pi.settled();
		const [killed, costly] = pi.toolResults();
		expect(killed).toMatchObject({ tool: "spawn", error: true });
		expect(costly).toMatchObject({ tool: "spawn", error: true });
		expect(JSON.stringify(server.requests.at(-1)?.results)).toContain("was killed (SIGKILL)");
		const ends = pi.events.filter((event) => event.type === "tool_execution_end") as {
			result?: { usage?: { totalTokens: number } };
		}[];
		expect(ends[1]?.result?.usage?.totalTokens).toBe(720);
	});

	it.each(["new_session", "quit"])("does not outlive its session (%s)", async (way) => {
		const { project, server, rpc } = await openBench({ script: slow });
		server.lenient();
		const pi = await rpc();
		await pi.prompt("/spawn on");
		const before = new Set(project.processes().map(({ pid }) => pid));
		await pi.prompt("go");
		await server.waitForRequest(2);
		expect(project.processes().length).toBeGreaterThan(before.size);
		if (way === "quit") await pi.close();
		else await pi.send({ type: "new_session" });
		await expect
			.poll(() => project.processes().filter(({ pid }) => !before.has(pid)), { timeout: patient(6000) })
			.toEqual([]);
	});

	it.each([
		[{ blacklist: ["write", "edit"] }, false, ["bash", "read"]],
		[{ whitelist: ["read", "spawn"] }, false, ["read"]],
		[{ blacklist: ["bash"] }, true, ["edit", "read", "write"]],
		[{ blacklist: ["Edit", "WRITE"] }, false, ["bash", "read"]],
		[{ whitelist: ["Read", "SPAWN"] }, false, ["read"]],
	])(
		"of a workflow's phase with the limits %j may change the project: %s, with the tools %j",
		async (tools, may, names) => {
			const { project, server, rpc } = await openBench({
				files: workflowFiles({ look: [{ id: "only", tools, body: "LOOK" }] }),
				script: {
					"WRITING CHILD": [call("write", { path: "made.txt", content: "x" }), say("tried")],
					"*": [call("spawn", { prompt: "WRITING CHILD" }), hang("done")],
				},
			});
			const pi = await rpc({ answers: () => true });
			await pi.prompt("/spawn on");
			const run = pi.prompt("/workflow look around").catch(() => {});
			await pi.waitFor("tool_execution_end");
			expect(pi.toolResults()).toMatchObject([{ tool: "spawn", error: false, text: "tried" }]);
			expect(project.exists("made.txt")).toBe(may);
			const child = server.requests.find(({ users }) => users.some((text) => text.includes("WRITING CHILD")));
			expect([...(child?.tools ?? [])].sort()).toEqual(names);
			await pi.send({ type: "abort" });
			await run;
		},
	);

	it("leaves nothing behind when its parent is killed", needsLinux, async () => {
		const { project, server, rpc } = await openBench({
			script: {
				"BUSY CHILD": [call("bash", { command: "setsid sleep 333 & nohup sleep 334 & sleep 335" }), hang()],
				"*": [call("spawn", { prompt: "BUSY CHILD" })],
			},
		});
		server.lenient();
		const pi = await rpc();
		await pi.prompt("/spawn on");
		await pi.prompt("go");
		const sleeping = () => project.processes().filter(({ command }) => /^sleep 33[345]/.test(command));
		await expect.poll(() => sleeping().length, { timeout: patient(20_000) }).toBe(3);
		await pi.kill("SIGKILL");
		await expect.poll(() => project.processes(), { timeout: patient(8_000) }).toEqual([]);
	});

	it("asks its questions in parallel to another child: each gets its own answer", async () => {
		const { project, rpc } = await openBench({
			files: {
				".pi/damage-control-rules.yaml":
					"bashToolPatterns:\n  - pattern: 'touch asked'\n    reason: asks first\n    ask: true\n",
			},
			script: {
				"CHILD ONE": [call("bash", { command: "touch asked1" }), say("one back")],
				"CHILD TWO": [call("bash", { command: "touch asked2" }), say("two back")],
				"*": [
					calls([
						["spawn", { prompt: "CHILD ONE" }],
						["spawn", { prompt: "CHILD TWO" }],
					]),
					say("both"),
				],
			},
		});
		const pi = await rpc();
		await pi.prompt("/spawn on");
		await pi.prompt("go");
		const [one, two] = [await pi.screen.dialog("asked1"), await pi.screen.dialog("asked2")];
		pi.screen.answer(two, true);
		pi.screen.answer(one, false);
		await pi.settled();
		expect([project.exists("asked1"), project.exists("asked2")]).toEqual([false, true]);
		expect(pi.toolResults().map(({ text }) => text)).toEqual(["one back", "two back"]);
	});

	it("sets the topic if there is none, and the model is informed; a wrong thinking level is refused with the valid ones", async () => {
		const { server, rpc } = await openBench({
			script: {
				"NAMING CHILD": [call("notebook_topic_set", { topic: "Child topic" }), say("named")],
				"*": [
					calls([
						["spawn", { prompt: "NAMING CHILD" }],
						["spawn", { prompt: "NAMING CHILD", thinking: "bogus" }],
					]),
					say("ok"),
				],
			},
		});
		const pi = await rpc();
		await pi.prompt("/notebook on");
		await pi.prompt("/spawn on");
		await pi.run("go");
		await pi.prompt("/notebook");
		expect(pi.screen.notifications.at(-1)?.message).toContain("topic child-topic");
		expect(server.requests.at(-1)?.users.at(-1)).toContain('The topic is "child-topic"');
		expect(pi.toolResults()[1]).toMatchObject({
			error: true,
			text: expect.stringMatching(/"?off"?.*"?minimal"?.*"?max"?/),
		});
	});

	it.each([
		[
			["--tools", "read,grep,spawn,notebook_read"],
			["grep", "notebook_read", "read"],
		],
		[
			["--exclude-tools", "bash,write"],
			["edit", "read"],
		],
		[["--tools", "spawn"], []],
	])("of a pi started with %j has no tool that its parent lacks", async (args, tools) => {
		const { server, rpc } = await openBench({
			script: { "CHILD TASK": [say("done")], "*": [call("spawn", { prompt: "CHILD TASK" }), say("ok")] },
		});
		const pi = await rpc({ args });
		if (tools.includes("notebook_read")) await pi.prompt("/notebook on");
		await pi.prompt("/spawn on");
		await pi.run("go");
		const child = server.requests.find(({ users }) => users.some((text) => text.includes("CHILD TASK")));
		expect([...(child?.tools ?? [])].sort()).toEqual(tools);
		expect(pi.toolResults()).toMatchObject([{ tool: "spawn", error: false, text: "done" }]);
	});

	it("reports to the model which notebook pages it wrote", async () => {
		const { server, rpc } = await openBench({
			script: {
				"NOTING CHILD": [call("notebook_write", { name: "found", content: "a bug" }), say("done")],
				"*": [call("spawn", { prompt: "NOTING CHILD" }), say("ok")],
			},
		});
		const pi = await rpc();
		await pi.prompt("/notebook on");
		await pi.prompt("/spawn on");
		await pi.run("go");
		expect(JSON.stringify(server.requests.at(-1)?.results)).toContain("Notebook pages it wrote: found");
	});
});
