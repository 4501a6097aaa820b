// A few mutants end to end: sampled by a seed, written into a copy, tested, reported.
import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";

it("npm run test:mutate reports how many mutants of a room its tests caught", () => {
	const args = [
		"--silent",
		"run",
		"test:mutate",
		"--",
		"--room",
		"packages/pi-chronicle/src/workflow/phase-machine",
		"--count",
		"3",
		"--jobs",
		"1",
	];
	const { stdout, status } = spawnSync("npm", args, { encoding: "utf8" });
	const [, caught] = /src\/workflow\/phase-machine: (\d) of 3 mutants caught \(seed 1\)/.exec(stdout) ?? [];
	expect(Number(caught)).toBeGreaterThan(0);
	expect(stdout.match(/survived at line \d+/g) ?? []).toHaveLength(3 - Number(caught));
	expect(status).toBe(caught === "3" ? 0 : 1);
});
