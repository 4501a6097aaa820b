// The harness itself: each kind of reply, each way to start pi, and that its checks fail a test.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import {
	call,
	calls,
	drop,
	expectPicture,
	fail,
	fixtureExtension,
	gate,
	hang,
	openBench,
	openModelServer,
	openProject,
	type PictureOptions,
	packageUnderTest,
	pictureLines,
	readSession,
	SessionDraft,
	say,
	startTui,
	svgOf,
} from "./index.ts";
import { needsLinux } from "./needs.ts";
import { patient } from "./patience.ts";

const noRetry = { retry: { enabled: false } };

describe("replies of the scripted model", () => {
	it("return text, report usage, and call one or several tools per message", async () => {
		const { project, server, rpc } = await openBench({
			files: { "a.txt": "alpha\n", "b.txt": "beta\n" },
			script: [
				call("read", { path: "a.txt" }, { text: "Let me look." }),
				calls(
					[
						["read", { path: "b.txt" }],
						["write", { path: "c.txt", content: "gamma" }],
					],
					{ chunk: 5 },
				),
				say("Done.", { usage: { input: 1_000_000, output: 500_000, cached: 400_000 }, chunk: 2 }),
			],
		});
		const pi = await rpc();
		expect(await pi.run("Read and write")).toBe("started");
		expect(pi.toolResults()).toMatchObject([
			{ tool: "read", error: false, text: "alpha\n" },
			{ tool: "read", error: false, text: "beta\n" },
			{ tool: "write", error: false },
		]);
		expect(project.read("c.txt")).toBe("gamma");

		expect(server.requests).toHaveLength(3);
		expect(server.requests[0]).toMatchObject({
			number: 1,
			model: "one",
			lastUser: "Read and write",
			afterResults: false,
		});
		expect(server.requests[0]?.tools).toEqual(expect.arrayContaining(["read", "bash", "edit", "write"]));
		expect(server.requests[0]?.system).toContain(project.folder);
		expect(server.last()).toMatchObject({ afterResults: true, lastResult: { tool: "write" } });
		expect(server.last().results.map(({ tool }) => tool)).toEqual(["read", "read", "write"]);
		expect(server.last().bytes).toBeGreaterThan(server.requests[0]?.bytes ?? 0);

		const last = pi.eventsOf("message_end").at(-1)?.message as { usage: { cost: { total: number } } };
		expect(last.usage).toMatchObject({ input: 600_000, cacheRead: 400_000, output: 500_000 });
		expect(last.usage.cost.total).toBeCloseTo(0.6 + 0.04 + 1, 6);
		expect(pi.strayLines).toEqual([]);
	});

	it("refuse with an HTTP error, hang until the abort, drop the connection, and truncate", async () => {
		const { server, rpc } = await openBench({
			settings: noRetry,
			script: [
				fail(402, "no credit"),
				hang("I am thinking"),
				drop("Half a"),
				say("Cut of", { finish: "length" }),
				"fine",
			],
		});
		const pi = await rpc();
		const lastMessage = () => pi.eventsOf("message_end").at(-1)?.message as Record<string, unknown>;

		await pi.run("one");
		expect(lastMessage()).toMatchObject({ stopReason: "error", errorMessage: expect.stringContaining("no credit") });

		await pi.prompt("two");
		await pi.waitFor((event) => JSON.stringify(event).includes("I am thinking"));
		await pi.send({ type: "abort" });
		expect(await pi.settled()).toMatchObject({ aborted: true });
		expect(lastMessage()).toMatchObject({ stopReason: "aborted" });
		// The server learns of it when the connection closes, which may be after pi has reported it.
		await expect.poll(() => server.requests[1]?.aborted).toBe(true);

		await pi.run("three");
		expect(lastMessage()).toMatchObject({ stopReason: "error" });
		await pi.run("four");
		expect(lastMessage()).toMatchObject({ stopReason: "length" });
		await pi.run("five");
		expect(lastMessage()).toMatchObject({ stopReason: "stop", content: [{ text: "fine" }] });
	});

	it("depend on the request, wait for a gate, and stream slowly", async () => {
		const held = gate();
		const { server, rpc } = await openBench({
			script: async ({ lastUser }) => {
				if (lastUser === "wait") return say("Opened.", { after: held.opened });
				return say(lastUser.toUpperCase(), { chunk: 1, delay: 5 });
			},
		});
		const pi = await rpc();
		await pi.run("abc");
		expect(pi.eventsOf("message_update").length).toBeGreaterThanOrEqual(3);
		await pi.prompt("wait");
		await server.waitForRequest(2);
		expect((await pi.state()).isStreaming).toBe(true);
		held.open();
		await pi.settled();
		expect(readSession(String((await pi.state()).sessionFile)).texts("assistant")).toEqual(["ABC", "Opened."]);
	});

	it("follow a separate script for each of several processes", async () => {
		const { project, server, print } = await openBench({
			script: { "ROLE: planner": ["the plan"], "model:two": ["from the second"], "*": ["anyone", "anyone again"] },
		});
		const printed = await Promise.all([print("ROLE: planner, go"), print("x", { model: "scripted/two" })]);
		expect(printed.map(({ stdout }) => stdout.trim())).toEqual(["the plan", "from the second"]);
		expect((await print("who?")).stdout.trim()).toBe("anyone");
		expect(server.remaining()).toBe(1);
		expect(project.sessionFiles()).toHaveLength(3);
	});

	it("fail the test when the script has no reply left", async () => {
		const server = await openModelServer(["only this"]);
		const ask = () =>
			fetch(`${server.url}/v1/chat/completions`, {
				method: "POST",
				body: JSON.stringify({ model: "one", messages: [{ role: "user", content: "hello there" }] }),
			});
		expect((await ask()).status).toBe(200);
		const surplus = await ask();
		expect(surplus.status).toBe(400);
		expect(await surplus.text()).toContain("no reply for request 2");
		await expect(server.waitForRequest(({ tools }) => tools.includes("write"), 50)).rejects.toThrow("No such request");
		server.lenient();
	});
});

