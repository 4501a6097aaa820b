// `npm start`: the main job on the example project, in a temporary copy, played by the understudy: no key, no question, no network.
// In a terminal it opens pi there with a workflow ready to run; without one it runs that workflow and prints what happens.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findPi, isPiCommand, ownPiSearch } from "../src/pi/pi-command.ts";
import { rehearse } from "../src/rehearsal/program.ts";
import { closingLines, openingLines, partLines, unplayableLines } from "../src/rehearsal/report.ts";
import { openStage } from "../src/rehearsal/stage.ts";
import { understudyModel } from "../src/rehearsal/understudy.ts";
import { planWorkflow } from "../src/rehearsal/workflow.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const example = join(root, "examples", "receipts");
const show = { name: "feature", task: "Add a --month option", scenario: undefined };
const withPerson = process.stdin.isTTY === true && process.stdout.isTTY === true;

const stopped = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => stopped.abort(signal));

const pi = findPi(ownPiSearch());
if (!isPiCommand(pi)) {
	console.error("pi is not installed here. Run `npm ci` first.");
	process.exitCode = 1;
} else process.exitCode = withPerson ? await openForPerson() : await runAlone();

/** Hands the terminal to pi. In it pi answers Ctrl+C itself. */
async function openForPerson() {
	const hint = [
		"The understudy answers here: a script, no real model. The project is a copy.",
		"Enter runs the workflow below. Esc pauses it, /workflow resume goes on.",
		"/workflow lists what there is, /workflow show feature draws one.",
	];
	const ready = [
		`/workflow ${show.name} ${show.task}`,
		"/workflow bug-hunt A refund raises the total",
		"/workflow docs-pass README.md",
	];
	const stage = await openStage({
		project: example,
		env: process.env,
		settings: { quietStartup: true },
		sheet: { tokensPerSecond: 150, welcome: { hint, ready } },
	});
	try {
		const child = spawn(
			pi.command,
			[...pi.args, "--offline", "--approve", "--no-session", "-ne", "-e", root, "--model", understudyModel],
			{ cwd: stage.project, env: stage.env, stdio: "inherit" },
		);
		stopped.signal.addEventListener("abort", () => {
			if (stopped.signal.reason !== "SIGINT") child.kill(stopped.signal.reason);
		});
		const [code] = await once(child, "exit");
		console.log("The copy of the example project is gone again; nothing else was touched.");
		return code ?? 1;
	} finally {
		await stage.close();
	}
}

async function runAlone() {
	// Nothing of the person who tries this out is used: there is no such agent folder.
	const house = { cwd: example, agentFolder: join(example, "nobody"), pi, env: process.env };
	const program = planWorkflow(show, house);
	if (program.kind === "unplayable") {
		console.error(unplayableLines(program, root).join("\n"));
		return 1;
	}
	console.log(openingLines(program, example, "examples/receipts").join("\n"));
	const report = await rehearse(program, house, {
		onPart: (part) => console.log(partLines(part).join("\n")),
		signal: stopped.signal,
		afterwards: "remove",
	});
	if (stopped.signal.aborted) return 130;
	console.log(closingLines(report).join("\n"));
	return report.outcome === "done" ? 0 : 1;
}
