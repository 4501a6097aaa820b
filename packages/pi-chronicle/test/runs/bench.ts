// Shared by the tests of whole runs: moves as the model makes them, the ledger on disk, and the
// command line in a project.
import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { closeLater } from "../harness/lifetime.ts";
import { patient } from "../harness/patience.ts";
import { type Printed, type ProgramOptions, runNode } from "../harness/print.ts";
import { killQuietly } from "../harness/processes.ts";
import type { Project } from "../harness/project.ts";
import { call, type MessageOptions } from "../harness/reply.ts";
import { packageUnderTest, piScript } from "../harness/under-test.ts";

/** Files of a project with templates by their names. */
export function withTemplates(templates: Readonly<Record<string, unknown>>): Record<string, unknown> {
	return Object.fromEntries(
		Object.entries(templates).map(([name, content]) => [
			`.pi/chronicle/workflows/${name.includes(".") ? name : `${name}.json`}`,
			content,
		]),
	);
}

/** A branch of a state with children: a run with one state of that name. */
export const branch = (name: string) => ({
	task: `Write ${name}`,
	run: { states: { [name]: { persona: "Builder", next: ["done"] } } },
});

/** A script's key for the worker of a state. */
export function worker(state: string): string {
	return `the state "${state}" (visit`;
}

/** The same for a child whose run is one state of its name, as `branch` makes it. */
export function childWorker(name: string): string {
	return `You are the child "${name}"`;
}

export function move(target: string, summary = `on to ${target}`, options: MessageOptions = {}) {
	return call("workflow_transition", { target_state: target, summary }, options);
}

/** The folded ledger as any JSON reader sees it. */
export interface Ledger {
	readonly schemaVersion: number;
	readonly id: string;
	readonly status: string;
	readonly state: string;
	readonly visit: number;
	readonly attempt: number;
	readonly task: string;
	readonly template: { readonly name: string; readonly hash: string; readonly definition: unknown };
	readonly history: readonly {
		readonly from: string;
		readonly to: string;
		readonly cause: string;
		readonly summary: string;
	}[];
	readonly totals: { readonly tokens: number; readonly costUsd: number; readonly activeMs: number };
	readonly snapshot: { readonly files: readonly { readonly path: string }[] };
	readonly hold: { readonly cause: string } | null;
}

const sessions = ".pi/chronicle/sessions";

/** Ids of the runs of a project. */
export function runIds(project: Project): string[] {
	const folder = project.path(sessions);
	try {
		return readdirSync(folder)
			.filter((name) => /^[0-9a-f-]{36}\.json$/.test(name))
			.map((name) => name.slice(0, -".json".length));
	} catch {
		return [];
	}
}

/** The ledger of the only run, or of the one named. */
export function ledgerOf(project: Project, id = onlyRun(project)): Ledger {
	return JSON.parse(readFileSync(project.path(sessions, `${id}.json`), "utf8")) as Ledger;
}

export function onlyRun(project: Project): string {
	const ids = runIds(project);
	const [only] = ids;
	if (ids.length !== 1 || only === undefined) throw new Error(`There are ${ids.length} runs.`);
	return only;
}

/** The folders that the children of all runs work in, absolute. */
export function childFolders(project: Project): string[] {
	const work = join(project.agentFolder, "chronicle", "work");
	// Folders of projects, in them those of runs.
	return existsSync(work) ? foldersIn(work).flatMap(foldersIn).flatMap(foldersIn) : [];
}

function foldersIn(folder: string): string[] {
	const entries = readdirSync(folder, { withFileTypes: true });
	return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
}

/** All events of a run, as they lie in the log. */
export function eventsOf(project: Project, id = onlyRun(project)): Record<string, unknown>[] {
	const text = readFileSync(project.path(sessions, `${id}.events.jsonl`), "utf8");
	return text
		.trimEnd()
		.split("\n")
		.map((line) => JSON.parse(line) as Record<string, unknown>);
}

export interface Said extends Printed {
	/** The one object on stdout, where --json asked for it. */
	readonly data: Record<string, unknown>;
}

/** `pi-chronicle <words>` in a project; `cli` is another copy of the command. */
export async function chronicle(
	project: Project,
	words: readonly string[],
	{ cli = packageUnderTest().cli, env, ...options }: ProgramOptions & { cli?: string } = {},
): Promise<Said> {
	const printed = await runNode(project, [cli, ...words], {
		timeout: 40_000,
		...options,
		env: { PI_CHRONICLE_PI: piScript(), ...env },
	});
	let data: Record<string, unknown> = {};
	if (words.includes("--json")) {
		try {
			data = JSON.parse(printed.stdout) as Record<string, unknown>;
		} catch {
			throw new Error(`stdout is not one JSON object:\n${printed.stdout}\nstderr:\n${printed.stderr}`);
		}
	}
	return { ...printed, data };
}

/** A `pi-chronicle` that runs while the test does something else. */
export interface Going {
	readonly pid: number;
	/** Everything it has written to stderr so far. */
	stderr(): string;
	/** Waits until stderr holds `words`. */
	says(words: string): Promise<void>;
	signal(name: NodeJS.Signals): void;
	readonly ended: Promise<{
		readonly code: number | null;
		readonly signal: NodeJS.Signals | null;
		readonly stdout: string;
	}>;
}

/** Starts `pi-chronicle <words>` and does not wait for its end. */
export function goOn(project: Project, words: readonly string[], env: Record<string, string> = {}): Going {
	const child = spawn(process.execPath, [packageUnderTest().cli, ...words], {
		cwd: project.folder,
		env: project.environment({ PI_CHRONICLE_PI: piScript(), ...env }),
		stdio: ["ignore", "pipe", "pipe"],
	});
	let out = "";
	let err = "";
	child.stdout.on("data", (chunk: Buffer) => {
		out += chunk.toString("utf8");
	});
	child.stderr.on("data", (chunk: Buffer) => {
		err += chunk.toString("utf8");
	});
	const ended = new Promise<Awaited<Going["ended"]>>((resolve) =>
		child.on("close", (code, signal) => resolve({ code, signal, stdout: out })),
	);
	const { pid = 0 } = child;
	closeLater(() => {
		if (child.exitCode === null && child.signalCode === null) killQuietly(pid);
	});
	return {
		pid,
		stderr: () => err,
		async says(words) {
			const until = Date.now() + patient(20_000);
			while (!err.includes(words)) {
				if (Date.now() > until) throw new Error(`It does not say "${words}":\n${err}\n${out}`);
				await sleep(25);
			}
		},
		signal: (name) => void child.kill(name),
		ended,
	};
}
