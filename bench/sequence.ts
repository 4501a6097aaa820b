// Cost of replaying a sequence compared with the same session replacements without the package: time and memory per iteration, and
// processes left running.
import { readFileSync } from "node:fs";
import { openBench, SessionDraft, say } from "../packages/pi-chronicle/test/harness/index.ts";
import type { Figures } from "./figure.ts";

const iterations = 200;
const steps = ["first step", "second step", "third step"];

/** The same prompts and replacements in a minimal extension. */
const baseline = `export default (pi) => pi.registerCommand("replace", {
	description: "baseline",
	handler: async (args, ctx) => {
		let session = ctx;
		for (let run = 0; run <= Number(args); run++) {
			let fresh;
			await session.newSession({ withSession: async (replaced) => { fresh = replaced; } });
			session = fresh;
			for (const step of ${JSON.stringify(steps)}) await session.sendUserMessage(step);
		}
	},
});`;

/** Resident memory of a process in KB. */
function residentKb(pid: number): number {
	return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
}

async function measure(kind: "ours" | "baseline") {
	const { project, server, rpc } = await openBench({
		files: { "baseline.mjs": baseline },
		script: () => say("done"),
	});
	const draft = new SessionDraft(project);
	draft.user("start");
	draft.assistant("yes");
	draft.custom("sequence:snapshot", { version: 1, sequenceId: "s", steps, updatedAt: 1 });
	const pi = await rpc({
		session: draft.write(),
		answers: () => true,
		...(kind === "ours" ? {} : { package: "none" as const, extensions: [project.path("baseline.mjs")] }),
	});
	const run = async (count: number) => {
		const started = performance.now();
		const message = kind === "ours" ? `/sequence run ${count + 1}` : `/replace ${count}`;
		await pi.send({ type: "prompt", message }, 600_000);
		return performance.now() - started;
	};
	// Warm-up: the heap reaches its size during the first replacements.
	await run(iterations / 4);
	const before = residentKb(pi.pid);
	const sessions = project.sessionFiles().length;
	const ms = await run(iterations);
	const growth = (residentKb(pi.pid) - before) / iterations;
	const left = project.processes().length - 1;
	const opened = project.sessionFiles().length - sessions;
	await pi.close();
	return { msPerIteration: ms / iterations, growth, opened, left, requests: server.requests.length };
}

export async function bench(): Promise<Figures> {
	const without = await measure("baseline");
	const ours = await measure("ours");
	return {
		name: "sequence",
		rows: [
			{ figure: "separate sessions", value: ours.opened, unit: "sessions", must: { least: iterations } },
			{
				figure: "time per iteration of 3 steps, model included",
				value: ours.msPerIteration,
				unit: "ms",
				must: { most: 120 },
			},
			{ figure: "the same replacements without the package", value: without.msPerIteration, unit: "ms" },
			{ figure: "memory growth per iteration", value: ours.growth, unit: "KB" },
			{ figure: "the same replacements without the package", value: without.growth, unit: "KB" },
			{
				figure: "memory growth ÷ without the package",
				value: ours.growth / without.growth,
				unit: "×",
				must: { most: 1.1 },
			},
			{ figure: "processes left", value: ours.left, unit: "processes", must: { most: 0 } },
		],
		how: `${iterations} iterations × ${steps.length} steps in one real pi (RPC) on a scripted server, after a warm-up of ${iterations / 4}; resident memory of the process.`,
	};
}
