// Every command that is printed for a run that waits works as it stands there, for each kind of question, alone and as one of several children, at a
// path that needs quotes and through a link to it.
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openBench, type Project, type Script } from "../harness/index.ts";
import { patient } from "../harness/patience.ts";
import { call } from "../harness/reply.ts";
import { branch, ledgerOf, runIds, withTemplates } from "./bench.ts";
import {
	commandsIn,
	commandsInJson,
	countEvents,
	filledIn,
	looking,
	onePerVerb,
	openShell,
	type Shell,
	saveHome,
	verbOf,
	words,
} from "./printed-commands.ts";
import { childKinds, end, kinds, modelOfKinds, oddName, template } from "./waiting-kinds.ts";

/** All commands that are printed about the last run: at its end, by `status` and `list`, and with `--json`. */
async function printedAbout(shell: Shell, atEnd: string): Promise<string[]> {
	const looks = await Promise.all(["status", "list", "status --json"].map((verb) => shell.run(`pi-chronicle ${verb}`)));
	const [status = "", list = "", json = ""] = looks.map(({ stdout }) => stdout);
	return [...new Set([...[atEnd, status, list].flatMap(commandsIn), ...commandsInJson(json)])];
}

/** Runs commands as printed, each on the same files; `about` names what waits. */
async function tryAll(project: Project, shell: Shell, commands: readonly string[]): Promise<void> {
	const restore = saveHome(project);
	for (const command of commands) {
		await tryOne(project, shell, command);
		// A process that still writes would meet the files of the next command.
		await expect.poll(() => project.processes(), { timeout: patient(10_000) }).toEqual([]);
		restore();
	}
}

async function tryOne(project: Project, shell: Shell, command: string): Promise<void> {
	const before = countEvents(project);
	const line = filledIn(command, words);
	// Those that only look, or leave words for the next worker, end by themselves.
	if (looking.has(verbOf(command)) || verbOf(command) === "tell") {
		const { code, stdout, stderr } = await shell.run(line);
		const what = `${command}\n${stdout}${stderr}`;
		expect([0, 3, 4, 5], what).toContain(code);
		expect(stdout, what).not.toBe("");
		return;
	}
	// What the run does afterwards is the subject of other tests.
	const text = await shell.runUntil(line, () => countEvents(project) > before);
	expect(countEvents(project), `${command}\n${text}`).toBeGreaterThan(before);
}

async function openAt(files: Record<string, unknown>, script: Script) {
	const { project, server } = await openBench({
		name: `Jörg's "big" $HOME repo`,
		files: { ...files, "a.txt": "a\n" },
		git: true,
		settings: { retry: { enabled: false } },
		script,
	});
	const link = join(project.home, "li nk'");
	symlinkSync(project.folder, link);
	return { project, server, link };
}

