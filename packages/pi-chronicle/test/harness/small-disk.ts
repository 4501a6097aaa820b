// A disk of a few megabytes for one command, to test what happens when it is full.
import { spawnSync } from "node:child_process";
import { type Needs, needs } from "./needs.ts";

/** The command line that runs `command` where `folder` is an empty disk of `bytes` bytes. Only that command and its children see the disk. */
export function onSmallDisk(folder: string, bytes: number, command: readonly string[]): string[] {
	const script = `mount -t tmpfs -o size=${bytes} none "$1" && shift && exec "$@"`;
	return ["unshare", "-rm", "sh", "-c", script, "sh", folder, ...command];
}

/** For tests with such a disk. */
export function needsSmallDisk(): Needs {
	const [program = "", ...args] = onSmallDisk("/mnt", 100_000, ["true"]);
	const works = process.platform === "linux" && spawnSync(program, args).status === 0;
	return needs("Linux with user namespaces", works);
}
