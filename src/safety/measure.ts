// Footprints on the real disk: the answers that `footprint` asks for, and the footprint of one call of this session.
// M1 no question throws; what cannot be looked at is not there.
import { lstatSync, readdirSync, readFileSync, readlinkSync, realpathSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { computeFootprint, type Footprint, type Surroundings } from "./footprint/index.ts";
import type { ToolCall } from "./policy/index.ts";

/** The real disk and environment, seen from `cwd` (absolute). */
export function diskSurroundings(cwd: string): Surroundings {
	return {
		cwd,
		home: homedir(),
		temp: tmpdir(),
		platform: process.platform,
		env: (name) => process.env[name],
		kind(path) {
			try {
				const stat = lstatSync(path, { throwIfNoEntry: false });
				if (!stat) return undefined;
				if (stat.isSymbolicLink()) return "link";
				if (stat.isDirectory()) return "directory";
				return stat.isFile() ? "file" : "other";
			} catch {
				return undefined;
			}
		},
		realpath(path) {
			try {
				return realpathSync.native(path);
			} catch {
				return undefined;
			}
		},
		readlink(path) {
			try {
				return readlinkSync(path);
			} catch {
				return undefined;
			}
		},
		homeOf,
		names(path) {
			try {
				return readdirSync(path);
			} catch {
				return undefined;
			}
		},
	};
}

/** The home directory of a user as the system's list of accounts has it. */
function homeOf(user: string): string | undefined {
	try {
		const line = readFileSync("/etc/passwd", "utf8")
			.split("\n")
			.find((account) => account.startsWith(`${user}:`));
		return line?.split(":")[5] || undefined;
	} catch {
		return undefined;
	}
}

/** The footprint of a call that would run in `cwd`. */
export function measure(call: ToolCall, cwd: string): Footprint {
	return computeFootprint(call, diskSurroundings(cwd));
}

/** Whether something (a broken link too) is at `path`. */
export function isThere(path: string): boolean {
	return diskSurroundings("/").kind(path) !== undefined;
}
