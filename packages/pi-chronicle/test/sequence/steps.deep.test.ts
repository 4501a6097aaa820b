// Texts sent for steps: files read before the first step, arguments kept whole, no empty text, no placeholder; and steps that start long work.

import { describe, expect, it } from "vitest";
import { deepIt, sampled } from "../harness/deep-it.ts";
import { call, openBench, say } from "../harness/index.ts";
import { patient } from "../harness/patience.ts";
import { move, withTemplates, worker } from "../runs/bench.ts";
import { step, workflowFiles } from "../workflow/stage.ts";
import { echo, recorded } from "./stage.ts";

describe("text sent for a step", () => {
	deepIt("every file is read before the first step, so a step that deletes one does not stop the run", async () => {
		const { project, server, print } = await openBench({
			files: { ".pi/prompts/last.md": "---\nreadonly: true\n---\nThe last $1" },
			script: (request) =>
				request.lastUser === "delete" && request.results.length === 0
					? call("bash", { command: "rm .pi/prompts/last.md" })
					: say("ok"),
		});
		const { code, stderr } = await print("/sequence run 2", { session: recorded(project, "delete", "/last word") });
		const users = server.requests.map(({ lastUser }) => lastUser);
		expect(server.requests.some((request) => request.users.includes("The last word"))).toBe(true);
		// The second run begins with the file gone: it ends before its first step.
		expect(users.filter((text) => text === "delete")).toHaveLength(2);
		expect([code, stderr]).toEqual([1, expect.stringMatching(/cannot run 2\/2[\s\S]*\/last/)]);
	});

	it("an argument with spaces stays one argument of a template", async () => {
		const { project, server, print } = await openBench({
			files: { ".pi/prompts/two.md": "first=$1 second=$2" },
			script: echo,
		});
		const session = recorded(project, "/two $@", "/two $2 $1", '/two "$1" x');
		await print('/sequence run "a b" c', { session });
		expect(server.requests.map(({ lastUser }) => lastUser)).toEqual([
			"first=a b second=c",
			"first=c second=a b",
			"first=a b second=x",
		]);
	});

	deepIt(
		"without arguments and nobody to ask, nothing is sent and the exit code is 1; defaults need no arguments",
		async () => {
			const { project, server, print } = await openBench({
				files: { ".pi/prompts/greet.md": "Hello $1" },
				script: echo,
			});
			for (const raw of sampled(["Plan $@", "see $1", "/handoff do $ARGUMENTS", "/greet $1", "from ${@:2}"])) {
				const { code, stderr } = await print("/sequence run", { session: recorded(project, "fine", raw) });
				expect([code, stderr]).toEqual([1, expect.stringContaining("Step 2 needs arguments")]);
			}
			expect(server.requests).toEqual([]);
			expect((await print("/sequence run", { session: recorded(project, "Plan ${1:-it} all") })).code).toBe(0);
			expect(server.requests.map(({ lastUser }) => lastUser)).toEqual(["Plan it all"]);
		},
	);

	deepIt("a step that expands to nothing is refused before the first step", async () => {
		const { project, server, print } = await openBench({
			files: {
				".pi/prompts/blank.md": "---\ndescription: x\n---\n\n",
				".pi/prompts/only.md": "$1",
				".pi/skills/void/SKILL.md": "---\nname: void\ndescription: nothing\n---\n",
			},
			script: [],
		});
		for (const raw of ["/blank", "/only", "/skill:void"]) {
			const { code, stderr } = await print("/sequence run", { session: recorded(project, "fine", raw) });
			expect([code, stderr]).toEqual([2, expect.stringContaining("expands to nothing")]);
		}
		expect(server.requests).toEqual([]);
	});
});

