// Commands that are printed about a run, and how they are run exactly as they stand there.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openFolder } from "../harness/folder.ts";
import { closeLater } from "../harness/lifetime.ts";
import { type Printed, runProgram } from "../harness/print.ts";
import type { Project } from "../harness/project.ts";
import { packageUnderTest, piScript } from "../harness/under-test.ts";

/** A user's shell in a folder: `pi-chronicle` is on its PATH. */
export interface Shell {
	run(line: string): Promise<Printed>;
	/** Runs a command until it ends or `isEnough`, when it gets the signal; returns what it has written. Default: SIGTERM. */
	runUntil(line: string, isEnough: () => boolean, signal?: NodeJS.Signals): Promise<string>;
}

export function openShell(project: Project, cwd: string): Shell {
	const bin = join(project.home, "bin");
	mkdirSync(bin, { recursive: true });
	const command = join(bin, "pi-chronicle");
	writeFileSync(command, `#!/bin/sh\nexec '${process.execPath}' '${packageUnderTest().cli}' "$@"\n`);
	chmodSync(command, 0o755);
	// As a shell that was led to the folder through a link.
	const env = { PATH: `${bin}:${process.env.PATH}`, PWD: cwd, PI_CHRONICLE_PI: piScript() };
	return {
		run: (line) => runProgram(project, ["sh", "-c", line], { cwd, env, timeout: 60_000 }),
		async runUntil(line, isEnough, signal = "SIGTERM") {
			const child = spawn("sh", ["-c", `exec ${line}`], { cwd, env: project.environment(env), stdio: "pipe" });
			child.stdin.end();
			let text = "";
			for (const stream of [child.stdout, child.stderr])
				stream.on("data", (chunk: Buffer) => {
					text += chunk.toString("utf8");
				});
			const ended = once(child, "close").then(() => true);
			const forget = closeLater(() => void child.kill("SIGKILL"));
			while (!(await Promise.race([ended, sleep(50)]))) if (isEnough()) child.kill(signal);
			await forget();
			return text;
		},
	};
}

/** The commands about a run in a text, whole: each ends with its line or at ` · `. */
export function commandsIn(text: string): string[] {
	const found = [...text.matchAll(/(?:^|[ (])((?:pi-chronicle|\/chronicle) (?:(?! · ).)*)/gm)];
	return found.map(([, command = ""]) => command.trim()).filter((command) => / [0-9a-f]{8}\b/.test(command));
}

/** Those that `status --json` lists, for the run and the runs below it, with the run that they are about. */
export function commandsInJson(json: string): string[] {
	const { id, waitsFor } = JSON.parse(json) as {
		id: string;
		waitsFor: { commands: string[]; children?: { commands: string[] }[] } | null;
	};
	const own = (waitsFor?.commands ?? []).map((command) =>
		/^\S+ [0-9a-f]{8}\b/.test(command) ? command : command.replace(/^\S+/, (verb) => `${verb} ${id.slice(0, 8)}`),
	);
	const below = (waitsFor?.children ?? []).flatMap(({ commands }) => commands);
	return [...own, ...below].map((command) => `pi-chronicle ${command}`);
}

/** The verb of a command, which names the folder or the engine that it is about first. */
export const verbOf = (command: string): string =>
	/^pi-chronicle (?:--cwd '(?:[^']|'\\'')*' |--(?:engine|project) \S+ )*(\S+)/.exec(command)?.[1] ?? "";

/** Verbs that change nothing. */
export const looking = new Set(["diff", "status", "view", "report", "list"]);

/** One command for each verb, of those that all kinds have in common. */
export function onePerVerb(commands: readonly string[]): string[] {
	return [...new Map(commands.map((command) => [verbOf(command), command])).values()];
}

/** What fills in placeholders. */
export const words = {
	words: "'no, use tabs'",
	"number or words": "1",
	n: "1000000",
	usd: "5",
	state: "done",
	name: "b0",
};

/** What a user writes for the placeholders of a command. */
export function filledIn(command: string, words: Readonly<Record<string, string>>): string {
	const filled = Object.entries(words).reduce((text, [name, value]) => text.replaceAll(`<${name}>`, value), command);
	if (/<[^>]*>/.test(filled)) throw new Error(`Nothing is known to fill in: ${filled}`);
	return filled;
}

/** Saves everything below the home; the function that is returned brings it back. */
export function saveHome(project: Project): () => void {
	const to = join(openFolder(), "home");
	cpSync(project.home, to, { recursive: true, verbatimSymlinks: true });
	return () => {
		for (const name of readdirSync(project.home)) rmSync(join(project.home, name), { recursive: true, force: true });
		cpSync(to, project.home, { recursive: true, verbatimSymlinks: true });
	};
}

/** The number of events in all ledgers of the project, without those of a process that opens a run. */
export function countEvents(project: Project): number {
	const folder = project.path(".pi/chronicle/sessions");
	if (!existsSync(folder)) return 0;
	const logs = readdirSync(folder).filter((name) => name.endsWith(".events.jsonl"));
	const events = logs.flatMap((name) => readFileSync(join(folder, name), "utf8").split("\n").slice(0, -1));
	return events.filter((line) => !line.includes('"kind":"opened"')).length;
}
