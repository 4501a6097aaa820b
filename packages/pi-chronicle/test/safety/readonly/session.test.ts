// The readonly posture in real pi: on and off, stored on the branch, sent once to the model, in every mode, with and without a sandbox.
import { describe, expect, it } from "vitest";
import { probeSandbox } from "../../../src/safety/sandbox/index.ts";
import { deepIt } from "../../harness/deep-it.ts";
import { call, calls, openBench, SessionDraft, say } from "../../harness/index.ts";
import { needsProgram } from "../../harness/needs.ts";

const sandbox = await probeSandbox();
const entry = "readonly:posture";
const nudges = (body: unknown) => JSON.stringify(body).match(/now readonly: read/g)?.length ?? 0;
const write = call("write", { path: "a.txt", content: "x" });

describe("switching readonly", () => {
	it("/readonly toggles it, on and off set it; writing tools stay advertised and are refused", async () => {
		const { rpc, server, project } = await openBench({
			script: [write, say("I may not."), write, say("Written.")],
		});
		const pi = await rpc();
		await pi.prompt("/readonly");
		await pi.screen.notified(/^Readonly: nothing is changed/);
		await pi.screen.status("readonly");
		await pi.prompt("/readonly on");
		expect(await pi.customEntries(entry)).toEqual([{ enabled: true }]);
		await pi.run("Write a.txt");
		expect(project.exists("a.txt")).toBe(false);
		expect(pi.toolResults()[0]?.text).toContain("This session is readonly");
		expect(server.requests[0]?.tools).toContain("write");

		await pi.prompt("/readonly off");
		await pi.screen.notified("Readonly is off.");
		expect(pi.screen.statuses.size).toBe(0);
		await pi.run("Write a.txt");
		expect(project.read("a.txt")).toBe("x");
		expect(await pi.customEntries(entry)).toEqual([{ enabled: true }, { enabled: false }]);

		await pi.prompt("/readonly maybe");
		await pi.screen.notified(/Unknown: `\/readonly maybe`/);
	});

	deepIt("the model gets one message per change, which stays in the context", async () => {
		const { rpc, server } = await openBench({ script: [say("1"), say("2"), say("3"), say("4"), say("5")] });
		const pi = await rpc();
		await pi.run("one");
		await pi.prompt("/readonly on");
		await pi.run("two");
		await pi.run("three");
		await pi.prompt("/readonly off");
		await pi.prompt("/readonly on");
		await pi.run("four");
		await pi.prompt("/readonly off");
		await pi.run("five");
		const told = server.requests.map(({ body }) => nudges(body));
		expect(told).toEqual([0, 1, 1, 1, 1]);
		expect(JSON.stringify(server.requests[4]?.body)).toContain("no longer readonly");
		// Nothing that was sent before is changed: what the provider has cached stays good.
		const [, second, third] = server.requests;
		expect(third?.system).toBe(second?.system);
		expect(third?.tools).toEqual(second?.tools);
	});

	deepIt("a change in the middle of a run applies to the next call and is sent at once", async () => {
		const { rpc, server, project } = await openBench({
			script: [call("bash", { command: "until [ -e go ]; do sleep 0.05; done" }), write, say("Done.")],
		});
		const pi = await rpc();
		await pi.prompt("Go");
		await pi.waitFor("tool_execution_start");
		await pi.prompt("/readonly on");
		project.write("go", "");
		await pi.settled();
		expect(pi.toolResults()[1]?.error).toBe(true);
		expect(nudges(server.requests[1]?.body)).toBe(1);
		expect(nudges(server.requests[2]?.body)).toBe(1);
	});
});

