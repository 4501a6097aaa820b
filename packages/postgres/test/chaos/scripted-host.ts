// A host as a process of its own, whose workers play a script in it: everything but pi is real. `node scripted-host.ts <json>`.
// Until it has registered, it retries while the database is away, as a restarted service would; SIGTERM drains it.
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openScriptedLauncher, type Play } from "../../../pi-chronicle/test/local/supervisor/scripted-launcher.ts";
import { EngineWorker, openDatabase, openHost } from "../../src/index.ts";

export interface ScriptedHostOptions {
	readonly url: string;
	readonly name: string;
	/** Folder of everything that it keeps. */
	readonly data: string;
	readonly remote: string;
	readonly home: string;
	readonly leaseMs: number;
	readonly slots: number;
	/** Milliseconds that a step of a worker takes, at most. */
	readonly workMs: number;
}

/** Writes `word` as a line of `file` unless it is there, as a careful worker does after an interruption. */
function writeOnce(file: string, word: string): void {
	const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
	if (!lines.includes(word)) appendFileSync(file, `${word}\n`);
}

/** The worker of a state: it writes the state's line in two steps of work, and moves on. `task`: of its run; `workMs`: how long each takes, at most. */
function playOf(task: string, workMs: number): Play {
	return async (host, { cwd, state, targets, launch }, ended) => {
		let isOver = false;
		void ended.then(() => {
			isOver = true;
		});
		const work = async (step: number, change: () => void): Promise<void> => {
			const call = `${launch.visit}-${launch.attempt}-${launch.launch}-${step}`;
			host.report({ kind: "tool_started", call, tool: "bash", args: `${step}` });
			await sleep(100 + Math.random() * workMs);
			if (isOver) return;
			change();
			host.report({ kind: "tool_ended", call, tool: "bash", ms: 1, bytes: 1, hash: "0".repeat(16) });
		};
		const file = join(cwd, state.name === "make" ? `${task}.txt` : "log.txt");
		await work(1, () => {});
		await work(2, () => writeOnce(file, state.name));
		const target = targets.find((name) => name !== "human_intervention") ?? "done";
		if (!isOver) await host.requestMove(target, `${state.name} is done`);
		await ended;
	};
}

async function serve(options: ScriptedHostOptions): Promise<void> {
	const { url, name, data, remote, home, leaseMs, slots, workMs } = options;
	const opened = await openDatabase(url);
	if (!opened.ok) throw new Error(opened.failure.message);
	const database = opened.value;
	const report = (text: string): void => console.log(`${new Date().toISOString()} ${text}`);
	const host = openHost(database, { slots, name, projects: ["app"], queues: ["runs"], leaseMs });
	for (;;) {
		try {
			await host.register();
			break;
		} catch (error) {
			report(`not yet: ${(error as Error).message}`);
			await sleep(300);
		}
	}
	const worker = new EngineWorker({
		...{ database, host, slots, labels: [], queues: ["runs"], data, report },
		projects: [
			{
				...{ name: "app", remote, cleanup: "never" },
				place: { agentFolder: join(home, "agent"), home, env: process.env, pi: {} } as never,
				ports(project, ledger, approver) {
					const plays = Array.from({ length: 1000 }, () => playOf(ledger.run.task, workMs));
					return { ...project.ports(ledger, approver), launcher: openScriptedLauncher(plays) };
				},
			},
		],
	});
	process.once("SIGTERM", () => worker.drain());
	report("serves");
	const failure = await worker.work();
	if (failure) throw new Error(failure.message);
	await database.close();
	report("ended");
}

await serve(JSON.parse(process.argv[2] ?? "") as ScriptedHostOptions);
