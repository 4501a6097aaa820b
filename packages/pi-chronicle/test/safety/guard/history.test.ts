// What the guard reads from the sessions of a project: the log of all decisions, and rules tried on the calls that models have made.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { type PastSession, pastSessions } from "../../../src/safety/guard/history.ts";
import { readTriedRule, tryRules } from "../../../src/safety/guard/try-rules.ts";
import { call, openBench, openFolder, say } from "../../harness/index.ts";

const cwd = openFolder();
const folder = openFolder();
const tool = (name: string, input: object, at = "2026-11-01T10:00:00.000Z") => ({
	type: "message",
	timestamp: at,
	message: { role: "assistant", content: [{ type: "toolCall", id: "1", name, arguments: input }] },
});
const bash = (command: string, at?: string) => tool("bash", { command }, at);
const decision = (rule: string, at: string) => ({
	...{ type: "custom", customType: "chronicle:decision", timestamp: at },
	data: { version: 1, outcome: "denied", tool: "bash", input: "x", policy: "guard", rule, reason: "r" },
});
const header = (place = cwd) => ({ type: "session", cwd: place });

function put(file: string, ...entries: (object | string)[]): void {
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, entries.map((each) => `${typeof each === "string" ? each : JSON.stringify(each)}\n`).join(""));
}

const sessionManager = {
	getSessionFile: () => join(folder, "own.jsonl"),
	getSessionDir: () => folder,
	getEntries: () => [bash("npm publish"), decision("own", "2026-11-05T10:00:00.000Z")],
};
const sessions = () => pastSessions({ cwd, sessionManager } as never);

beforeAll(() => {
	put(join(folder, "own.jsonl"), header(), bash("not counted twice"));
	put(
		join(folder, "a.jsonl"),
		header(),
		bash("npm publish", "2026-10-01T10:00:00.000Z"),
		"{ damaged",
		bash("npm test"),
		tool("read", { path: "secrets/a" }),
		decision("a", "2026-11-04T10:00:00.000Z"),
	);
	put(join(folder, "other.jsonl"), header("/elsewhere"), bash("npm publish"));
	put(
		join(cwd, ".pi/chronicle/sessions/0/workers/1.1.jsonl"),
		header("/a/folder/of/its/own"),
		bash("git push"),
		decision("worker", "2026-11-06T10:00:00.000Z"),
	);
});

describe("the history of a project", () => {
	it("has its sessions and the workers of its runs, each once, without damaged lines and other projects", async () => {
		const all: PastSession[] = [];
		for await (const session of sessions()) all.push(session);
		const commands = all.flatMap(({ calls }) => calls.map(({ input }) => input.command ?? input.path));
		expect(commands.sort()).toEqual(["git push", "npm publish", "npm publish", "npm test", "secrets/a"]);
		expect(all.flatMap(({ decisions }) => decisions.map(({ record }) => record.rule)).sort()).toEqual([
			"a",
			"own",
			"worker",
		]);
	});
});

describe("a rule that is tried", () => {
	const tried = async (written: string) => {
		const read = readTriedRule(written, cwd);
		return "rules" in read ? tryRules(read.rules, sessions(), { cwd, agentDir: undefined }) : read.problems.join("\n");
	};

	it.each([
		["publish", "2 would be refused and 0 asked about", "  2× deny · bash command=npm publish"],
		["publish: ask", "0 would be refused and 2 asked about", "  2× ask · bash command=npm publish"],
		["\\bnpm\\s+(test|publish)\\b", "3 would be refused", "  1× deny · bash command=npm test"],
		["zeroAccessPaths: [secrets/]", "1 would be refused", "  1× deny · read path=secrets/a"],
		["recursive-delete", "0 would be refused and 0 asked about", "Of 5 calls in 3 sessions since 2026-10-01"],
	])("%s: %s", async (written, first, line) => {
		const text = await tried(written);
		expect(text).toContain(first);
		expect(text).toContain(line);
	});

	it.each([
		["(", "Unterminated group"],
		["effects: { no-effect: deny }", "no-effect"],
	])("%s has an error, which is told", async (written, problem) => {
		expect(await tried(written)).toContain(problem);
	});
});

describe("/guard", () => {
	it("tells decisions of all sessions, who allowed, and what a rule would have stopped", async () => {
		const rules = "effects:\n  publish: ask\n  git-stash-drop: deny\n";
		const files = { ".pi/damage-control-rules.yaml": rules };
		const script = [call("bash", { command: "git stash drop" }), call("bash", { command: "npm publish --dry" })];
		const { rpc } = await openBench({ files, git: true, script: [...script, say("Done.")] });
		const first = await rpc({ answers: () => "Yes, once" });
		await first.run("Go");
		await first.close();
		const second = await rpc();
		await second.prompt("/guard log");
		await second.screen.notified(/Nothing was refused, asked about or withheld in this session/);
		await second.prompt("/guard log --all");
		await second.screen.notified(
			/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d allowed by you bash command=npm publish --dry\n.*guard · effect publish · .*yaml:2\n.* denied bash command=git stash drop/,
		);
		await second.prompt("/guard try git-stash-drop");
		await second.screen.notified(/Of 2 calls in 1 session since .*, 1 would be refused and 0 asked about/);
		await second.prompt("/guard try no-effect: deny");
		await second.screen.notified(/0 would be refused/);
	});
});
