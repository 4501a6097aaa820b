// Cost of a ledger: bytes per transition early and late, reading a very long log from its events and from its checkpoint, and the machine
// itself. Reading runs as built JavaScript in a separate process.
import { spawnSync } from "node:child_process";
import { createWriteStream, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
	decide,
	type EventBody,
	foldEvent,
	isRefusal,
	type LedgerEvent,
	type Run,
	startRun,
} from "@pi-chronicle/core/machine";
import type { HeldLedger } from "@pi-chronicle/core/ports";
import { hashDefinition } from "@pi-chronicle/core/template";
import { build } from "esbuild";
import { checkpointText } from "../packages/pi-chronicle/src/local/ledger/checkpoint.ts";
import { openFileStore } from "../packages/pi-chronicle/src/local/ledger/index.ts";
import { pathsOf } from "../packages/pi-chronicle/src/local/ledger/layout.ts";
import { encodeLine, stampEvent } from "../packages/pi-chronicle/src/local/ledger/line.ts";
import { type Figures, median } from "./figure.ts";

const transitions = 10_000;
const toolEvents = 1_000_000;
const rounds = 3;
const id = "00000000-0000-4000-8000-000000000000";
const summary = "x".repeat(200);

export async function bench(): Promise<Figures> {
	const folder = mkdtempSync(join(tmpdir(), "bench-ledger-"));
	try {
		const growth = await measureGrowth(join(folder, "growth"));
		const long = join(folder, "long");
		mkdirSync(long);
		const run = await writeLong(long);
		const reader = await bundleReader(folder);
		const whole = read(reader, long);
		const { log, checkpoint } = pathsOf(long, id);
		const { size } = statSync(log);
		writeFileSync(checkpoint, checkpointText(run, { seq: run.seq, offset: size, fence: 1 }));
		const fromCheckpoint = Array.from({ length: 7 }, () => read(reader, long).ms);
		return {
			name: "ledger",
			rows: [
				{
					figure: "events of the 200th transition, without message text",
					value: growth.early,
					unit: "bytes",
					must: { most: 1024 },
				},
				{ figure: "the 2,000th ÷ the 200th", value: growth.late / growth.early, unit: "×", must: { most: 1.1 } },
				{
					figure: "checkpoint after 2,000 transitions",
					value: growth.checkpoint,
					unit: "bytes",
					must: { most: 64 * 1024 },
				},
				{
					figure: "10,000 transitions and 1,000,000 tool-call events, from the events",
					value: whole.ms / 1000,
					unit: "s",
					must: { most: 6 },
				},
				{ figure: "the same, CPU", value: whole.cpuMs / 1000, unit: "s" },
				{ figure: "the same, peak memory", value: whole.megabytes, unit: "MB", must: { most: 120 } },
				{ figure: "the same, from the checkpoint", value: Math.min(...fromCheckpoint), unit: "ms", must: { most: 60 } },
				{ figure: "their log", value: size / 1e6, unit: "MB" },
				{ figure: "one durable append, median", value: growth.durableMs, unit: "ms" },
				{ figure: "events through the machine", value: machineSpeed(), unit: "per s" },
			],
			how: `Reading: built code, the fastest of ${rounds} processes; memory is the median of their peak resident sizes. Events of a transition: from one recorded launch intent to the next.`,
		};
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

const definition = {
	name: "Bench",
	states: { a: { persona: "A", next: ["b"] }, b: { persona: "B", next: ["a", "done"] } },
	limits: { moves: 10_000, pair_moves: 10_000, tokens: 1e15 },
};
const first: EventBody & { kind: "created" } = {
	kind: "created",
	schemaVersion: 1,
	id,
	template: { name: "Bench", hash: hashDefinition(definition), definition },
	task: "measure",
};
const tree = (n: number): string => n.toString(16).padStart(40, "0");
const baseline: EventBody = { kind: "files_measured", visit: 1, purpose: "baseline", tree: tree(0) };

function launched({ visit, attempt, launch }: Run): EventBody {
	return {
		kind: "worker_started",
		visit,
		attempt,
		launch,
		pid: 12_345,
		model: "anthropic/claude-opus-4",
		rules: "0123456789abcdef",
		conversation: "new",
	};
}

function left({ visit, attempt, launch, state }: Run): EventBody[] {
	return [
		{ kind: "move_requested", visit, attempt, target: state === "a" ? "b" : "a", summary },
		{ kind: "worker_ended", visit, attempt, launch, outcome: { kind: "stopped" } },
		{ kind: "files_measured", visit, purpose: "changes", tree: tree(visit) },
	];
}

async function measureGrowth(
	sessions: string,
): Promise<{ early: number; late: number; checkpoint: number; durableMs: number }> {
	const made = await openFileStore({ sessions, clock: Date }).create(first);
	if (!made.ok) throw new Error(made.failure.message);
	const ledger = made.value;
	const { log, checkpoint } = pathsOf(sessions, id);
	const waits: number[] = [];
	let run = await tell(ledger, ledger.run, baseline, waits);
	const sizes = [0];
	for (let n = 1; n <= 2000; n += 1) {
		const before = statSync(log).size;
		for (const body of [launched(run), ...left(run)]) run = await tell(ledger, run, body, waits);
		sizes.push(statSync(log).size - before - summary.length);
	}
	const saved = await ledger.checkpoint(run);
	if (!saved.ok) throw new Error(saved.failure.message);
	await ledger.releaseLease();
	return {
		early: sizes[200] ?? 0,
		late: sizes[2000] ?? 0,
		checkpoint: statSync(checkpoint).size,
		durableMs: median(waits),
	};
}

/** The event with the decisions that follow from it. */
function batchOf(run: Run, body: EventBody): readonly EventBody[] {
	const batch = decide(run, body, run.updatedAt);
	if (isRefusal(batch)) throw new Error(batch.message);
	return batch.events;
}

/** Appends an event with the decisions that follow from it; every fiftieth batch is durable and timed. */
async function tell(ledger: HeldLedger, run: Run, body: EventBody, waits: number[]): Promise<Run> {
	const durable = run.seq % 50 === 0;
	const started = performance.now();
	const appended = await ledger.append(batchOf(run, body), durable ? "durable" : "soon");
	if (durable) waits.push(performance.now() - started);
	if (!appended.ok) throw new Error(appended.failure.message);
	return appended.value.reduce(foldEvent, run);
}

/** Writes the long log and returns its run. */
async function writeLong(sessions: string): Promise<Run> {
	const out = createWriteStream(pathsOf(sessions, id).log);
	let lines: string[] = [];
	let seq = 0;
	let run: Run | undefined;
	const write = async (body: EventBody): Promise<void> => {
		seq += 1;
		const event: LedgerEvent = stampEvent(body, { seq, at: new Date(1.9e12 + seq * 10).toISOString(), fence: 1 });
		run = run ? foldEvent(run, event) : startRun(event);
		lines.push(encodeLine(event));
		if (lines.length < 2000) return;
		const fits = out.write(lines.join(""));
		lines = [];
		if (!fits) await new Promise<void>((resolve) => out.once("drain", () => resolve()));
	};
	const follow = async (body: EventBody): Promise<Run> => {
		if (run) for (const event of batchOf(run, body)) await write(event);
		if (!run) throw new Error("The run could not be started.");
		return run;
	};
	await write(first);
	let now = await follow(baseline);
	for (let n = 0; n < transitions; n += 1) {
		now = await follow(launched(now));
		const { visit, attempt } = now;
		for (let call = 0; call < toolEvents / transitions / 2; call += 1) {
			await write({
				kind: "tool_started",
				visit,
				attempt,
				call: `call_${call}`,
				tool: "bash",
				args: '{"command":"npm test -- --run test/some/where.test.ts"}',
			});
			await write({
				kind: "tool_ended",
				visit,
				attempt,
				call: `call_${call}`,
				tool: "bash",
				ms: 1200,
				bytes: 3456,
				hash: "0123456789abcdef",
			});
		}
		for (const body of left(now)) now = await follow(body);
	}
	out.write(lines.join(""));
	await new Promise<void>((resolve) => out.end(resolve));
	return now;
}

async function bundleReader(folder: string): Promise<string> {
	const outfile = join(folder, "reader.mjs");
	await build({
		stdin: {
			contents: `
				import { loadRun } from "./engine/ledger/load.ts";
				import { pathsOf } from "./engine/ledger/layout.ts";
				const started = performance.now();
				const cpu = process.cpuUsage();
				const read = await loadRun(pathsOf(process.argv[2], "${id}"));
				const ms = performance.now() - started;
				if (!read.ok) throw new Error(read.failure.message);
				const { user, system } = process.cpuUsage(cpu);
				console.log(JSON.stringify({ ms, cpuMs: (user + system) / 1000, kilobytes: process.resourceUsage().maxRSS, visit: read.value.run.visit, calls: read.value.run.totals.toolCalls }));
			`,
			resolveDir: join(import.meta.dirname, "..", "src", "chronicle"),
			loader: "ts",
		},
		outfile,
		bundle: true,
		format: "esm",
		platform: "node",
		external: ["@earendil-works/*", "typebox"],
		banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
		logLevel: "error",
	});
	return outfile;
}

function read(reader: string, sessions: string): { ms: number; cpuMs: number; megabytes: number } {
	const seen = Array.from({ length: rounds }, () => {
		const done = spawnSync(process.execPath, [reader, sessions], { encoding: "utf8" });
		if (done.status !== 0) throw new Error(done.stderr);
		return JSON.parse(done.stdout) as { ms: number; cpuMs: number; kilobytes: number; visit: number; calls: number };
	});
	for (const { visit, calls } of seen)
		if (visit !== transitions + 1 || calls !== toolEvents / 2)
			throw new Error(`The log gave ${visit} visits and ${calls} calls.`);
	return {
		ms: Math.min(...seen.map(({ ms }) => ms)),
		cpuMs: Math.min(...seen.map(({ cpuMs }) => cpuMs)),
		megabytes: median(seen.map(({ kilobytes }) => kilobytes)) / 1000,
	};
}

/** Events per second, decided and folded, without disk access. */
function machineSpeed(): number {
	const stamp = (body: EventBody, seq: number): LedgerEvent =>
		stampEvent(body, { seq, at: new Date(1.9e12 + seq).toISOString(), fence: 1 });
	const begun = stamp(first, 1);
	let run = startRun(begun);
	if (!run) throw new Error("The run could not be started.");
	let count = 0;
	const started = performance.now();
	const take = (body: EventBody): void => {
		if (!run) return;
		for (const event of batchOf(run, body)) {
			run = foldEvent(run, stamp(event, run.seq + 1));
			count += 1;
		}
	};
	take(baseline);
	for (let n = 0; n < 3000; n += 1) {
		take(launched(run));
		for (const body of left(run)) take(body);
	}
	return Math.round(count / ((performance.now() - started) / 1000));
}
