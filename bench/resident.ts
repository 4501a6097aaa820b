// The memory of a process.
import { readFileSync } from "node:fs";

/** Resident bytes of a process; 0 where it is gone, or the system does not say it. */
export function residentBytes(pid: number): number {
	try {
		const [, kilobytes = "0"] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
		return Number(kilobytes) * 1024;
	} catch {
		return 0;
	}
}
