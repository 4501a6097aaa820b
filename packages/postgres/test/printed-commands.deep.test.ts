// What the command line prints about runs of an engine that wait, run as it stands there; and what it says of branches. A real host.
import { spawnSync } from "node:child_process";
import { beforeAll, describe, expect, it } from "vitest";
import { openModelServer, type Script } from "../../pi-chronicle/test/harness/index.ts";
import { patient } from "../../pi-chronicle/test/harness/patience.ts";
import { needsPostgres } from "../../pi-chronicle/test/harness/postgres.ts";
import { call } from "../../pi-chronicle/test/harness/reply.ts";
import { move, withTemplates } from "../../pi-chronicle/test/runs/bench.ts";
import {
	commandsIn,
	commandsInJson,
	filledIn,
	looking,
	onePerVerb,
	verbOf,
	words,
} from "../../pi-chronicle/test/runs/printed-commands.ts";
import { childKinds as kinds, modelOfKinds, template } from "../../pi-chronicle/test/runs/waiting-kinds.ts";
import { type EngineStage, eventually, openEngineStage } from "./engine-stage.ts";

const git = "git -c user.name=w -c user.email=w@localhost";
/** What the workers of a run do with the branch of its folder. */
const branchWork: Readonly<Record<string, readonly [string, string]>> = {
	commit: [`echo two > a.txt && ${git} commit -qam two`, "leave"],
	leave: ["git checkout -q -b other HEAD~1", "rest"],
	rest: ["true", "done"],
};
const names = Object.keys(kinds);
const branches = Object.fromEntries(names.map((name, index) => [`b${index}`, { run: template(name), task: name }]));
const templates = {
	all: { states: { all: { branches, max_parallel: 10, next: ["done"] }, done: {} } },
	switch: {
		states: Object.fromEntries(
			Object.entries(branchWork).map(([name, [, next]]) => [
				name,
				{ persona: "P", next: [next], ...(name === "rest" ? { requires_approval: true } : {}) },
			]),
		),
	},
};

