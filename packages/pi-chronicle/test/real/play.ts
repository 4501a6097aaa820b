// A run in a repository: two children change many files, run the project's check and are joined, while the project's own people run that check too.
import { equal } from "node:assert/strict";
import { join } from "node:path";
import { openBench } from "../harness/bench.ts";
import { runProgram } from "../harness/print.ts";
import type { Project } from "../harness/project.ts";
import { call, gate } from "../harness/reply.ts";
import { goOn, move, withTemplates } from "../runs/bench.ts";
import type { Repository } from "./repositories.ts";

/** What the run and the people beside it found. */
export interface Played {
	readonly project: Project;
	/** What the check printed in the child that changes files, after its change. */
	readonly inChild: string;
	/** The same in the project, before the run, while children worked, and after the join. */
	readonly before: string;
	readonly during: string;
	readonly after: string;
	/** What git said of the project's state while children worked. */
	readonly status: string;
	/** Milliseconds from the command to the first request of a worker, and to its end without the time that the people beside it took. */
	readonly firstMs: number;
	readonly runMs: number;
}

export async function playIn(repository: Repository): Promise<Played> {
	const { link, check, edit } = repository;
	const held = gate();
	const state = (name: string) => ({ [name]: { persona: "Engineer", next: ["done"] }, done: {} });
	const build = {
		branches: {
			first: { run: { states: state("code") }, task: "Change the code" },
			second: { run: { states: state("notes") }, task: "Write notes" },
		},
		...(link ? { link } : {}),
		next: ["done"],
	};
	const results: string[] = [];
	const { project, server } = await openBench({
		git: true,
		files: { ...withTemplates({ build: { states: { build, done: {} } } }), "README.md": "w\n", "docs/a.md": "a\n" },
		script: ({ users, results: seen }) => {
			const step = seen.length;
			if (users[0]?.includes('the state "notes"'))
				return step === 0
					? call("bash", { command: `for f in $(git ls-files '*.md'); do echo noted >> "$f"; done` })
					: move("done", "Noted.", { after: held.opened });
			if (step > 0) results[step - 1] = seen.at(-1)?.text ?? "";
			const command = [edit, check][step];
			return command === undefined ? move("done", "Changed.") : call("bash", { command });
		},
	});
	repository.make(project);
	const PATH = `${join(project.home, "bin")}:${process.env.PATH}`;
	const own = async (command: string) => {
		const { code, stdout, stderr } = await runProgram(project, ["sh", "-c", command], { env: { PATH } });
		equal(code, 0, `${command}\n${stdout}${stderr}`);
		return stdout;
	};
	const before = await own(check);
	const began = performance.now();
	const run = goOn(project, ["run", "build", "Change it"], { PATH });
	await server.waitForRequest(1, 60_000);
	const firstMs = performance.now() - began;
	await server.waitForRequest(
		({ users, results: seen }) => users[0]?.includes('the state "code"') === true && seen.length === 2,
		60_000,
	);
	const paused = performance.now();
	const during = await own(check);
	const status = await own("git status --short");
	const resumed = performance.now();
	held.open();
	const { code, stdout } = await run.ended;
	equal(code, 0, `${stdout}${run.stderr()}`);
	const runMs = performance.now() - began - (resumed - paused);
	return { project, inChild: results[1] ?? "", before, during, after: await own(check), status, firstMs, runMs };
}