describe("pi in RPC mode", () => {
	it("shows dialogs, notifications, status lines and widgets, and takes answers", async () => {
		const { project, rpc } = await openBench();
		const asking = project.write(
			"asking.mjs",
			`export default (pi) => pi.registerCommand("ask", { handler: async (_args, { ui }) => {
				ui.setStatus("s", "asking"); ui.setWidget("w", ["one", "two"]);
				const sure = await ui.confirm("Sure?", "Really");
				const pick = await ui.select("Which?", ["red apple", "green pear"]);
				const name = await ui.input("Name?");
				ui.setStatus("s", undefined); ui.notify([sure, pick, name].join(), "warning");
			} });`,
		);
		const scripted = await rpc({ extensions: [asking], answers: [true, "pear", "Ada"] });
		await scripted.prompt("/ask");
		expect(await scripted.screen.notified("true,green pear,Ada")).toMatchObject({ type: "warning" });
		expect(scripted.screen.statusHistory).toEqual([{ key: "s", text: "asking" }, { key: "s" }]);
		expect(scripted.screen.widgets.get("w")).toEqual(["one", "two"]);
		await scripted.close();

		const byHand = await rpc({ extensions: [asking] });
		const prompted = byHand.prompt("/ask");
		byHand.screen.answer(await byHand.screen.dialog("Sure?"), false);
		byHand.screen.answer(await byHand.screen.dialog("Which?"), null);
		byHand.screen.answer(await byHand.screen.dialog("Name?"), "Bo");
		await prompted;
		await byHand.screen.notified("false,,Bo");
	});

	it("reopens a seeded session and reads what pi added", async () => {
		const { project, rpc } = await openBench({ script: ["third"] });
		const draft = new SessionDraft(project);
		const first = draft.user("first");
		draft.assistant("left behind");
		draft.branchFrom(first);
		draft.assistant("second");
		draft.custom("note", { n: 1 });
		const file = draft.write();

		const pi = await rpc({ session: file });
		expect((await pi.state()).sessionId).toBe(draft.id);
		expect(await pi.customEntries("note")).toEqual([{ n: 1 }]);
		await pi.run("go on");
		const stored = readSession(file);
		expect(stored.texts("user")).toEqual(["first", "go on"]);
		const words = stored.branch().map((entry) => JSON.stringify(entry));
		expect(words.some((line) => line.includes("second"))).toBe(true);
		expect(words.some((line) => line.includes("left behind"))).toBe(false);
		expect(stored.customBytes("note")).toEqual([expect.any(Number)]);
	});

	it("loads other extensions with the package and inspects them", async () => {
		const { project, rpc } = await openBench({ script: [call("other_tool", { path: "x" }), "ok"] });
		const pi = await rpc({
			extensions: [fixtureExtension("probe"), fixtureExtension("foreign-tool")],
			env: { FOREIGN_TOOLS: "other_tool" },
		});
		await pi.run("use it");
		expect(project.read("other_tool.log")).toBe('{"path":"x"}\n');
		const report = await pi.probe();
		expect(report).toMatchObject({
			mode: "rpc",
			hasUI: true,
			trusted: true,
			model: "scripted/one",
			sessionStarts: ["startup"],
		});
		expect(report.activeTools).toContain("other_tool");
		expect(report.commands).toContainEqual({ name: "probe", source: "extension" });
	});

	it("fails the test when the package under test throws, unless that is allowed", async () => {
		const { project, rpc } = await openBench({ script: ["ok", "ok"] });
		project.write("faulty/package.json", { name: "faulty", pi: { extensions: ["./extension.ts"] } });
		project.write(
			"faulty/extension.ts",
			'export default (pi) => pi.on("turn_end", () => { throw new Error("boom"); });',
		);
		vi.stubEnv("CHRONICLE_UNDER_TEST", project.path("faulty"));
		const strict = await rpc();
		await strict.run("hi");
		await expect(strict.close()).rejects.toThrow("The package let errors escape:\nturn_end: boom");
		const lenient = await rpc();
		await lenient.run("hi");
		lenient.lenient();
		expect(await lenient.close()).toEqual({ code: 0, signal: null });
		vi.unstubAllEnvs();
	});

	it("reports pi's last records when a wait times out", async () => {
		const { rpc } = await openBench({ script: ["hello"] });
		const pi = await rpc();
		await pi.run("hi");
		await expect(pi.waitFor("no_such_event", { ms: 50 })).rejects.toThrow(
			/Not within \d+ ms: event no_such_event[\s\S]*agent_settled/,
		);
		await expect(pi.send({ type: "set_model", provider: "x", modelId: "y" })).rejects.toThrow("set_model failed");
		expect(await pi.kill("SIGTERM")).toEqual({ code: 143, signal: null });
	});
});