function model(): Script {
	const ofKinds = modelOfKinds();
	return (request, ...more) => {
		const name = /the state "(\w+)" \(visit/.exec(request.users[0] ?? "")?.[1] ?? "";
		const work = branchWork[name];
		if (!work) return typeof ofKinds === "function" ? ofKinds(request, ...more) : move("done");
		return request.results.length === 0 ? call("bash", { command: work[0] }) : move(work[1]);
	};
}

const timeout = patient(180_000);

describe("a run of an engine", needsPostgres, () => {
	let stage: EngineStage;
	beforeAll(async () => {
		const files = { ...withTemplates(templates), "a.txt": "one\n" };
		stage = await openEngineStage(await openModelServer(model()), { files });
		stage.host("a");
	}, timeout);
	const submit = async (name: string): Promise<string> => {
		const done = await stage.cli(["run", "--json", "--model", "scripted/one", name, "Do it"]);
		expect(done.code, done.stderr).toBe(0);
		return (JSON.parse(done.stdout) as { id: string }).id;
	};

	it("works with every command that is printed while children wait, for each kind of question", {
		timeout,
	}, async () => {
		const run = await submit("all");
		const waiting =
			"SELECT FROM chronicle.run WHERE parent = $1 AND holder IS NULL AND seq > 1 AND status NOT IN ('running', 'done')";
		const count = async () => (await stage.database.query(waiting, [run])).count;
		expect(await eventually(count, (found) => found === names.length)).toBe(names.length);
		const prefix = `pi-chronicle --engine ${stage.cluster.url} --project app `;
		const [status, list, json] = await Promise.all(
			[`status ${run}`, "list", `status ${run} --json`].map((verb) => stage.printed(prefix + verb)),
		);
		const listed = commandsInJson(json?.stdout ?? "").map((command) => command.replace("pi-chronicle ", prefix));
		const commands = [...new Set([status, list].flatMap((one) => commandsIn(one?.stdout ?? "")))];
		for (const command of commands) expect(command).toContain(prefix);
		const ids = new Map(
			[...(status?.stdout ?? "").matchAll(/"b(\d+)" \(([0-9a-f]{8})\)/g)].map(([, n, id]) => [names[Number(n)], id]),
		);
		expect(ids.size, status?.stdout).toBe(names.length);
		const follow = async (command = ""): Promise<string> => {
			const { code, stdout, stderr } = await stage.printed(filledIn(command, words));
			expect(code, `${command}\n${stdout}${stderr}`).toBe(0);
			return stdout;
		};
		for (const command of onePerVerb(commands.filter((one) => looking.has(verbOf(one)))))
			expect(await follow(command)).not.toBe("");
		const events = async () =>
			(
				await stage.database.query(
					"SELECT FROM chronicle.event e JOIN chronicle.run r ON r.id = e.run WHERE r.parent = $1",
					[run],
				)
			).count;
		const before = await events();
		await Promise.all(
			Object.entries(kinds).map(async ([name, { answers }]) => {
				const own = [...commands, ...listed].filter((command) => command.includes(` ${ids.get(name)}`));
				const offered = [...new Set(own.map(verbOf))].filter((verb) => answers.includes(verb));
				expect(offered.toSorted(), `${name}: ${own.join("\n")}`).toEqual(answers.toSorted());
				// One of those that answer the same question.
				const verb = name === "approval" ? "reject" : answers[0];
				for (const command of own.filter((one) => verbOf(one) === verb).slice(0, 1)) await follow(command);
			}),
		);
		expect(await events()).toBeGreaterThan(before + names.length);
	});

	it("records branch and commit of each visit, and mixes no branches without a word", { timeout }, async () => {
		const main = stage.project.git("branch", "--show-current").trim();
		const first = stage.project.git("rev-parse", "HEAD").trim();
		const run = await submit("switch");
		const short = run.slice(0, 8);
		await stage.until(run, ({ status, holder }) => status === "awaiting_approval" && holder === null);
		const events = await stage.events(run);
		expect(events[0]).toMatchObject({ kind: "created", checkedOut: { branch: main, commit: first } });
		const recorded = events.flatMap((event) => (event.kind === "files_measured" ? [event.checkedOut] : []));
		const second = recorded[1]?.commit;
		// The files at the end of a visit are those at the start of the next.
		expect(recorded).toEqual([
			{ branch: main, commit: first },
			{ branch: main, commit: expect.stringMatching(/^[0-9a-f]{40}$/) },
			{ branch: "other", commit: first },
			{ branch: "other", commit: first },
		]);
		expect(second).not.toBe(first);

		// Whatever is checked out here, the files are on the hosts.
		stage.project.git("checkout", "-q", "-b", "elsewhere");
		const both = new RegExp(`recorded on the branch ${main}, and the branch other is checked out in the run's folder`);
		const dry = await stage.cli(["rewind", short, "2", "--dry-run"]);
		expect([dry.code, dry.stdout]).toEqual([0, expect.stringMatching(both)]);
		expect(dry.stdout).toMatch(/M a\.txt/);
		const refused = await stage.cli(["rewind", short, "2"]);
		expect([refused.code, refused.stderr + refused.stdout]).toEqual([2, expect.stringMatching(both)]);
		expect((await stage.events(run)).length).toBe(events.length);
		const done = await stage.cli(["rewind", short, "2", "--other-branch"]);
		expect(done.code, done.stderr + done.stdout).toBe(0);
		await stage.until(run, ({ status, holder }) => status === "paused" && holder === null);
		expect((await stage.cli(["abort", short])).code).toBe(0);
		await stage.until(run, ({ status, holder }) => status === "aborted" && holder === null);
		const status = await stage.cli(["status", short]);
		expect(status.stdout).toContain("which continues the branch other");
		const [fetch = ""] = /git fetch origin \S+/.exec(status.stdout) ?? [];
		const fetched = spawnSync("sh", ["-c", `${fetch} && git show FETCH_HEAD:a.txt`], {
			cwd: stage.project.folder,
			encoding: "utf8",
		});
		expect(fetched.stdout, fetched.stderr + status.stdout).toBe("two\n");
	});
});