describe("the stored posture", () => {
	deepIt("follows the branch: after a resume, after a reload, and differently on another branch", async () => {
		const { rpc, project } = await openBench({ script: [say("one"), write, say("no"), write, say("yes")] });
		const draft = new SessionDraft(project);
		draft.user("hi");
		const before = draft.assistant("hello");
		draft.custom(entry, { enabled: true });
		draft.user("again");
		draft.assistant("hello again");
		const file = draft.write();
		const pi = await rpc({ session: file });
		await pi.screen.status("readonly");
		await pi.run("one");
		await pi.prompt("/readonly");
		await pi.screen.notified("Readonly is off.");
		await pi.close();

		const again = await rpc({ session: file });
		await again.run("Write a.txt").catch(() => {});
		expect(again.toolResults()[0]?.error).toBe(false);
		void before;
	});

	deepIt("may come from the reference package", async () => {
		const { rpc, project } = await openBench({ script: [write, say("no")] });
		const draft = new SessionDraft(project);
		draft.user("hi");
		draft.assistant("hello");
		draft.custom("agenticoding-readonly", { enabled: true });
		const pi = await rpc({ session: draft.write() });
		await pi.run("Write a.txt");
		expect(pi.toolResults()[0]?.error).toBe(true);
	});

	it("is set by --chronicle-readonly, also in a new session, unless the branch says otherwise", async () => {
		const { rpc, project } = await openBench({ script: [write, say("no"), write, say("yes")] });
		const pi = await rpc({ args: ["--chronicle-readonly"] });
		await pi.run("Write a.txt");
		expect(project.exists("a.txt")).toBe(false);
		await pi.prompt("/readonly off");
		await pi.run("Write a.txt");
		expect(project.exists("a.txt")).toBe(true);
	});

	deepIt("is kept by moves in the tree", async () => {
		const { tui, project } = await openBench({ script: [write, say("Not written.")] });
		const draft = new SessionDraft(project);
		draft.user("hi");
		draft.assistant("hello");
		draft.custom(entry, { enabled: true });
		draft.user("plan it");
		draft.assistant("planned");
		const pi = await tui({ session: draft.write(), cols: 100, rows: 30 });
		await pi.waitForScreen("readonly");
		await pi.submit("/tree");
		await pi.waitForScreen("hello");
		await pi.press("up", "up", "up");
		await pi.still();
		await pi.press("enter");
		await pi.still();
		if (/[Ss]ummar/.test(pi.screen())) await pi.press("enter");
		await pi.waitForScreen((screen) => !screen.split("\n").slice(-4).join("\n").includes("readonly"));
	});
});

describe("other modes", () => {
	it("print mode: the command reports it, the flag applies", async () => {
		const { print, project } = await openBench({ script: [write, say("I may not.")] });
		expect((await print("/readonly on")).stdout).toContain("Readonly: nothing is changed");
		const done = await print("Write a.txt", { args: ["--chronicle-readonly", "--thinking", "off"] });
		expect(done.stdout).toContain("I may not.");
		expect(project.exists("a.txt")).toBe(false);
	});

	it("the terminal: the user's own ! commands are not judged", async () => {
		const { tui, project } = await openBench({ script: [] });
		const pi = await tui({ cols: 100, rows: 30 });
		await pi.submit("/readonly");
		await pi.waitForScreen("Readonly: nothing is changed");
		await pi.submit("!touch mine");
		await pi.waitForScreen(() => project.exists("mine"));
	});
});

describe("front matter", () => {
	it("of templates and skills turns it on and off; unknown values are reported", async () => {
		const { rpc } = await openBench({
			files: {
				".pi/prompts/look.md": "---\ndescription: look\nreadonly: true\n---\nLook at $1\n",
				".pi/prompts/build.md": "---\ndescription: build\nreadonly: false\n---\nBuild it\n",
				".pi/prompts/plain.md": "---\ndescription: plain\n---\nPlain\n",
				".pi/prompts/odd.md": "---\ndescription: odd\nreadonly: sometimes\n---\nOdd\n",
				".pi/skills/audit/SKILL.md": "---\nname: audit\ndescription: audits things\nreadonly: true\n---\nAudit\n",
			},
			script: Array.from({ length: 6 }, () => say("ok")),
		});
		const pi = await rpc();
		const posture = async () => (await pi.customEntries(entry)).at(-1);
		await pi.run("/plain");
		expect(await posture()).toBeUndefined();
		await pi.run("/look here");
		expect(await posture()).toEqual({ enabled: true });
		await pi.run("/plain");
		expect(await posture()).toEqual({ enabled: true });
		await pi.run("/build");
		expect(await posture()).toEqual({ enabled: false });
		await pi.run("/skill:audit");
		expect(await posture()).toEqual({ enabled: true });
		await pi.run("/odd");
		await pi.screen.notified(/odd\.md:3: `readonly` is neither true nor false/);
	});
});