describe("pi in print mode", () => {
	it("prints text, reads stdin, and gives records in JSON mode", async () => {
		const { server, print } = await openBench({ script: [({ lastUser }) => say(`<${lastUser}>`), "two"] });
		const text = await print("hi", { stdin: "from stdin", session: "none" });
		expect(text).toMatchObject({ code: 0, signal: null, stderr: "" });
		expect(text.stdout).toContain("from stdin");
		const json = await print("hi", { mode: "json" });
		expect(json.records.map(({ type }) => type)).toEqual(
			expect.arrayContaining(["session", "agent_end", "agent_settled"]),
		);
		expect(server.requests).toHaveLength(2);
	});

	it("is killed when it takes too long", async () => {
		const { print, project } = await openBench({ script: [hang()] });
		await expect(print("hi", { timeout: 1_500 })).rejects.toThrow(`Still running after ${patient(1_500)} ms`);
		expect(project.processes()).toEqual([]);
	});
});

describe("pi in a terminal", () => {
	it("takes keys, shows a screen with styles, resizes, and is drawn as SVG", async () => {
		const { project, server } = await openBench({ script: ["**Strong** answer"] });
		const tui = await startTui(project, { cols: 90, rows: 24 });
		await tui.submit("Tell me");
		const screen = await tui.waitForScreen("Strong answer");
		expect(screen).toContain("Tell me");
		expect(server.last().lastUser).toBe("Tell me");

		const shot = tui.snapshot();
		expect(shot.lines).toHaveLength(24);
		expect(shot.runs.flat().find(({ text }) => text.includes("Strong"))?.style.bold).toBe(true);
		const svg = svgOf(shot, { title: "An <answer>" });
		expect(svg).toContain("An &lt;answer&gt;");
		expect(svg).toMatch(/font-weight="bold"[^>]*>Strong/);

		tui.resize(60, 20);
		await tui.waitForScreen(() => tui.snapshot().cols === 60);
		await tui.still();
		expect(tui.lines()).toHaveLength(20);
		tui.type("/qui");
		await tui.waitForScreen("Quit pi");
		await tui.press("escape", "ctrl+c");
		await tui.waitForScreen((text) => !text.includes("/qui"));
		await expect(tui.waitForScreen("never there", 50)).rejects.toThrow(/--- screen ---[\s\S]*Strong answer/);
	});
});

