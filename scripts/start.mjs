// `npm start`: the main job on the example project, in a temporary copy, played by the understudy: no key, no question, no network.
// `npm start -- kill` shows a chronicle that is killed and continued.
// In a terminal it opens pi there with a workflow ready to run; without one it runs that workflow and prints what happens.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findPi, isPiCommand, ownPiSearch } from "../packages/pi-chronicle/src/pi/rpc/pi-command.ts";
import { plan } from "../packages/pi-chronicle/src/tools/rehearsal/plan.ts";
import { openProjectCopy } from "../packages/pi-chronicle/src/tools/rehearsal/project-copy.ts";
import { rehearse } from "../packages/pi-chronicle/src/tools/rehearsal/rehearse.ts";
import {
	closingLines,
	openingLines,
	unplayableLines,
	visitLines,
} from "../packages/pi-chronicle/src/tools/rehearsal/report.ts";
import { understudyModel } from "../packages/pi-chronicle/src/tools/rehearsal/understudy.ts";
import { killAndResume } from "./kill-and-resume.mjs";
import { shows } from "./start-guide.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const guide = fileURLToPath(new URL("start-guide.ts", import.meta.url));
const withPerson = process.stdin.isTTY === true && process.stdout.isTTY === true;

const stopped = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => stopped.abort(signal));

const pi = findPi(ownPiSearch());
if (isPiCommand(pi))
	process.exitCode = await (process.argv[2] === "kill" ? killed() : withPerson ? openForPerson() : runAlone());
else {
	console.error("pi is not installed here. Run `npm ci` first.");
	process.exitCode = 1;
}

/** Hands the terminal to pi. In it pi answers Ctrl+C itself. */
async function openForPerson() {
	const copy = await openProjectCopy({
		project: join(root, shows[0].folder),
		env: process.env,
		settings: { quietStartup: true },
		config: { tokensPerSecond: 150 },
	});
	try {
		const child = spawn(
			pi.command,
			[
				...pi.args,
				"--offline",
				"--approve",
				"--no-session",
				"-ne",
				"-e",
				root,
				"-e",
				guide,
				"--model",
				understudyModel,
			],
			{ cwd: copy.project, env: copy.env, stdio: "inherit" },
		);
		stopped.signal.addEventListener("abort", () => {
			if (stopped.signal.reason !== "SIGINT") child.kill(stopped.signal.reason);
		});
		const [code] = await once(child, "exit");
		console.log("Removed the copy of the example project; nothing else was touched.");
		return code ?? 1;
	} finally {
		await copy.close();
	}
}

function killed() {
	return killAndResume(root, stopped.signal);
}

/** Plays one definition of each kind to its end, and one that is killed; resolves to the exit code. */
async function runAlone() {
	for (const show of shows) {
		if (show !== shows[0]) console.log("");
		const code = await runOne(show);
		if (code !== 0) return code;
	}
	console.log("");
	return killed();
}

async function runOne({ kind, folder, name, task }) {
	const cwd = join(root, folder);
	// This agent folder does not exist, so no definition of the user applies.
	const host = {
		cwd,
		agentFolder: join(cwd, "nobody"),
		pi,
		packageRoot: join(root, "packages", "pi-chronicle"),
		env: process.env,
	};
	const planned = plan({ name, task, scenario: undefined }, kind, host);
	if (planned.kind === "unplayable") {
		console.error(unplayableLines(planned, root).join("\n"));
		return 1;
	}
	console.log(openingLines(planned.program, cwd).join("\n"));
	const report = await rehearse(planned, host, {
		onVisit: (visit) => console.log(visitLines(visit).join("\n")),
		onLine: (line) => console.log(line),
		signal: stopped.signal,
		afterwards: "remove",
	});
	if (stopped.signal.aborted) return 130;
	console.log(closingLines(report).join("\n"));
	return report.outcome === "done" ? 0 : 1;
}
