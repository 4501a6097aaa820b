// `npm start`: the main job on the example project, in a temporary copy, played by the understudy: no key, no question, no network.
// In a terminal it opens pi there with a workflow ready to run; without one it runs that workflow and prints what happens.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { findPi, isPiCommand, ownPiSearch } from "../src/pi/pi-command.ts";
import { play } from "../src/rehearsal/rehearse.ts";
import { partLines } from "../src/rehearsal/report.ts";
import { openStage } from "../src/rehearsal/stage.ts";
import { understudyModel } from "../src/rehearsal/understudy.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const workflow = "feature";
const task = "Add a --month option";
const prompt = `/workflow ${workflow} ${task}`;
const withPerson = process.stdin.isTTY === true && process.stdout.isTTY === true;

const pi = findPi({ ...ownPiSearch(), from: import.meta.url });
if (!isPiCommand(pi)) {
	console.error(`${pi.message} Run \`npm ci\` first.`);
	process.exit(1);
}

const stage = await openStage({
	project: `${root}examples/receipts`,
	env: process.env,
	settings: { quietStartup: true },
	sheet: withPerson ? { tokensPerSecond: 150, welcome: { hint: hint(), ready: prompt } } : {},
});
const stopped = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => stopped.abort(signal));
try {
	process.exitCode = withPerson ? await openForPerson() : await runAlone();
} finally {
	await stage.close();
}

/** Hands the terminal to pi. pi answers Ctrl+C itself. */
async function openForPerson() {
	const child = spawn(
		pi.command,
		[
			...pi.args,
			"--offline",
			"--approve",
			"--no-session",
			"-ne",
			"-e",
			`${root}extension.mjs`,
			"--model",
			understudyModel,
		],
		{ cwd: stage.project, env: stage.env, stdio: "inherit" },
	);
	stopped.signal.addEventListener("abort", () => {
		if (stopped.signal.reason !== "SIGINT") child.kill(stopped.signal.reason);
	});
	const [code] = await once(child, "exit");
	console.log("The copy of the example project is gone again; nothing else was touched.");
	return code ?? 1;
}

async function runAlone() {
	console.log(`Workflow ${workflow} on a temporary copy of examples/receipts: ${task}`);
	console.log("The understudy plays: a script, no real model, no key, no cost.\n");
	const played = await play({
		pi,
		stage,
		args: ["--approve", "-ne", "-e", `${root}extension.mjs`, prompt],
		onPart: (part) => console.log(partLines(part).join("\n")),
		signal: stopped.signal,
	});
	if (stopped.signal.aborted) return 130;
	console.log(`\n${played.output.trim()}`);
	if (played.errors.trim() !== "") console.error(played.errors.trim());
	return played.exit.kind === "exited" ? played.exit.code : 1;
}

function hint() {
	return [
		"The understudy answers here: a script, no real model. The project is a temporary copy.",
		"Enter runs the workflow below. Esc pauses it, /workflow resume goes on.",
		"Then try:  /workflow bug-hunt A refund raises the total  ·  /workflow  ·  /workflow show feature",
	];
}
