// A full disk: no child's folder is incomplete, and a join is finished once there is space.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { openFolder } from "../../harness/folder.ts";
import { patient } from "../../harness/patience.ts";
import { needsSmallDisk, onSmallDisk } from "../../harness/small-disk.ts";

it("a full disk leaves no incomplete folder, and a join is finished once there is space", {
	...needsSmallDisk(),
	timeout: patient(120_000),
}, () => {
	const folder = openFolder();
	const script = fileURLToPath(new URL("./full-disk-process.ts", import.meta.url));
	const [program = "", ...args] = onSmallDisk(folder, 12_000_000, [process.execPath, script, folder]);
	const { stdout, stderr } = spawnSync(program, args, { encoding: "utf8" });
	expect(stderr).toBe("");
	const { opened, joined, ...rest } = JSON.parse(stdout);
	expect(opened.slice(0, 4)).toEqual(Array(4).fill("no_space "));
	expect(["no_space ", "ok child"]).toContain(opened[4]);
	expect(joined).toEqual(Array(4).fill("no_space"));
	expect(rest).toEqual({ last: true, files: 40, at: 100_000 });
});
