// Whether a host has room for working folders. One without takes no runs.
import { freeBytes } from "pi-chronicle/local";
import type { Host } from "./host.ts";
import type { HostLog } from "./log.ts";
import { minFreeBytes } from "./routing.ts";

interface DiskCheckOptions {
	readonly host: Host;
	/** The folder of its working folders. */
	readonly data: string;
	readonly report: HostLog;
}

/** Gives a test whether the disk is full, which notes the free bytes in the figures of the host, and reports when it has become full. */
export function openDiskCheck({ host, data, report }: DiskCheckOptions): () => Promise<boolean> {
	return async () => {
		const before = host.figures.diskFree ?? minFreeBytes;
		const free = await freeBytes(data).catch(() => undefined);
		if (free === undefined) return false;
		host.figures.diskFree = free;
		const isFull = free < minFreeBytes;
		if (isFull && before >= minFreeBytes)
			report(`The disk of ${data} is full: no more runs are taken.`, { level: "error" });
		return isFull;
	};
}