describe("a workflow as a step", () => {
	const files = workflowFiles({ w: ["a", "b"] });

	it("is awaited: the next step runs after its last phase, in interactive modes and in print mode", async () => {
		const script = (request: { lastUser: string; tools: readonly string[]; results: readonly unknown[] }) =>
			request.tools.includes("workflow_step") && request.results.length < 2
				? step("next")
				: say(`echo ${request.lastUser}`);
		const { project, server, print, rpc } = await openBench({ files, script });
		const session = recorded(project, "/workflow w do $1", "after");
		expect((await print("/sequence run it", { session })).code).toBe(0);
		expect(server.requests.at(-1)?.lastUser).toBe("after");
		expect(server.requests.some(({ users }) => users.some((text) => text.includes("do it")))).toBe(true);
		const before = server.requests.length;
		const pi = await rpc({ session: recorded(project, "/workflow w do $1", "after") });
		await pi.prompt("/sequence run 2 that");
		expect(server.requests.length).toBe(3 * before);
		expect(server.requests.filter(({ lastUser }) => lastUser === "after")).toHaveLength(3);
	});

	deepIt("stops the sequence with its reason if it waits or cannot start", async () => {
		const { project, server, print } = await openBench({ files, script: () => say("I do not move") });
		const session = recorded(project, "/workflow w do it", "never");
		const waits = await print("/sequence run --max-cost 2", { session });
		expect(waits.code).toBe(3);
		expect(waits.stdout + waits.stderr).toMatch(/stopped at run 1\/1, step 1\/2[\s\S]*not finished/);
		// What is advised finishes the workflow and goes on behind it; the ceiling is kept.
		expect(waits.stdout + waits.stderr).toMatch(
			/Finish it first: pi --session \S+ -p '\/workflow resume'\nThen continue with pi --session \S+ -p '\/sequence run 1 --from 1\.2 --max-cost [\d.]+'/,
		);
		const none = await print("/sequence run", { session: recorded(project, "/workflow nope do it", "never") });
		expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('no workflow "nope"')]);
		expect(server.requests.some(({ lastUser }) => lastUser === "never")).toBe(false);
	});

	it("with a screen, the sequence waits for the user and continues at the end of the workflow", async () => {
		const { project, server, rpc } = await openBench({
			files: workflowFiles({ w: { phases: ["a"], autoContinue: false } }),
			script: () => say("I do not move"),
		});
		const pi = await rpc({ session: recorded(project, "/workflow w do $1", "after") });
		const run = pi.prompt("/sequence run that");
		await pi.screen.notified(
			/The sequence waits at run 1\/1, step 1\/2 \(\/workflow w do that\)[\s\S]*\/workflow next/,
		);
		expect(pi.screen.statuses.get("chronicle-sequence")).toMatch(/do that · waits for you$/);
		await pi.prompt("/sequence list");
		expect(pi.screen.text).not.toContain("A sequence is running");
		await pi.prompt("/workflow next");
		await server.waitForRequest(({ users }) => users.includes("after"));
		await run;
		await pi.idle();
	});
});

describe("a chronicle as a step", () => {
	const time = { timeout: patient(60_000) };
	const waiting = { timeout: patient(50_000) };

	it("is awaited until it is done", time, async () => {
		const one = { states: { only: { persona: "P", next: ["finished"] } } };
		const { project, server, print } = await openBench({
			files: withTemplates({ one }),
			git: true,
			script: { [worker("only")]: [move("finished", "Did it.")], "*": echo },
		});
		const session = recorded(project, "/chronicle one do it", "after");
		expect(await print("/sequence run", { session, ...waiting })).toMatchObject({ code: 0 });
		expect(server.requests.map(({ lastUser }) => lastUser)).toEqual([expect.stringContaining("do it"), "after"]);
	});

	deepIt("stops the sequence with its reason if it waits for the user or is refused", time, async () => {
		const asks = { states: { plan: { persona: "P", next: ["build"], requires_approval: true } } };
		const { project, server, print } = await openBench({
			files: withTemplates({ asks }),
			git: true,
			script: { [worker("plan")]: [move("build", "Planned.")], "*": echo },
		});
		const waits = await print("/sequence run", {
			session: recorded(project, "/chronicle asks do it", "never"),
			...waiting,
		});
		expect(waits.code).toBe(3);
		expect(waits.stderr).toMatch(/stopped at run 1\/1, step 1\/2 .*: asks \w+ is not done/);
		const none = await print("/sequence run", { session: recorded(project, "/chronicle nope do it", "never") });
		expect([none.code, none.stderr]).toEqual([1, expect.stringMatching(/step 1\/2 .*nope/)]);
		expect(server.requests.some(({ lastUser }) => lastUser === "never")).toBe(false);
	});
});

describe("a session with active work", () => {
	deepIt("is left for a second run only after a yes; it is kept after a no or if nobody can be asked", async () => {
		const { project, server, rpc } = await openBench({
			files: workflowFiles({ w: { phases: ["a"], autoContinue: false } }),
			script: echo,
		});
		const pi = await rpc({ session: recorded(project, "one"), answers: [false, true] });
		await pi.prompt("/workflow w do it");
		await pi.settled();
		const before = server.requests.length;
		await pi.prompt("/sequence run 2");
		expect(pi.screen.dialogs.at(-1)).toMatchObject({ title: "Leave this session for the next run?" });
		expect(server.requests.length).toBe(before);
		await pi.prompt("/sequence run 2");
		expect(server.requests.length).toBe(before + 2);
	});

	it("needs no question for a single run, which stays in it", async () => {
		const { project, server, rpc } = await openBench({
			files: workflowFiles({ w: { phases: ["a"], autoContinue: false } }),
			script: echo,
		});
		const pi = await rpc({ session: recorded(project, "one"), answers: [] });
		await pi.prompt("/workflow w do it");
		await pi.settled();
		const before = server.requests.length;
		await pi.prompt("/sequence run");
		expect(server.requests.length).toBe(before + 1);
	});
});