describe("readonly in a sandbox", needsProgram("bwrap", sandbox), () => {
	it("runs shell commands that can't change anything, with exit code, both outputs and streaming", async () => {
		const { rpc, project, server } = await openBench({
			files: {
				"run.sh":
					"echo a > made.txt\necho b > /tmp/chronicle-sandbox-probe && cat /tmp/chronicle-sandbox-probe; rm -f /tmp/chronicle-sandbox-probe\n",
			},
			script: [
				call("bash", { command: "sh run.sh" }),
				call("bash", { command: "echo out; echo err >&2; echo \"it's $((1+1))\"; sh -c 'exit 3'" }),
				call("bash", { command: "n=1; echo line $n; until [ -e go ]; do sleep 0.05; done; n=3; echo line $n" }),
				call("bash", { command: "cat; echo end of input" }),
				call("bash", { command: "rm run.sh" }),
				say("Done."),
			],
		});
		const pi = await rpc({ args: ["--chronicle-readonly"] });
		const over = pi.run("Go");
		await pi.waitFor((event) => event.type === "tool_execution_update" && JSON.stringify(event).includes("line 1"));
		project.write("go", "");
		await over;
		const [script, plain, slow, input, known] = pi.toolResults();
		expect(project.exists("made.txt")).toBe(false);
		expect(script?.text).toMatch(/[Rr]ead-only file system/);
		expect(script?.text).toContain("b");
		expect(plain?.error).toBe(true);
		for (const line of ["out", "err", "it's 2"]) expect(plain?.text.split("\n")).toContain(line);
		expect(plain?.text).toContain("exited with code 3");
		const seen = pi.events.filter(({ type }) => type === "tool_execution_update").map((event) => JSON.stringify(event));
		expect(seen.some((text) => text.includes("line 1") && !text.includes("line 3"))).toBe(true);
		expect(slow?.text).toContain("line 3");
		expect(input?.text).toContain("end of input");
		// What is known to write is refused before it runs.
		expect(known?.text).toContain("This session is readonly");
		// The model and the transcript see the command as it was written.
		expect(JSON.stringify(server.requests.at(-1)?.messages)).not.toContain("bwrap");
	});

	deepIt("stops the command with the run", async () => {
		const { rpc, project } = await openBench({ script: [call("bash", { command: "sleep 300" })] });
		const pi = await rpc({ args: ["--chronicle-readonly"] });
		await pi.prompt("Go");
		await pi.waitFor("tool_execution_start");
		await pi.send({ type: "abort" });
		await pi.settled();
		expect(project.processes().filter(({ command }) => command.includes("sleep 300"))).toEqual([]);
	});
});

describe("readonly without a sandbox", () => {
	it("refuses unknown commands", async () => {
		const { rpc, project } = await openBench({
			files: { "run.sh": "echo a > made.txt\n" },
			script: [
				calls([
					["bash", { command: "sh run.sh" }],
					["bash", { command: "cat run.sh" }],
				]),
				say("Done."),
			],
		});
		const pi = await rpc({ args: ["--chronicle-readonly"], env: { CHRONICLE_SANDBOX: "off" } });
		await pi.run("Go");
		expect(pi.toolResults().map(({ error }) => error)).toEqual([true, false]);
		expect(project.exists("made.txt")).toBe(false);
	});
});
