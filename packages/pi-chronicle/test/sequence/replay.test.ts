// Replaying a sequence in real pi, without a terminal: order, sessions, arguments, failures. The recording is seeded.

import { rmSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { snapshotType } from "../../src/sequence/recorded.ts";
import { deepIt } from "../harness/deep-it.ts";
import { call, fail, fixtureExtension, openBench, type Project, SessionDraft, say } from "../harness/index.ts";
import { echo } from "./stage.ts";

const snapshot = (steps: unknown, updatedAt = 1, sequenceId = "s") => ({ version: 1, sequenceId, steps, updatedAt });

/** A session file with these snapshots, oldest first, after a first exchange. */
function seeded(project: Project, ...snapshots: unknown[]): string {
	const draft = new SessionDraft(project);
	draft.user("start");
	draft.assistant("yes");
	for (const data of snapshots) draft.custom(snapshotType, data);
	return draft.write();
}

describe("restoring a sequence", () => {
	it("offers the newest valid snapshot of the branch in a menu; Cancel changes nothing", async () => {
		const { project, server, rpc } = await openBench({ script: [] });
		const file = seeded(
			project,
			snapshot(["old"]),
			snapshot(["newest"], 2),
			{ version: 9 },
			snapshot([]),
			snapshot("x"),
			null,
		);
		const pi = await rpc({ session: file, answers: ["Cancel"] });
		await pi.prompt("/sequence");
		const [dialog] = pi.screen.dialogs;
		expect(dialog).toMatchObject({ title: "Restore last sequence?", options: ["Run", "Edit", "Start new", "Cancel"] });
		expect(server.requests).toHaveLength(0);
		expect(await pi.customEntries(snapshotType)).toHaveLength(6);
		await pi.prompt("/sequence show");
		expect(pi.screen.text).toContain("1. newest");
	});

	deepIt("offers none in a session or branch without one; recording reports that it needs the terminal", async () => {
		const { project, rpc } = await openBench({ script: [] });
		const draft = new SessionDraft(project);
		const root = draft.user("start");
		draft.assistant("yes");
		draft.custom(snapshotType, snapshot(["left behind"]));
		draft.branchFrom(root);
		draft.assistant("other");
		const pi = await rpc({ session: draft.write() });
		await pi.prompt("/sequence run");
		expect(pi.screen.text).toContain("has no recorded sequence");
		await pi.prompt("/sequence");
		expect(pi.screen.text).toContain("needs pi's terminal");
	});

	deepIt("survives a compaction", async () => {
		const { project, rpc } = await openBench({
			settings: { compaction: { keepRecentTokens: 1 } },
			script: (request) => say(request.lastUser.includes("summar") ? "summary" : "ok"),
		});
		const pi = await rpc({ session: seeded(project, snapshot(["again"])) });
		await pi.run("talk");
		await pi.send({ type: "compact" });
		await pi.prompt("/sequence show");
		expect(pi.screen.text).toContain("1. again");
	});
});

describe("running a sequence", () => {
	it("executes every step in order, each further run in a new session with the recording", async () => {
		const { project, server, rpc } = await openBench({ script: echo });
		const file = seeded(project, snapshot(["hello /new", "second"]));
		const pi = await rpc({ session: file, answers: ["Run", "3"], extensions: [fixtureExtension("probe")] });
		await pi.prompt("/sequence");
		expect(server.requests.map(({ lastUser }) => lastUser)).toEqual(Array(3).fill(["hello /new", "second"]).flat());
		expect(server.requests[2]?.messages.length).toBeLessThan(server.requests[1]?.messages.length ?? 0);
		const statuses = pi.screen.statusHistory.map(({ text }) => text);
		for (const text of ["run 1/3 · step 1/2 · hello /new", "run 2/3 · step 2/2 · second", "run 3/3 · step 2/2"]) {
			expect(statuses.join("\n")).toContain(`⟳ sequence · ${text}`);
		}
		expect(pi.screen.statuses.get("chronicle-sequence")).toBeUndefined();
		expect(project.sessionFiles()).toHaveLength(3);
		const [summary] = await pi.customEntries("sequence:finished");
		expect(summary).toMatchObject({ how: "completed", runs: 3, of: 3, total: { tokens: 660 } });
		await pi.prompt("/sequence show");
		expect(pi.screen.text).toContain("1. hello /new");
		expect(JSON.stringify(server.requests[0]?.messages)).not.toContain("second");
	});

	deepIt("asks again for anything but a whole number from 1; canceling the question runs nothing", async () => {
		const { project, server, rpc } = await openBench({ script: echo });
		const pi = await rpc({
			session: seeded(project, snapshot(["go"])),
			answers: ["Run", "abc", "0", "1.5", "-1", " 2 ", "Run", null],
		});
		await pi.prompt("/sequence");
		expect(server.requests).toHaveLength(2);
		expect(pi.screen.text).toContain('"abc" is not a number of runs');
		await pi.prompt("/sequence");
		expect(server.requests).toHaveLength(2);
	});

	deepIt("reads templates and skills from disk at each run, with arguments by pi's rules", async () => {
		const skill = "---\nname: lint\ndescription: lints\n---\nRun the linter.\n";
		const { project, server, rpc } = await openBench({
			files: {
				".pi/prompts/greet.md": "---\ndescription: greets\n---\nHello $1 of ${2:-nowhere}!",
				".pi/skills/lint/SKILL.md": skill,
			},
			script: (request) => {
				if (request.lastUser.startsWith("change")) project.write(".pi/prompts/greet.md", "Goodbye $@!");
				return say("ok");
			},
		});
		const pi = await rpc({
			session: seeded(project, snapshot(['/greet "Ann B" Rome', "/skill:lint src $1", "change"])),
		});
		await pi.prompt("/sequence run 2 now");
		const users = server.requests.map(({ lastUser }) => lastUser);
		expect(users[0]).toBe("Hello Ann B of Rome!");
		expect(users[1]).toMatch(
			/^<skill name="lint" location=".*SKILL\.md">\nReferences are relative to .*\n\nRun the linter\.\n<\/skill>\n\nsrc now$/,
		);
		expect(users[3]).toBe("Goodbye Ann B Rome!");
		const [entry] = await pi.customEntries(snapshotType);
		expect(JSON.stringify(entry)).toContain('/greet \\"Ann B\\" Rome');
		expect(users.some((text) => text.startsWith("/"))).toBe(false);
	});

	deepIt(
		"fills given arguments into every step, asks once for missing ones, and leaves text without placeholders unchanged",
		async () => {
			const { project, server, rpc } = await openBench({ script: echo });
			const pi = await rpc({ session: seeded(project, snapshot(["Plan $@", "costs 5 $"])), answers: ["a b"] });
			await pi.prompt("/sequence run 1 the parser");
			await pi.prompt("/sequence run");
			expect(server.requests.map(({ lastUser }) => lastUser)).toEqual([
				"Plan the parser",
				"costs 5 $",
				"Plan a b",
				"costs 5 $",
			]);
		},
	);

	it("refuses an unresolvable step before the first step, and names it", async () => {
		const { project, server, rpc } = await openBench({
			files: { ".pi/prompts/greet.md": "Hi" },
			script: echo,
		});
		const pi = await rpc({ session: seeded(project, snapshot(["fine", "/nope", "/greet", "/new"])) });
		await pi.prompt("/sequence run");
		expect(server.requests).toHaveLength(0);
		expect(pi.screen.text).toContain("step 2: Unsupported step: /nope");
		expect(pi.screen.text).toContain("step 4: Unsupported step: /new");
	});

	deepIt("stops before the next run's first step if a template has disappeared", async () => {
		const { project, server, rpc } = await openBench({
			files: { ".pi/prompts/greet.md": "Hi" },
			script: (request) => {
				if (request.lastUser === "remove") rmSync(project.path(".pi/prompts/greet.md"));
				return say("ok");
			},
		});
		const pi = await rpc({ session: seeded(project, snapshot(["first", "/greet", "remove"])) });
		await pi.prompt("/sequence run 3");
		expect(server.requests.map(({ lastUser }) => lastUser)).toEqual(["first", "Hi", "remove"]);
		expect(pi.screen.notifications.at(-1)).toMatchObject({ type: "error" });
		expect(pi.screen.statuses.get("chronicle-sequence")).toBeUndefined();
	});

	deepIt(
		"waits for /compact and passes its instructions; nothing to compact is reported and does not stop it",
		async () => {
			const { project, server, rpc } = await openBench({
				settings: { compaction: { keepRecentTokens: 1 } },
				script: (request) => say(request.lastUser.length > 300 ? "the summary" : "ok"),
			});
			const pi = await rpc({
				session: seeded(
					project,
					snapshot(["talk a little", "/compact keep the plan", "after", "/compact", "/compact", "end"]),
				),
			});
			await pi.prompt("/sequence run");
			expect(JSON.stringify(server.requests)).toContain("keep the plan");
			const after = server.requests.find(({ lastUser }) => lastUser === "after");
			expect(JSON.stringify(after?.messages)).toContain("the summary");
			expect(server.requests.at(-1)?.lastUser).toBe("end");
		},
	);

	deepIt(
		"runs /handoff as one cut within its step and the next step after the successor; /notebook does not hang",
		async () => {
			const { project, server, rpc } = await openBench({
				script: [say("one"), call("handoff", { context: "brief" }), say("successor worked"), say("three")],
			});
			const pi = await rpc({
				session: seeded(project, snapshot(["first", "/handoff do the rest", "/notebook", "third"])),
			});
			await pi.prompt("/sequence run");
			expect(server.requests).toHaveLength(4);
			expect(server.requests[3]?.lastUser).toBe("third");
			expect(JSON.stringify(server.requests[3]?.messages)).not.toContain('"one"');
			expect(pi.screen.text).toContain("Notebook off");
		},
	);

	deepIt("starts each further run with an empty notebook and no topic", async () => {
		const { project, server, rpc } = await openBench({
			script: (request) => {
				if (!request.users.includes("work")) return say("ok");
				return request.results.length === 0 ? call("notebook_write", { name: "page", content: "x" }) : say("ok");
			},
		});
		const pi = await rpc({
			session: seeded(project, snapshot(["/notebook on", "/notebook topic my topic", "/notebook", "work"])),
		});
		await pi.prompt("/sequence run 2");
		const lists = pi.screen.notifications.map(({ message }) => message).filter((text) => text.includes("no pages yet"));
		expect(lists).toHaveLength(2);
		expect(server.requests.filter(({ results }) => results.length > 0)).toHaveLength(2);
	});
});

describe("the end of a sequence", () => {
	deepIt(
		"after a provider error names run, step and error, leaves nothing on the screen, and keeps pi usable",
		async () => {
			const { project, server, rpc } = await openBench({
				settings: { retry: { enabled: false } },
				script: [say("ok"), say("ok"), fail(400, "no such model"), say("alive")],
			});
			const pi = await rpc({ session: seeded(project, snapshot(["one", "two"])) });
			await pi.prompt("/sequence run 4");
			expect(server.requests).toHaveLength(3);
			expect(pi.screen.text).toMatch(/stopped at run 2\/4, step 1\/2 \(one\): .*no such model/);
			expect(pi.screen.statuses.get("chronicle-sequence")).toBeUndefined();
			await pi.run("still there?");
			expect(pi.events.filter(({ type }) => type === "extension_error")).toEqual([]);
		},
	);

	it("by abort stops the whole sequence; a second /sequence meanwhile is refused", async () => {
		const { project, server, rpc } = await openBench({
			script: () => say("a slow answer that takes its time", { chunk: 1, delay: 100 }),
		});
		const pi = await rpc({ session: seeded(project, snapshot(["one", "two"])) });
		const run = pi.prompt("/sequence run 3");
		await server.waitForRequest(1);
		await pi.waitFor("message_update");
		void pi.prompt("/sequence run").catch(() => {});
		await pi.screen.notified("A sequence is running");
		await pi.send({ type: "abort" });
		await run;
		expect(server.requests).toHaveLength(1);
		expect(pi.screen.text).toContain("The sequence was stopped at run 1/3, step 1/2 (one).");
	});

	deepIt("by the user's own new session is no error", async () => {
		const { project, server, rpc } = await openBench({
			script: () => say("slow answer indeed", { chunk: 1, delay: 100 }),
		});
		const pi = await rpc({ session: seeded(project, snapshot(["one", "two"])) });
		const run = pi.prompt("/sequence run 3").catch(() => {});
		await server.waitForRequest(1);
		await pi.send({ type: "new_session" });
		await run;
		await pi.idle();
		expect(server.requests).toHaveLength(1);
		expect(pi.screen.text).toContain("The sequence was stopped");
		expect(pi.events.filter(({ type }) => type === "extension_error")).toEqual([]);
	});

	deepIt("is visible in the first session if another extension forbids new sessions", async () => {
		const { project, server, rpc } = await openBench({
			files: { "guard.mjs": "export default (pi) => pi.on('session_before_switch', () => ({ cancel: true }));" },
			script: echo,
		});
		const pi = await rpc({ session: seeded(project, snapshot(["one"])), extensions: [project.path("guard.mjs")] });
		await pi.prompt("/sequence run 3");
		expect(server.requests).toHaveLength(1);
		expect(pi.screen.text).toContain("refused by another extension");
	});

	deepIt("by a kill is final: the run is not resumed", async () => {
		const { project, server, rpc } = await openBench({ script: () => say("a slow answer", { chunk: 1, delay: 200 }) });
		const file = seeded(project, snapshot(["one", "two"]));
		const pi = await rpc({ session: file });
		void pi.prompt("/sequence run 3").catch(() => {});
		await server.waitForRequest(1);
		await pi.kill("SIGKILL");
		const again = await rpc({ session: file });
		await again.idle();
		expect(server.requests).toHaveLength(1);
		expect(again.screen.statuses.get("chronicle-sequence")).toBeUndefined();
		await again.prompt("/sequence show");
		expect(again.screen.text).toContain("1. one");
	});

	deepIt("in print mode comes before the exit; a failure sets the exit code", async () => {
		const { project, server, print } = await openBench({ script: echo });
		const file = seeded(project, snapshot(["one", "two"]));
		expect(await print("/sequence run 2", { session: file })).toMatchObject({ code: 0 });
		expect(server.requests.map(({ lastUser }) => lastUser)).toEqual(["one", "two", "one", "two"]);
		const failed = await print("/sequence run nothing here", { session: "none" });
		expect(failed.stderr).toContain("has no recorded sequence");
	});
});
