import { setTimeout as sleep } from "node:timers/promises";
import { findPi, isPiCommand, linkRpc, ownPiSearch } from "../src/pi/index.ts";
import { startChild } from "../src/process/index.ts";
import { openBench, say } from "../test/harness/index.ts";
import { endFile } from "../test/harness/lifetime.ts";
const pi = findPi(ownPiSearch());
if (!isPiCommand(pi)) throw 1;
let at = 0;
const { project } = await openBench({ git: true, files: { "a.txt": "a\n" }, script: () => { at = performance.now(); return say("Something."); } });
const { command, args } = pi;
for (let k = 0; k < 3; k++) {
	const pre = process.argv[2] ? process.argv.slice(2) : [];
	const child = startChild({ command, args: [...args, "--mode", "rpc", "--no-extensions", "--no-skills", "--no-prompt-templates", "--no-themes", "--no-session", "--model", "scripted/one", ...pre], cwd: project.folder, env: project.environment({WARM: process.env.WARM, DATA: process.env.DATA}) });
	let settled = () => {};
	const link = linkRpc(child, { activity() {}, dialog() {}, oversized() {}, event: ({ type, ...r }) => { if (type === "agent_settled") settled(); if (type === "extension_error") console.log(r); } });
	const t0 = performance.now();
	await link.send({ type: "get_state" });
	const up = performance.now() - t0;
	await sleep(1500);
	const out: number[] = [];
	for (let m = 0; m < 3; m++) {
		const done = new Promise<void>((r) => { settled = r; });
		const b = performance.now();
		void link.send({ type: "prompt", message: "Say something." });
		await done;
		out.push(Math.round(at - b));
	}
	console.log(child.stderr()); console.log("up", Math.round(up), "prompt→request", out);
	const e = performance.now();
	child.endInput();
	await child.exited;
	console.log("exit", Math.round(performance.now() - e));
}
await endFile();
process.exit(0);
