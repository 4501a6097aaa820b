// `npm run test:mutate`: changes one place of a pure room at a time and expects the room's tests to notice. Which places is drawn by a seed.
// Mutants that survive are listed; exit code 1 when a room catches less than 90 %.
import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Mutant, mutantsOf } from "./mutants.ts";
import { equivalent, inPi, rooms } from "./rooms.ts";

type Room = keyof typeof rooms;

/** A mutant of a file: `name` is its path and line before and after, `code` the whole file with it. */
interface Drawn {
	readonly room: Room;
	readonly path: string;
	readonly line: number;
	readonly name: string;
	readonly code: string;
	readonly original: string;
}

const WANTED = 0.9;
const root = resolve(import.meta.dirname, "../..");
const { values } = parseArgs({
	options: {
		seed: { type: "string", default: "1" },
		count: { type: "string", default: "25" },
		jobs: { type: "string", default: "2" },
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

/** `count` mutants of a room, each with its file, line and a text that names it. */
function drawMutants(room: Room, count: number, random: () => number): Drawn[] {
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
		if (!(mutant.name in equivalent)) drawn.push({ ...mutant, room });
	}
	return drawn;
}

function describe(path: string, code: string, { start, end, text }: Mutant): Omit<Drawn, "room"> {
	const from = code.lastIndexOf("\n", start - 1) + 1;
	const to = code.indexOf("\n", end);
	const before = code.slice(from, to).trim();
	const after = (code.slice(from, start) + text + code.slice(end, to)).trim();
	return {
		path,
		line: code.slice(0, start).split("\n").length,
		name: `${path}: ${before} → ${after}`,
		code: code.slice(0, start) + text + code.slice(end),
		original: code,
	};
}

/** A copy of the project in which mutants can be written. */
function openCopy(): string {
	const folder = mkdtempSync(join(tmpdir(), "mutants-"));
	for (const name of ["src", "test", "schemas", "examples", "package.json", "tsconfig.json"])
		cpSync(join(root, name), join(folder, name), { recursive: true });
	symlinkSync(join(root, "node_modules"), join(folder, "node_modules"), "dir");
	return folder;
}

/** Whether the tests pass in a copy; tests that take longer than two minutes fail. */
function passes(folder: string, tests: readonly string[]): Promise<boolean> {
	const args = [
		join(root, "node_modules/vitest/vitest.mjs"),
		"run",
		"--config",
		"test/mutation/vitest.config.ts",
		...tests,
	];
	const child = spawn(process.execPath, args, { cwd: folder, stdio: "ignore", timeout: 120_000 });
	return new Promise((done) => child.on("close", (code) => done(code === 0)));
}

async function tryMutants(mutants: Drawn[], survived: Drawn[]): Promise<void> {
	const folder = openCopy();
	try {
		for (let mutant = mutants.pop(); mutant; mutant = mutants.pop()) {
			writeFileSync(join(folder, mutant.path), mutant.code);
			const alive = await passes(folder, rooms[mutant.room]);
			writeFileSync(join(folder, mutant.path), mutant.original);
			if (alive) survived.push(mutant);
			process.stdout.write(alive ? "S" : ".");
		}
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

const random = randomFrom(Number(values.seed));
let enough = true;
for (const room of Object.keys(rooms) as Room[]) {
	if (values.room && values.room !== room) continue;
	const mutants = drawMutants(room, Number(values.count), random);
	const total = mutants.length;
	const survived: Drawn[] = [];
	await Promise.all(Array.from({ length: Number(values.jobs) }, () => tryMutants(mutants, survived)));
	const caught = total - survived.length;
	console.log(`\n${room}: ${caught} of ${total} mutants caught (seed ${values.seed})`);
	for (const { line, name } of survived) console.log(`  survived at line ${line}: ${name}`);
	if (caught < WANTED * total) enough = false;
}
process.exitCode = enough ? 0 : 1;
