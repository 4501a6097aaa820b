// The clock that counts only time in which this process ran.
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { openAwakeClock } from "../../../src/pi/index.ts";
import { openFolder } from "../../harness/index.ts";
import { needsPosix } from "../../harness/needs.ts";
import { patient } from "../../harness/patience.ts";

it("the awake clock counts time between reads, and one tick of a gap without timer ticks", () => {
	let now = 1000;
	const clock = openAwakeClock({ tickMs: 100, lateMs: 400, monotonic: () => now });
	now += 450;
	expect(clock.now()).toBe(450);
	now += 12 * 3_600_000;
	expect(clock.now()).toBe(550);
	now += 10;
	expect(clock.now()).toBe(560);
	clock.close();
});

it("the awake clock stands still while a request of a rehearsal by hand waits", () => {
	let now = 1000;
	const hold = openFolder({ "1-1.request.json": "{}" });
	const clock = openAwakeClock({ tickMs: 100_000, monotonic: () => now, hold });
	now += 500;
	expect(clock.now()).toBe(0);
	rmSync(join(hold, "1-1.request.json"));
	now += 20;
	expect(clock.now()).toBe(20);
	clock.close();
});

it("the awake clock excludes the time of a stopped process", { ...needsPosix, timeout: patient(20_000) }, async () => {
	const module = fileURLToPath(new URL("../../../src/pi/session/awake-clock.ts", import.meta.url));
	const program = `const { openAwakeClock } = await import(${JSON.stringify(module)});
const clock = openAwakeClock({ tickMs: 100, lateMs: 1500 });
const began = Date.now();
process.stdout.write("up\\n");
setInterval(() => {}, 1000);
process.on("SIGUSR2", () => { process.stdout.write(JSON.stringify({ awake: clock.now(), wall: Date.now() - began })); process.exit(); });`;
	const child = spawn(process.execPath, [
		"--experimental-strip-types",
		"--no-warnings",
		"--input-type=module",
		"-e",
		program,
	]);
	let said = "";
	child.stdout.on("data", (piece) => (said += piece));
	const ended = new Promise((resolve) => child.once("close", resolve));
	await expect.poll(() => said, { timeout: patient(10_000) }).toContain("up");
	child.kill("SIGSTOP");
	await sleep(4000);
	child.kill("SIGCONT");
	child.kill("SIGUSR2");
	await ended;
	const { awake, wall } = JSON.parse(said.slice(said.indexOf("{")));
	expect(wall).toBeGreaterThan(3900);
	// What it cannot tell from being late is counted.
	expect(awake).toBeLessThan(wall - 4000 + 1500 + 100);
});
