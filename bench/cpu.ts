// CPU time of a Node process, measured from inside: a preloaded module writes its usage on exit. Descendants don't count, and the method
// works on every platform.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

export interface CpuMeter {
	/** Environment for the process to measure. */
	readonly env: Record<string, string>;
	/** User and system time of the last process that exited, in ms. */
	read(): number;
	close(): void;
}

/** Opens a meter that measures one process at a time. */
export function openCpuMeter(): CpuMeter {
	const folder = mkdtempSync(join(tmpdir(), "chronicle-cpu-"));
	const result = join(folder, "used.json");
	const preload = join(folder, "preload.mjs");
	writeFileSync(
		preload,
		`import { writeFileSync } from "node:fs";
const measured = process.pid;
process.on("exit", () => {
	if (process.pid === measured) writeFileSync(${JSON.stringify(result)}, JSON.stringify(process.cpuUsage()));
});
`,
	);
	return {
		env: { NODE_OPTIONS: `--import=${pathToFileURL(preload).href}` },
		read() {
			const { user, system } = JSON.parse(readFileSync(result, "utf8")) as NodeJS.CpuUsage;
			rmSync(result);
			return (user + system) / 1000;
		},
		close: () => rmSync(folder, { recursive: true, force: true }),
	};
}
