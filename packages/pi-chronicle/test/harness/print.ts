// pi without a user: `pi -p …` and `pi --mode json …`, run to completion.
import { spawn } from "node:child_process";
import { type LaunchOptions, launchArguments, launchPlace } from "./launch.ts";
import { closeLater } from "./lifetime.ts";
import { patient } from "./patience.ts";
import { killQuietly } from "./processes.ts";
import type { Project } from "./project.ts";
import { recordSplitter, type WireRecord } from "./records.ts";

export interface PrintOptions extends LaunchOptions {
	/** `text` is `pi -p`; `json` is `pi --mode json`, whose records are in `Printed.records`. */
	mode?: "text" | "json";
	/** What stdin holds (default: nothing, closed at once). */
	stdin?: string;
	/** Milliseconds until pi is killed and the call throws (default 25,000). */
	timeout?: number;
}

/** How a process ended and what it wrote. */
export interface Printed {
	/** Exit code, `null` when a signal ended it. */
	code: number | null;
	signal: NodeJS.Signals | null;
	stdout: string;
	stderr: string;
	/** Wall time in milliseconds. */
	ms: number;
	/** Records of JSON mode, without `message_update`. */
	records: WireRecord[];
}

/** Runs pi with the given prompts and arguments until it exits. */
export async function runPrint(project: Project, prompts: string[], options: PrintOptions = {}): Promise<Printed> {
	const mode = options.mode === "json" ? ["--mode", "json"] : ["-p"];
	return runNode(project, [...launchArguments(mode, options), ...prompts], options);
}

/** Runs any node script in the project's environment, such as `packageUnderTest().cli`, until it exits. */
export async function runNode(project: Project, args: string[], options: ProgramOptions = {}): Promise<Printed> {
	return runProgram(project, [process.execPath, ...args], options);
}

/** What {@link runProgram} takes of the options; the rest concerns pi. */
export type ProgramOptions = Pick<PrintOptions, "stdin" | "timeout" | "env" | "cwd" | "mode">;

/** Runs any program in the project's environment until it exits; the model server keeps answering meanwhile. */
export async function runProgram(
	project: Project,
	[program = "", ...args]: string[],
	options: ProgramOptions = {},
): Promise<Printed> {
	const timeout = patient(options.timeout ?? 25_000);
	const started = performance.now();
	const child = spawn(program, args, { ...launchPlace(project, options), stdio: ["pipe", "pipe", "pipe"] });
	const forget = closeLater(() => {
		if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) killQuietly(child.pid);
	});
	const out: Buffer[] = [];
	const err: Buffer[] = [];
	const records: WireRecord[] = [];
	const split = recordSplitter(
		(record) => {
			if (record.type !== "message_update") records.push(record);
		},
		() => {},
	);
	child.stdout.on("data", (chunk: Buffer) => {
		out.push(chunk);
		if (options.mode === "json") split(chunk);
	});
	child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
	child.stdin.on("error", () => {});
	child.stdin.end(options.stdin ?? "");
	let late = false;
	const timer = setTimeout(() => {
		late = true;
		child.kill("SIGKILL");
	}, timeout);
	const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
		child.on("error", reject);
		child.on("close", (...ended) => resolve(ended));
	});
	clearTimeout(timer);
	await forget();
	const stdout = Buffer.concat(out).toString("utf8");
	const stderr = Buffer.concat(err).toString("utf8");
	if (late) throw new Error(`Still running after ${timeout} ms; killed.\nstdout: ${stdout}\nstderr: ${stderr}`);
	return { code, signal, stdout, stderr, ms: performance.now() - started, records };
}