describe("pictures", () => {
	it("are drawn once, compared by text, and report where they differ", async () => {
		const { project, tui } = await openBench({ script: ["an answer"] });
		const terminal = await tui({ cols: 70, rows: 16 });
		await terminal.submit("a question");
		await terminal.waitForScreen("an answer");
		await terminal.still();
		const folder = project.path("pictures");
		const draw = (options: Partial<PictureOptions> = {}) =>
			expectPicture(terminal.snapshot(), "talk", { title: "A talk", folder, mask: [[/\$\d\.\d+/, "$0"]], ...options });

		vi.stubEnv("UPDATE_IMAGES", "");
		expect(() => draw()).toThrow("There is no picture talk");
		vi.stubEnv("UPDATE_IMAGES", "1");
		draw();
		vi.stubEnv("UPDATE_IMAGES", "");
		draw();
		expect(pictureLines("talk", folder).join("\n")).toMatch(/a question[\s\S]*an answer[\s\S]*~\/project[\s\S]*\$0/);
		expect(project.read("pictures/talk.svg")).toMatch(/^<svg [\s\S]*<title>A talk<\/title>/);
		expect(() => draw({ mask: [[/an answer/, "another"]] })).toThrow(/differs from talk\.svg in row \d+/);
		vi.unstubAllEnvs();
	});
});

describe("projects", () => {
	it("are real git repositories with their own homes, and are removed", async () => {
		const project = openProject({ git: true, files: { "src/a.ts": "1\n", "x.json": { a: 1 } }, trusted: false });
		expect(project.git("log", "--format=%s").trim()).toBe("Start");
		project.write("src/b.ts", "2\n");
		expect(project.list()).toEqual(["src/a.ts", "src/b.ts", "x.json"]);
		expect(project.git("status", "--short", "-uall").trim()).toBe("?? src/b.ts");
		expect(project.environment().HOME).toBe(project.home);
		await project.close();
		expect(existsSync(project.folder)).toBe(false);
	});

	it("fail the test when a process is left running, and end that process", needsLinux, async () => {
		const project = openProject();
		const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { env: project.environment() });
		const ended = new Promise((resolve) => child.on("exit", (_code, signal) => resolve(signal)));
		await new Promise((resolve) => child.on("spawn", resolve));
		expect(project.processes()).toMatchObject([{ pid: child.pid }]);
		await expect(project.close()).rejects.toThrow(`${child.pid}`);
		expect(await ended).toBe("SIGKILL");
		expect(existsSync(project.folder)).toBe(false);
	});

	it("load the published form of the package", () => {
		const { root, extension, worker, cli } = packageUnderTest();
		for (const path of [extension, worker, cli]) expect(existsSync(path)).toBe(true);
		if (!process.env.CHRONICLE_UNDER_TEST) expect(existsSync(`${root}/src`)).toBe(false);
	});
});
