// "Kill it, and it goes on": a chronicle on a copy of the example project, whose supervisor is killed in the middle of a state; another one continues
// it. The understudy answers: no key, no network.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { openProjectCopy } from "../packages/pi-chronicle/src/tools/rehearsal/project-copy.ts";
import { understudyModel } from "../packages/pi-chronicle/src/tools/rehearsal/understudy.ts";

const task = "Move the table out of the command line";

/** Plays it and prints what happens; resolves to the exit code. `root`: the checkout. `signal` ends it early. */
export async function killAndResume(root, signal) {
	const copy = await openProjectCopy({
		project: join(root, "examples/receipts"),
		env: process.env,
		config: { tokensPerSecond: 150 },
	});
	const command = join(root, "packages/pi-chronicle/bin/pi-chronicle.mjs");
	/** Runs the command until it ends, or until it prints `last`: then it is killed. Prints its lines about states. */
	const run = async (args, last) => {
		const child = spawn(process.execPath, [command, ...args], {
			cwd: copy.project,
			env: copy.env,
			stdio: ["ignore", "pipe", "pipe"],
		});
		const stop = () => child.kill("SIGKILL");
		signal.addEventListener("abort", stop);
		let text = "";
		let shown = 0;
		const read = (chunk) => {
			text += chunk;
			const lines = text.split("\n").slice(0, -1);
			for (const line of lines.slice(shown)) if (/^[▸✓■] /.test(line)) console.log(`  ${line}`);
			shown = lines.length;
			if (last !== undefined && lines.some((line) => line.startsWith(last))) stop();
		};
		for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", read);
		const [code, killedBy] = await once(child, "close");
		signal.removeEventListener("abort", stop);
		return { code, killedBy, text };
	};
	try {
		console.log("Kill it, and it goes on. The understudy answers here: a script, no real model, on a copy.");
		const started = await run(["run", "--approve", "--model", understudyModel, "refactoring", task]);
		const [, id] = /\(([0-9a-f]{8})[0-9a-f-]*\)/.exec(started.text) ?? [];
		if (started.code !== 3 || id === undefined) return failed(started.text, signal);
		console.log(`? It waits for your approval. pi-chronicle approve ${id}`);
		const killed = await run(["approve", "--approve", id], "▸ change");
		if (killed.killedBy !== "SIGKILL") return failed(killed.text, signal);
		console.log("✗ kill -9: its supervisor is dead, in the middle of change.");
		const status = await run(["status", id]);
		if (!status.text.includes("interrupted")) return failed(status.text, signal);
		console.log(`  interrupted. pi-chronicle resume ${id}`);
		const resumed = await run(["resume", "--approve", id]);
		if (resumed.code !== 0) return failed(resumed.text, signal);
		console.log("DONE: another supervisor has continued the same visit, to the end.");
		return 0;
	} finally {
		await copy.close();
	}
}

function failed(text, signal) {
	if (signal.aborted) return 130;
	console.error(text);
	return 1;
}
