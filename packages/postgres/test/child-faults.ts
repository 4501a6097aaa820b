// What can go wrong while hosts do the children of a run, one case each. Every case ends with `inspectFamily`: each child was done and joined once.
import { deepEqual, equal, match, notEqual } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { renameSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { LedgerEvent } from "@pi-chronicle/core/machine";
import { CRASH_VARIABLE } from "../../pi-chronicle/src/local/supervisor/index.ts";
import type { ModelRequest } from "../../pi-chronicle/test/harness/model-request.ts";
import { patient } from "../../pi-chronicle/test/harness/patience.ts";
import { call, type Reply } from "../../pi-chronicle/test/harness/reply.ts";
import { move, withTemplates } from "../../pi-chronicle/test/runs/bench.ts";
import { type EngineHost, type EngineStage, eventually, type Gate, inspectRecord } from "./engine-stage.ts";
import type { Fault } from "./play-faults.ts";

const parts = ["one", "two", "three"] as const;
type Part = (typeof parts)[number];

const part = (name: Part, more: object = {}) => ({
	run: { states: { write: { persona: "Writer", next: ["done"], ...more } } },
	task: `PART-${name} {task}`,
});
const family = (more: object = {}, fields: object = {}) => ({
	requires: ">=0.2",
	states: {
		build: { branches: { one: part("one"), two: part("two", more), three: part("three") }, next: ["check"], ...fields },
		check: { persona: "Checker", next: ["done"] },
	},
});

/** The templates of the stages. */
export const familyFiles = withTemplates({
	family: family(),
	asking: family({ requires_approval: true }),
	narrow: family({ host: ["gpu"] }),
	capped: { ...family(), limits: { tokens: 60_000 } },
	broken: family({}, { setup: ["test -e /nowhere-at-all"] }),
	nested: {
		requires: ">=0.2",
		states: {
			build: {
				branches: {
					left: { run: family(), task: "{task}" },
					right: { persona: "Reader", tools: ["read"], next: ["done"] },
				},
				files: "own",
				next: ["check"],
			},
			check: { persona: "Checker", next: ["done"] },
		},
	},
});

/** Each child writes a file of its name, once the gate for it is open. */
export function answerPart({ users, results }: ModelRequest): Reply {
	const [, name] = /PART-(\w+)/.exec(users[0] ?? "") ?? [];
	if (name === undefined || results.at(-1)?.text.includes(`written-${name}`)) return move("done", "It is done.");
	const gate = new RegExp(`${name}=(\\S+)`).exec(users[0] ?? "")?.[1];
	const wait = gate === undefined ? "" : `while [ -e ${gate} ]; do sleep 0.05; done; `;
	return call(
		"bash",
		{ command: `${wait}echo ${name} > ${name}.txt; echo written-${name}` },
		{ usage: { input: 25_000 } },
	);
}

interface Family {
	readonly run: string;
	readonly gates: Readonly<Record<Part, Gate>>;
	/** The id of a child, once it exists. */
	child(name: string): Promise<string>;
	open(...names: Part[]): void;
}

interface ChildRow {
	readonly id: string;
	readonly name: string;
	readonly status: string;
	readonly host: string | null;
	readonly fence: number;
}

/** The children of a run, by name. */
async function childrenOf({ database }: EngineStage, run: string): Promise<Record<string, ChildRow>> {
	const { rows } = await database.query<ChildRow>(
		`SELECT r.id::text, r.child::json->>'name' AS name, r.status, r.fence, h.name AS host
		FROM chronicle.run r LEFT JOIN chronicle.host h ON h.id = r.holder WHERE r.parent = $1`,
		[run],
	);
	return Object.fromEntries(rows.map((row) => [row.name, row]));
}

async function submit(stage: EngineStage, template = "family"): Promise<Family> {
	const gates = { one: stage.gate(), two: stage.gate(), three: stage.gate() };
	const task = parts.map((name) => `${name}=${gates[name].path}`).join(" ");
	const done = await stage.cli(["run", "--json", "--model", "scripted/one", "--approve-cleanup", template, task]);
	equal(done.code, 0, done.stderr + done.stdout);
	const { id: run } = JSON.parse(done.stdout) as { id: string };
	return {
		run,
		gates,
		async child(name) {
			const find = async () => (await childrenOf(stage, run))[name]?.id;
			return (await eventually(find, (id) => id !== undefined)) ?? "";
		},
		open(...names) {
			for (const name of names.length > 0 ? names : parts) gates[name].open();
		},
	};
}

/** Resolves once the workers of these children run the command that waits for their gate; gives the children. */
async function untilAtGates(
	stage: EngineStage,
	{ run, child }: Family,
	...names: Part[]
): Promise<Record<string, ChildRow>> {
	for (const name of names.length > 0 ? names : parts)
		await stage.untilEvents(await child(name), (events) => events.some(({ kind }) => kind === "tool_started"));
	return childrenOf(stage, run);
}

const attempts = (events: readonly LedgerEvent[]): number =>
	events.filter(({ kind }) => kind === "attempt_reserved").length;
const wasInterrupted = (events: readonly LedgerEvent[]): boolean =>
	events.some((event) => event.kind === "attempt_reserved" && event.because === "interrupted");

const signal = ({ child }: EngineHost, name: NodeJS.Signals): void => {
	if (child.pid !== undefined) process.kill(child.pid, name);
};

/** What must hold of a run that is done, and of all its children. */
async function inspectFamily(stage: EngineStage, run: string): Promise<void> {
	await stage.until(run, ({ status, holder }) => status === "done" && holder === null);
	const { rows } = await stage.database.query<{ id: string; parent: string | null }>(
		`WITH RECURSIVE family AS (
			SELECT id, parent FROM chronicle.run WHERE id = $1
			UNION ALL SELECT r.id, r.parent FROM chronicle.run r JOIN family f ON r.parent = f.id
		) SELECT id::text, parent::text FROM family`,
		[run],
	);
	for (const { id } of rows) {
		const children = rows.filter(({ parent }) => parent === id).map((row) => row.id);
		const ended = (await stage.events(id)).flatMap((event) => (event.kind === "child_ended" ? [event.child] : []));
		deepEqual(ended.toSorted(), children.toSorted(), "Each child ends once.");
		await inspectRecord(stage, id);
	}
	const show = (name: string) =>
		spawnSync("git", ["--git-dir", stage.remote, "show", `refs/heads/chronicle/${run}:${name}.txt`], {
			encoding: "utf8",
		}).stdout;
	const shown = () => parts.map(show).join("");
	equal(await eventually(shown, (text) => text === "one\ntwo\nthree\n"), "one\ntwo\nthree\n");
}

/** A run whose children wait at their gates, one or more on the host of their parent, the others elsewhere. */
async function spread(stage: EngineStage, host: EngineStage["host"]) {
	const a = host("a", {}, ["--slots", "1"]);
	const run = await submit(stage);
	const atGates = async (): Promise<number> => {
		const rows = Object.values(await childrenOf(stage, run.run));
		const events = await Promise.all(rows.map(({ id }) => stage.events(id)));
		return events.filter((of) => of.some(({ kind }) => kind === "tool_started")).length;
	};
	equal(await eventually(atGates, (number) => number === 1), 1);
	const b = host("b", {}, ["--slots", "2"]);
	const children = await untilAtGates(stage, run);
	const on = (name: string): Part[] => parts.filter((of) => children[of]?.host === name);
	deepEqual([on("a").length, on("b").length], [1, 2]);
	return { run, a, b, children, here: on("a"), elsewhere: on("b") };
}

/** A host that dies at `point`, among others that are there from the time that it is dead. */
const diesAt =
	(point: string): Fault =>
	async (stage, host) => {
		const dying = host("dying", { [CRASH_VARIABLE]: point });
		const { run, open } = await submit(stage);
		open();
		const end = await Promise.race([dying.child.exited, sleep(patient(60_000))]);
		equal(end?.kind, "killed", dying.log());
		host("a", {}, ["--slots", "1"]);
		host("b", {}, ["--slots", "1"]);
		await inspectFamily(stage, run);
	};

export const childFaults: Readonly<Record<string, Fault>> = {
	"hosts with one slot do a run and its children": async (stage, host) => {
		for (const name of ["a", "b", "c"]) host(name, {}, ["--slots", "1"]);
		const run = await submit(stage);
		const children = Object.values(await untilAtGates(stage, run));
		// All at once: their parent waits without a slot.
		deepEqual(children.map((child) => child.host).toSorted(), ["a", "b", "c"]);
		run.open();
		await inspectFamily(stage, run.run);
	},
	"the only host has one slot": async (stage, host) => {
		host("a", {}, ["--slots", "1"]);
		const { run, open } = await submit(stage, "nested");
		open();
		await inspectFamily(stage, run);
	},
	"the host of the parent is killed while others do the children": async (stage, host) => {
		const { run, a, here, elsewhere } = await spread(stage, host);
		signal(a, "SIGKILL");
		for (const name of elsewhere) run.open(name);
		// The heir of the parent records what the others have done, and what died with the host is done again.
		for (const name of here) await stage.untilEvents(await run.child(name), wasInterrupted);
		run.open();
		await inspectFamily(stage, run.run);
		for (const name of elsewhere) equal(attempts(await stage.events(await run.child(name))), 1, name);
	},
	"the host of children is killed": async (stage, host) => {
		const { run, b, here, elsewhere } = await spread(stage, host);
		signal(b, "SIGKILL");
		// Each of its children may be why it died: it is done alone.
		for (const name of ["c", "d"]) host(name);
		for (const name of elsewhere) await stage.untilEvents(await run.child(name), wasInterrupted);
		run.open();
		await inspectFamily(stage, run.run);
		for (const name of here) equal(attempts(await stage.events(await run.child(name))), 1, name);
	},
	"all hosts are killed, and one comes": async (stage, host) => {
		const { run, a, b } = await spread(stage, host);
		for (const one of [a, b]) signal(one, "SIGKILL");
		host("c");
		run.open();
		await inspectFamily(stage, run.run);
	},
	"the host of the parent is suspended for longer than its lease, and continues": async (stage, host) => {
		const { run, a } = await spread(stage, host);
		const { fence } = await stage.until(run.run, () => true);
		signal(a, "SIGSTOP");
		await stage.until(run.run, (row) => row.fence > fence && row.holder !== null);
		signal(a, "SIGCONT");
		run.open();
		await inspectFamily(stage, run.run);
	},
	"the host of the parent drains while others do the children": async (stage, host) => {
		const { run, a } = await spread(stage, host);
		signal(a, "SIGTERM");
		// The parent continues elsewhere at once; the child of this host finishes here.
		await stage.until(run.run, ({ fence }) => fence >= 2);
		run.open();
		equal((await a.child.exited).kind, "exited", a.log());
		await inspectFamily(stage, run.run);
		for (const name of parts) equal(attempts(await stage.events(await run.child(name))), 1, name);
	},
	"the run is aborted while others do its children": async (stage, host) => {
		for (const name of ["a", "b"]) host(name, {}, ["--slots", "1"]);
		const run = await submit(stage);
		const find = async () => Object.values(await childrenOf(stage, run.run)).filter((child) => child.host !== null);
		await eventually(find, (held) => held.length === 2);
		equal((await stage.cli(["abort", run.run, "Enough."])).code, 0);
		const row = await stage.until(run.run, ({ parked, holder }) => parked && holder === null);
		equal(row.status, "aborted");
		const children = Object.values(await childrenOf(stage, run.run));
		deepEqual([...new Set(children.map(({ status, host: on }) => `${status} ${on}`))], ["aborted null"]);
		run.open();
		for (const { id } of children) await inspectRecord(stage, id);
	},
	"the run is paused while others do its children, and resumed": async (stage, host) => {
		for (const name of ["a", "b"]) host(name, {}, ["--slots", "1"]);
		const run = await submit(stage);
		const find = async () => Object.values(await childrenOf(stage, run.run)).filter((child) => child.host !== null);
		await eventually(find, (held) => held.length === 2);
		equal((await stage.cli(["pause", run.run])).code, 0);
		await stage.until(run.run, ({ status, holder }) => status === "paused" && holder === null);
		const children = Object.values(await childrenOf(stage, run.run));
		deepEqual(new Set(children.map((child) => child.host)), new Set([null]));
		run.open();
		equal((await stage.cli(["resume", run.run])).code, 0);
		await inspectFamily(stage, run.run);
	},
	"the children reach a ceiling of their parent": async (stage, host) => {
		for (const name of ["a", "b"]) host(name, {}, ["--slots", "2"]);
		const run = await submit(stage, "capped");
		await untilAtGates(stage, run);
		run.open();
		await stage.until(run.run, ({ status, holder }) => status === "budget_exceeded" && holder === null);
		const resumed = await stage.cli(["resume", run.run, "--tokens", "1000000"]);
		equal(resumed.code, 0, resumed.stderr);
		await inspectFamily(stage, run.run);
	},
	"a child asks, and is answered while its parent waits": async (stage, host) => {
		for (const name of ["a", "b"]) host(name, {}, ["--slots", "1"]);
		const run = await submit(stage, "asking");
		run.open();
		await stage.until(run.run, ({ status, holder }) => status === "awaiting_approval" && holder === null);
		equal((await stage.cli(["approve", run.run])).code, 0);
		await inspectFamily(stage, run.run);
	},
	"a child needs a host with a label, and its parent does not": async (stage, host) => {
		host("plain");
		const run = await submit(stage, "narrow");
		await untilAtGates(stage, run, "one", "three");
		const status = async () => (await stage.cli(["status", await run.child("two")])).stdout;
		match(await eventually(status, (text) => text.includes("gpu")), /no host that is up offers gpu/);
		host("narrow", {}, ["--labels", "gpu"]);
		await untilAtGates(stage, run);
		equal((await childrenOf(stage, run.run)).two?.host, "narrow");
		run.open();
		await inspectFamily(stage, run.run);
	},
	"the set-up commands of the children fail": async (stage, host) => {
		host("a");
		const { run } = await submit(stage, "broken");
		await stage.until(run, ({ status, holder }) => status === "paused" && holder === null);
		const status = await stage.cli(["status", run]);
		match(status.stdout, /set-up command failed \(exit code 1\): test -e \/nowhere-at-all/);
		equal((await stage.cli(["abort", run])).code, 0);
		await stage.until(run, (row) => row.status === "aborted" && row.holder === null);
	},
	"the run is rewound to before its children while another host does them": async (stage, host) => {
		const { run, children } = await spread(stage, host);
		const rewound = await stage.cli(["rewind", run.run, "1"]);
		equal(rewound.code, 0, rewound.stderr);
		await stage.until(run.run, ({ parked, holder }) => parked && holder === null);
		run.open();
		equal((await stage.cli(["resume", run.run])).code, 0);
		await stage.until(run.run, ({ status, holder }) => status === "done" && holder === null);
		for (const { id } of Object.values(children)) {
			const row = await stage.until(id, ({ holder, job }) => holder === null && job === null);
			notEqual(row.status, "done");
		}
	},
	"the database crashes while hosts do the children": async (stage, host) => {
		for (const name of ["a", "b"]) host(name, {}, ["--slots", "2", "--lease", "60"]);
		const run = await submit(stage);
		await untilAtGates(stage, run);
		stage.cluster.stop("immediate");
		stage.cluster.start();
		run.open();
		await inspectFamily(stage, run.run);
	},
	"the git remote is away while children end": async (stage, host) => {
		for (const name of ["a", "b"]) host(name, {}, ["--slots", "2"]);
		const run = await submit(stage);
		await untilAtGates(stage, run);
		renameSync(stage.remote, `${stage.remote}.away`);
		run.open();
		const asks = (events: readonly LedgerEvent[]) =>
			events.some((event) => event.kind === "tool_started" && event.tool === "workflow_transition");
		for (const name of parts) await stage.untilEvents(await run.child(name), asks);
		await sleep(1000);
		renameSync(`${stage.remote}.away`, stage.remote);
		await inspectFamily(stage, run.run);
	},
	"a host dies when the children are planned": diesAt("after children_planned"),
	"a host dies when a child has begun": diesAt("child is up#2"),
	"a host dies when a child is done": diesAt("after finished"),
	"a host dies before the end of a child is recorded": diesAt("child files are kept"),
	"a host dies when the end of a child is recorded": diesAt("after child_ended#2"),
	"a host dies when the files of the children are merged": diesAt("after joined"),
	"a host dies when the files of the children are joined": diesAt("after join_applied"),
};
