// Kills at random times: a run is killed several times, resumed each time, and must finish with the same result as without kills.
// The same seed chooses the same victims and waits; what they interrupt depends on the machine.
import { setTimeout as sleep } from "node:timers/promises";
import { findOrphans } from "../../src/process/index.ts";
import { openModelServer } from "../harness/model-server.ts";
import { answer, requestsOfPlay } from "./sample-run.ts";
import { openKillStage } from "./stage.ts";

export interface KilledRun {
	readonly kills: number;
	/** Requests beyond those of an undisturbed run: answers that were lost on their way. */
	readonly lostAnswers: number;
	readonly ms: number;
}

const victims = ["supervisor", "process", "both"] as const;

/** Plays one run with up to `most` kills, with `standby` workers kept ready. Throws what does not hold. */
export async function killAtRandom(seed: number, most: number, standby = 2): Promise<KilledRun> {
	const random = generator(seed);
	const began = performance.now();
	const server = await openModelServer(answer);
	const stage = openKillStage(server, standby);
	let kills = 0;
	let run: string | undefined;
	let supervisor = stage.supervisor();
	const told: string[] = [];
	try {
		while (kills < most) {
			const over = await Promise.race([sleep(50 + random() * 1000, undefined), supervisor.over]);
			run ??= await Promise.race([supervisor.run.catch(() => undefined), sleep(0, undefined)]);
			if (over) break;
			const victim = victims[Math.floor(random() * victims.length)] ?? "both";
			kills += 1;
			told.push(victim);
			if (victim !== "supervisor" && run !== undefined) {
				// Any process of the run: the worker's pi, a shell, what it left in the background.
				const all = findOrphans(run);
				const some = victim === "both" ? all : all.slice(Math.floor(random() * all.length)).slice(0, 1);
				for (const { pid } of some) kill(pid);
			}
			if (victim === "process") continue;
			await supervisor.child.kill();
			run ??= await supervisor.run.catch(() => undefined);
			supervisor = stage.supervisor(run === undefined ? {} : { run });
		}
		await supervisor.over;
		run ??= await supervisor.run;
		await stage.finish(run);
		await stage.inspect(run);
	} catch (error) {
		const results = server.requests.at(-1)?.results.map(({ id, text }) => `${id}: ${text.slice(0, 300)}`) ?? [];
		const message = `Seed ${seed}, killed: ${told.join(", ")}\nLast results:\n${results.join("\n")}`;
		throw new Error(message, { cause: error });
	}
	await server.close();
	return { kills, lostAnswers: server.requests.length - requestsOfPlay, ms: performance.now() - began };
}

export function kill(pid: number): void {
	try {
		process.kill(pid, "SIGKILL");
	} catch {
		// It ended by itself.
	}
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export function generator(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
	};
}
