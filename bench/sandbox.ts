// The price of the sandbox: a shell command in it, compared with the same command outside.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hostEnvironment } from "../packages/pi-chronicle/src/pi/index.ts";
import { openConfinement, probeSandbox } from "../packages/pi-chronicle/src/safety/index.ts";
import type { Figures } from "./figure.ts";

const rounds = 41;
const network = "open";

export async function bench(): Promise<Figures> {
	const probe = await probeSandbox();
	if (!probe) return { name: "sandbox", rows: [], how: "No sandbox works on this machine." };
	const root = join(import.meta.dirname, "..");
	const folder = mkdtempSync(join(tmpdir(), "pi-chronicle-bench-"));
	try {
		const box = openConfinement({ host: hostEnvironment(root), root, probe, folder });
		const first = await timedAsync(async () => (await box.confine("true", { scope: "project", network })).ended(false));
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
				{ figure: "the first command of a run, which finds the user's caches", value: first, unit: "ms" },
			],
			how: `The fastest of ${String(rounds)} runs of \`true\`, by turns with the same outside, in this repository; rules and command line included.`,
		};
	} finally {
		rmSync(folder, { recursive: true, force: true });
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
