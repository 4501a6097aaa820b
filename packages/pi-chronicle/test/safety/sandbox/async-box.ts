// A command in a box while this process serves it, such as the proxy of its network.
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { hostEnvironment } from "../../../src/pi/index.ts";
import { type ConfinementOptions, openConfinement } from "../../../src/safety/index.ts";
import { openFolder } from "../../harness/folder.ts";
import { type Ran, sandbox } from "./box.ts";

/** Opens a box around an empty project. */
export function openTestBoxAsync(more: Partial<ConfinementOptions>): {
	run(command: string, network: "open" | "off"): Promise<Ran>;
} {
	if (!sandbox) throw new Error("no sandbox");
	const base = openFolder();
	const home = join(base, "home");
	const root = join(home, "project");
	mkdirSync(root, { recursive: true });
	const host = { ...hostEnvironment(root), home };
	const box = openConfinement({ root, folder: join(base, "run"), ...more, host, probe: sandbox });
	return {
		async run(command, network) {
			const confined = await box.confine(command, { scope: "project", network });
			const child = spawn("bash", ["-c", confined.command], { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
			let text = "";
			for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => (text += String(bytes)));
			const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
			return { code, text, told: confined.ended(code !== 0) };
		},
	};
}
