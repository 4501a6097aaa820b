// A full disk: no child's folder is half made, and a join that had no room is finished when there is some.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { openFolder } from "../../../harness/folder.ts";
import { needs } from "../../../harness/needs.ts";
import { patient } from "../../../harness/patience.ts";

/** Runs a command in a namespace where `folder` is a disk of `bytes` bytes. */
function runOnDisk(folder: string, bytes: number, command: readonly string[]) {
	const script = `mount -t tmpfs -o size=${bytes} none "$1" && shift && exec "$@"`;
	return spawnSync("unshare", ["-rm", "sh", "-c", script, "sh", folder, ...command], { encoding: "utf8" });
}

const works = process.platform === "linux" && runOnDisk("/mnt", 100_000, ["true"]).status === 0;

it("a full disk leaves no half-made folder, and what had no room is finished later", {
	...needs("Linux with user namespaces", works),
	timeout: patient(120_000),
}, () => {
	const folder = openFolder();
	const script = fileURLToPath(new URL("./full-disk-process.ts", import.meta.url));
	const { stdout, stderr } = runOnDisk(folder, 12_000_000, [process.execPath, script, folder]);
	expect(stderr).toBe("");
	const { opened, joined, ...rest } = JSON.parse(stdout);
	expect(opened.slice(0, 4)).toEqual(Array(4).fill("no_space "));
	expect(["no_space ", "ok child"]).toContain(opened[4]);
	expect(joined).toEqual(Array(4).fill("no_space"));
	expect(rest).toEqual({ last: true, files: 40, at: 100_000 });
});
