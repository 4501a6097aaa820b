// CPU time of a Node process that is measured from inside: a module preloaded into it writes what it has used when it exits. So only
// the process itself counts, not what it starts, and nothing depends on the platform.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

export interface CpuMeter {
	/** To be put into the environment of the process that is measured. */
	readonly env: Record<string, string>;
	/** User and system time of the process that ended last, in ms. */
	read(): number;
	close(): void;
}

/** Opens a meter for one process at a time. */
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
