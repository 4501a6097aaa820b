// `npm run test:mutate`: changes one place of a pure folder at a time and expects its tests to fail. A seed draws the places.
// Mutants that survive are listed; exit code 1 when a room catches less than 90 %.
import { fork } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Mutant, mutantsOf } from "./mutants.ts";
import { equivalent, inPi, rooms } from "./rooms.ts";
import type { Change, Task } from "./trial.ts";

type Room = keyof typeof rooms;

/** A mutant of a file: `name` is its path and line before and after, `code` the whole file with it. */
interface Drawn extends Change {
	readonly line: number;
	readonly name: string;
}

/** A process that tries mutants of one room. */
interface Trial {
	/** Whether the room's tests pass with a mutant. Tests that take much longer than without it count as failed. */
	passes(mutant: Drawn): Promise<boolean>;
	/** Whether the process can try another mutant: one that never ends, or takes all memory, ends its process. */
	readonly alive: boolean;
	end(): void;
}

const WANTED = 0.9;
/** Longest time for the tests of a room, in ms. */
const MOST = 300_000;
const root = resolve(import.meta.dirname, "../../../..");
const { values } = parseArgs({
	options: {
		seed: { type: "string", default: "1" },
		count: { type: "string", default: "40" },
		jobs: { type: "string", default: "1" },
		room: { type: "string" },
	},
});

/** Numbers from 0 to 1 that a seed determines (mulberry32). */
function randomFrom(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}

/** `count` mutants of a room, each with its file, line and a text that names it. A room's mutants depend on no other room. */
function drawMutants(room: Room, count: number, seed: number): Drawn[] {
	const random = randomFrom(seed);
	const files = readdirSync(join(root, room), { recursive: true, encoding: "utf8" }).filter(
		(name) => name.endsWith(".ts") && !inPi.has(join(room, name)),
	);
	const all = files.sort().flatMap((name) => {
		const path = join(room, name);
		const code = readFileSync(join(root, path), "utf8");
		return mutantsOf(path, code).map((mutant) => describe(path, code, mutant));
	});
	const drawn: Drawn[] = [];
	while (drawn.length < count) {
		const [mutant] = all.splice(Math.floor(random() * all.length), 1);
		if (!mutant) break;
		if (!(mutant.name in equivalent)) drawn.push(mutant);
	}
	return drawn;
}

function describe(path: string, code: string, { start, end, text }: Mutant): Drawn {
	const from = code.lastIndexOf("\n", start - 1) + 1;
	const to = code.indexOf("\n", end);
	const before = code.slice(from, to).trim();
	const after = (code.slice(from, start) + text + code.slice(end, to)).trim();
	return {
		path,
		line: code.slice(0, start).split("\n").length,
		name: `${path}: ${before} → ${after}`,
		code: code.slice(0, start) + text + code.slice(end),
	};
}

/** Starts a process that tries mutants. Throws if the room's tests fail without a mutant. */
async function openTrial(room: Room): Promise<Trial> {
	const child = fork(join(import.meta.dirname, "trial.ts"), { stdio: ["ignore", "ignore", "inherit", "ipc"] });
	const ended = once(child, "exit").then(() => [false]);
	const end = () => void child.kill("SIGKILL");
	const ask = async (task: Task, most: number): Promise<boolean> => {
		const timer = setTimeout(end, most);
		child.send(task);
		const [passed] = await Promise.race([once(child, "message"), ended]);
		clearTimeout(timer);
		return passed === true;
	};
	const start = Date.now();
	if (!(await ask({ tests: rooms[room] }, MOST))) {
		end();
		throw new Error(`${room}: its tests fail without a mutant`);
	}
	const most = Math.min(MOST, 20_000 + 5 * (Date.now() - start));
	return {
		passes: (mutant) => ask(mutant, most),
		get alive() {
			return child.connected && !child.killed;
		},
		end,
	};
}

async function tryMutants(room: Room, mutants: Drawn[], survived: Drawn[]): Promise<void> {
	let trial = await openTrial(room);
	for (let mutant = mutants.pop(); mutant; mutant = mutants.pop()) {
		if (!trial.alive) trial = await openTrial(room);
		const alive = await trial.passes(mutant);
		if (alive) survived.push(mutant);
		process.stdout.write(alive ? `\n  survived at line ${mutant.line}: ${mutant.name}\n` : trial.alive ? "." : "T");
	}
	trial.end();
}

let enough = true;
for (const room of Object.keys(rooms) as Room[]) {
	if (values.room && values.room !== room) continue;
	const mutants = drawMutants(room, Number(values.count), Number(values.seed));
	const total = mutants.length;
	const survived: Drawn[] = [];
	await Promise.all(Array.from({ length: Number(values.jobs) }, () => tryMutants(room, mutants, survived)));
	const caught = total - survived.length;
	console.log(`\n${room}: ${caught} of ${total} mutants caught (seed ${values.seed})`);
	if (caught < WANTED * total) enough = false;
}
process.exitCode = enough ? 0 : 1;
