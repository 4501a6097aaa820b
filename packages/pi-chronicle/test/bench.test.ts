// Which files of bench/ are benchmarks.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { checkout } from "./harness/index.ts";

it("the benchmarks are those of docs/benchmarks.md; scripts in their folder are none", () => {
	const page = readFileSync(join(checkout, "docs/benchmarks.md"), "utf8");
	const sections = [...page.matchAll(/^## (\S+)$/gm)].map(([, name = ""]) => name).sort();
	// A name that is unknown ends it before it measures anything.
	const { stderr, status } = spawnSync(process.execPath, ["bench/run.ts", "kills", "play", ...sections], {
		cwd: checkout,
		encoding: "utf8",
		env: { ...process.env, NODE_NO_WARNINGS: "1" },
	});
	expect(sections.length).toBeGreaterThan(10);
	expect([stderr, status]).toEqual(["Unknown benchmark: kills, play.\n", 2]);
});
