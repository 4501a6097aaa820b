// The price of the sandbox: a shell command in it, compared with the same command outside.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hostEnvironment } from "../packages/pi-chronicle/src/pi/index.ts";
import { openConfinement, probeSandbox } from "../packages/pi-chronicle/src/safety/index.ts";
import type { Figures } from "./figure.ts";

const rounds = 41;
const cacheFiles = 3600;
const network = "open";

export async function bench(): Promise<Figures> {
	const probe = await probeSandbox();
	if (!probe) return { name: "sandbox", rows: [], how: "No sandbox works on this machine." };
	const root = join(import.meta.dirname, "..");
	const folder = mkdtempSync(join(tmpdir(), "pi-chronicle-bench-"));
	try {
		const home = join(folder, "home");
		for (let file = 0; file < cacheFiles / 2; file++) writeCached(home, file);
		const box = openConfinement({ host: { ...hostEnvironment(root), home }, root, probe, folder: join(folder, "box") });
		const once = (command: string) =>
			timedAsync(async () => (await box.confine(command, { scope: "project", network })).ended(false));
		const first = await once("true");
		const filled = first + (await once("npm ci"));
		const added = async (scope: "project" | "ignored"): Promise<number> => {
			const plain: number[] = [];
			const contained: number[] = [];
			for (let round = 0; round < rounds; round++) {
				plain.push(timed(() => run("true", root)));
				contained.push(
					await timedAsync(async () => {
						const confined = await box.confine("true", { scope, network });
						run(confined.command, root);
						confined.ended(false);
					}),
				);
			}
			return Math.min(...contained) - Math.min(...plain);
		};
		return {
			name: "sandbox",
			rows: [
				{ figure: "added to a shell command", value: await added("project"), unit: "ms", must: { most: 15 } },
				{
					figure: "the same in a state that does not change the project",
					value: await added("ignored"),
					unit: "ms",
					must: { most: 15 },
				},
				{ figure: "the first command of a run", value: first, unit: "ms", must: { most: 300 } },
				{ figure: `until ${String(cacheFiles)} files of the user's npm cache are found`, value: filled, unit: "ms" },
			],
			how: `The fastest of ${String(rounds)} runs of \`true\`, by turns with the same outside, in this repository; rules and command line included.`,
		};
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

/** A package in the cache of npm: its content and its entry in the index. */
function writeCached(home: string, package_: number): void {
	const hash = createHash("sha256").update(String(package_)).digest("hex");
	for (const part of ["content-v2/sha512", "index-v5"]) {
		const at = join(home, ".npm/_cacache", part, hash.slice(0, 2), hash.slice(2, 4));
		mkdirSync(at, { recursive: true });
		writeFileSync(join(at, hash.slice(4)), hash.repeat(30));
	}
}

function run(command: string, cwd: string): void {
	spawnSync("bash", ["-c", command], { cwd });
}

function timed(work: () => void): number {
	const began = performance.now();
	work();
	return performance.now() - began;
}

async function timedAsync(work: () => Promise<unknown>): Promise<number> {
	const began = performance.now();
	await work();
	return performance.now() - began;
}
