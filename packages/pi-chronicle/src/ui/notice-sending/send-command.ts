// Runs a command for a notice, once per attempt, whatever is killed: a small process claims the attempt by a file, runs the command and writes its
// end into the file. A sender that was killed in between finds it there.
// No shell; the notice is complete on stdin, and in variables of the environment.
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { anyObject, errorMessage, systemWords } from "@pi-chronicle/core/definition";
import { attempt } from "../../disk/index.ts";
import { isProcessAlive } from "../../process/index.ts";
import type { Notice } from "./notice.ts";
import type { SendResult } from "./send-result.ts";

const limitMs = 30_000;
const pollMs = 30;

/** Runs with `node -e`: claim, then command. It outlives the sender. */
const claimScript = `
const fs = require("node:fs");
const [claim, limit, ...command] = process.argv.slice(1);
let file;
try { file = fs.openSync(claim, "wx", 0o600); } catch { process.exit(0); }
const put = (line) => { fs.writeSync(file, JSON.stringify(line) + "\\n"); fs.fsyncSync(file); };
put({ pid: process.pid });
let output = "";
const killAll = () => { try { process.kill(-process.pid, "SIGKILL"); } catch { child.kill("SIGKILL"); } };
const end = (how) => { put({ ...how, output: output.slice(-400) }); if (how.error) killAll(); process.exit(0); };
const child = require("node:child_process").spawn(command[0], command.slice(1), { stdio: [fs.openSync(claim + ".in", "r"), "pipe", "pipe"], windowsHide: true });
for (const stream of [child.stdout, child.stderr]) stream && stream.on("data", (part) => { output = (output + part).slice(-2000); });
child.on("error", (error) => end({ error: error.code || error.message }));
child.on("exit", (code, signal) => setTimeout(() => end({ code, signal }), 50));
setTimeout(() => end({ error: "no end within " + limit / 1000 + " s" }), Number(limit));
`;

export interface CommandOrder {
	readonly command: readonly string[];
	/** For its stdin. */
	readonly body: string;
	readonly notice: Notice;
	readonly cwd: string;
	readonly env: NodeJS.ProcessEnv;
	/** Path of the file that claims the attempt. */
	readonly claim: string;
}

export async function sendByCommand({ command, body, notice, cwd, env, claim }: CommandOrder): Promise<SendResult> {
	await mkdir(dirname(claim), { recursive: true, mode: 0o700 });
	await writeFile(`${claim}.in`, body, { mode: 0o600 });
	const runner = spawn(process.execPath, ["-e", claimScript, claim, `${limitMs}`, ...command], {
		...{ cwd, detached: true, stdio: "ignore", windowsHide: true },
		env: { ...env, ...variablesOf(notice) },
	});
	let failed = "";
	runner.on("error", (error) => {
		failed = errorMessage(error);
	});
	runner.unref();
	const sent = await endOfClaim(claim, () => failed);
	// The claim stays: a process that a killed sender has started may look for it later.
	await rm(`${claim}.in`, { force: true });
	return sent;
}

function variablesOf(notice: Notice): NodeJS.ProcessEnv {
	const entries = Object.entries(notice).map(([name, value]) => [
		`PI_CHRONICLE_NOTICE_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`,
		Array.isArray(value) ? value.join("\n") : `${value}`,
	]);
	return Object.fromEntries(entries);
}

async function endOfClaim(claim: string, failed: () => string): Promise<SendResult> {
	for (const until = performance.now() + limitMs + 5000; performance.now() < until; await sleep(pollMs)) {
		const [first, last] = linesOfClaim(claim);
		if (last !== undefined) return judgeExit(last);
		if (failed() !== "") return { ok: false, answer: failed() };
		// What the command has done is unknown; a second run could do it twice.
		if (typeof first?.pid === "number" && !isProcessAlive(first.pid))
			return { ok: true, answer: "started; its end is unknown" };
	}
	return { ok: false, answer: existsSync(claim) ? "no end in time" : "not started" };
}

type Line = Readonly<Record<string, unknown>>;

function linesOfClaim(claim: string): readonly Line[] {
	const text = attempt(() => readFileSync(claim, "utf8")) ?? "";
	return text
		.split("\n")
		.slice(0, -1)
		.flatMap((line) => {
			const read: unknown = attempt(() => JSON.parse(line));
			return anyObject(read) ? [read as Line] : [];
		});
}

function judgeExit({ code, signal, error, output }: Line): SendResult {
	const said = String(output ?? "")
		.replace(/\s+/g, " ")
		.trim()
		.slice(0, 200);
	const how =
		error !== undefined
			? systemWords(String(error))
			: signal
				? `killed by ${String(signal)}`
				: `exit code ${String(code)}`;
	return { ok: code === 0, answer: said === "" ? how : `${how}: ${said}` };
}