describe("every command that is printed for a waiting run works as printed", () => {
	it("for one run of each kind, at a path with quotes", { timeout: patient(180_000) }, async () => {
		const names = Object.keys(kinds).filter((name) => !["failed", "silent", "refused"].includes(name));
		const templates = Object.fromEntries(names.map((name, index) => [`k${index}`, template(name)]));
		const { project, server } = await openAt(withTemplates(templates), modelOfKinds());
		const shell = openShell(project, project.folder);
		const common: string[] = [];
		for (const [index, name] of names.entries()) {
			const isAsked = () => server.requests.some(({ users }) => users[0]?.includes(`the state "${name}"`));
			const signal = kinds[name]?.leaves === "killed" ? "SIGKILL" : undefined;
			const text = await shell.runUntil(
				`pi-chronicle run k${index} --no-wait 'Do it'`,
				() => !!signal && isAsked(),
				signal,
			);
			await expect.poll(() => project.processes(), { timeout: patient(10_000) }).toEqual([]);
			const commands = await printedAbout(shell, text);
			const answers = commands.filter((command) => kinds[name]?.answers.includes(verbOf(command)));
			expect(new Set(answers.map(verbOf)), name).toEqual(new Set(kinds[name]?.answers));
			common.push(...commands.filter((command) => !answers.includes(command)));
			await tryAll(project, shell, answers);
		}
		await tryAll(project, shell, onePerVerb(common));
	});

	it("for exactly one child of each kind", { timeout: patient(180_000) }, async () => {
		const names = ["approval", "question", oddName, "failed"];
		const templates = names.map((name, index): [string, object] => [
			`p${index}`,
			{ states: { all: { branches: { only: { run: template(name), task: name } }, next: ["done"] }, done: {} } },
		]);
		const { project, link } = await openAt(withTemplates(Object.fromEntries(templates)), modelOfKinds());
		const shell = openShell(project, link);
		for (const [index, name] of names.entries()) {
			const earlier = new Set(runIds(project));
			const ran = await shell.run(`pi-chronicle run p${index} 'Do it'`);
			expect([3, 4, 5], ran.stdout + ran.stderr).toContain(ran.code);
			const own = runIds(project).filter((id) => !earlier.has(id));
			const commands = (await printedAbout(shell, ran.stdout + ran.stderr)).filter((command) =>
				own.some((id) => command.includes(id.slice(0, 8))),
			);
			const answers = commands.filter((command) => kinds[name]?.answers.includes(verbOf(command)));
			expect(new Set(answers.map(verbOf)), commands.join("\n")).toEqual(new Set(kinds[name]?.answers));
			await tryAll(project, shell, answers);
		}
	});

	it("for one run of each kind, inside pi", { timeout: patient(180_000) }, async () => {
		const names = ["approval", "question", oddName, "stuck"];
		const templates = Object.fromEntries(names.map((name, index) => [`k${index}`, template(name)]));
		const { project, rpc } = await openBench({
			name: `Jörg's "big" $HOME repo`,
			files: { ...withTemplates(templates), "a.txt": "a\n" },
			git: true,
			script: modelOfKinds(),
		});
		const pi = await rpc({ answers: () => null });
		for (const [index, name] of names.entries()) {
			const from = pi.screen.notifications.length;
			const said = () =>
				pi.screen.notifications
					.slice(from)
					.map(({ message }) => message)
					.join("\n");
			await pi.prompt(`/chronicle k${index} Do it`);
			await expect.poll(said, { timeout: patient(30_000) }).toMatch(/ waits in /);
			const commands = [...new Set(commandsIn(said()))];
			const answer = commands.find((command) =>
				kinds[name]?.answers.some((verb) => command.startsWith(`/chronicle ${verb} `)),
			);
			expect(answer, said()).toBeDefined();
			const before = countEvents(project);
			await pi.prompt(filledIn(answer ?? "", words));
			await expect.poll(() => countEvents(project), { timeout: patient(20_000) }).toBeGreaterThan(before);
			const isOver = (id: string) => ["done", "failed"].includes(ledgerOf(project, id).status);
			await expect.poll(() => runIds(project).every(isOver), { timeout: patient(30_000) }).toBe(true);
		}
	});

	it("for several children, through a link", { timeout: patient(180_000) }, async () => {
		const names = Object.keys(childKinds);
		const branches = Object.fromEntries(names.map((name, index) => [`b${index}`, { run: template(name), task: name }]));
		const all = { states: { all: { branches, max_parallel: 10, next: ["done"] }, done: {} } };
		const { project, link } = await openAt(withTemplates({ all }), modelOfKinds());
		const shell = openShell(project, link);
		const ran = await shell.run("pi-chronicle run all 'Do it'");
		expect(ran.code, ran.stdout + ran.stderr).toBe(3);
		const commands = await printedAbout(shell, ran.stdout + ran.stderr);
		const answering = new Set(Object.values(kinds).flatMap(({ answers }) => answers));
		const answers = commands.filter((command) => answering.has(verbOf(command)));
		// Each child has its own.
		const children = new Set(answers.map((command) => /^pi-chronicle \S+ (\w{8})(?! --child)/.exec(command)?.[1]));
		children.delete(undefined);
		expect(children.size, commands.join("\n")).toBe(names.length);
		const others = commands.filter((command) => !answers.includes(command));
		await tryAll(project, shell, [
			...answers.filter((command) => !/ (?:tell|reject) /.test(command)),
			...onePerVerb(others),
		]);
	});

	it("for a conflict, a choice, and runs that were rewound, from elsewhere", {
		timeout: patient(180_000),
	}, async () => {
		const conflict = { states: { all: { branches: { x: branch("x"), y: branch("y") }, next: ["done"] }, done: {} } };
		const choice = {
			states: {
				all: { branches: { b0: branch("x"), b1: branch("y") }, take: "one", next: ["choose"] },
				choose: { persona: "Judge", requires_approval: true, next: ["done"] },
				done: {},
			},
		};
		const { project, link } = await openAt(
			withTemplates({ conflict, choice, one: template("approval") }),
			({ users, results }) => {
				const [, state = ""] = /the (?:state|child) "(\w+)"/.exec(users[0] ?? "") ?? [];
				if (state === "choose")
					return call("workflow_transition", { target_state: "done", summary: "The second.", data: { winner: "b1" } });
				return results.length === 0 ? call("write", { path: "same.txt", content: `${state}\n` }) : end;
			},
		);
		const shell = openShell(project, project.home);
		const at = `--cwd "${link}"`;
		for (const [name, count] of [
			["conflict", 5],
			["choice", 4],
		] as const) {
			const ran = await shell.run(`pi-chronicle ${at} run ${name} 'Do it'`);
			expect(ran.code, ran.stdout + ran.stderr).toBe(3);
			const commands = [...new Set(commandsIn(ran.stdout + ran.stderr))];
			expect(commands.length, commands.join("\n")).toBe(count);
			await tryAll(project, shell, commands);
		}
		// A choice cannot be brought back after its children are gone, and no command says that it can.
		for (const [run, verbs] of [
			["choice", ["resume", "tell", "abort"]],
			["one", ["resume", "rewind", "tell", "abort"]],
		] as const) {
			if (run === "one") await shell.run(`pi-chronicle ${at} run one 'Do it'`);
			expect((await shell.run(`pi-chronicle ${at} rewind 1`)).code).toBe(0);
			const commands = commandsIn((await shell.run(`pi-chronicle ${at} status`)).stdout);
			expect(commands.map(verbOf)).toEqual(verbs);
			await tryAll(project, shell, commands);
		}
	});
});
