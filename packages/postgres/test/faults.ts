// Faults of an engine's parts, one case each. Every case ends with `inspect`: the run finished, with each event once.
import { equal, match } from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { renameSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { LedgerEvent } from "@pi-chronicle/core/machine";
import { CRASH_VARIABLE } from "../../pi-chronicle/src/local/supervisor/index.ts";
import { exitCodes } from "../../pi-chronicle/src/pi/index.ts";
import { patient } from "../../pi-chronicle/test/harness/patience.ts";
import { inspectQuestion } from "../../pi-chronicle/test/kills/inspect-question.ts";
import { askingTask, userAnswer } from "../../pi-chronicle/test/kills/sample-run.ts";
import { type EngineHost, type EngineStage, eventually, type Gate } from "./engine-stage.ts";
import { openLink } from "./link.ts";
import type { Fault } from "./play-faults.ts";

/** A run whose builder runs a command that ends when the gate is opened, on a host that was started before. */
async function runAtGate(stage: EngineStage): Promise<{ readonly run: string; readonly gate: Gate }> {
	const gate = stage.gate();
	const run = await stage.submit(gate);
	await stage.approve(run);
	await stage.untilAtGate(run);
	return { run, gate };
}

/** A run whose last worker asks the user. */
async function submitAsking(stage: EngineStage): Promise<{ readonly run: string; readonly task: string }> {
	const task = `${askingTask} (${randomUUID()})`;
	const submitted = await stage.cli(["run", "--json", "--model", "scripted/one", "--approve-cleanup", "play", task]);
	equal(submitted.code, 0, submitted.stderr);
	return { run: (JSON.parse(submitted.stdout) as { id: string }).id, task };
}

async function untilAsked(stage: EngineStage, run: string): Promise<void> {
	await stage.until(run, ({ status, holder }) => status === "asks" && holder === null);
}

async function answer(stage: EngineStage, run: string, words: string): Promise<void> {
	const said = await stage.cli(["answer", run, words]);
	equal(said.code, 0, said.stderr);
}

/** Resolves once one of the hosts has said it. */
async function untilSaid(hosts: readonly EngineHost[], text: RegExp): Promise<void> {
	const said = () => hosts.map((host) => host.log()).join("\n");
	match(await eventually(said, (log) => text.test(log)), text);
}

const signal = ({ child }: EngineHost, name: NodeJS.Signals): void => {
	if (child.pid !== undefined) process.kill(child.pid, name);
};

/** A host that dies at `point`, and another that is there. */
const diesAt =
	(point: string): Fault =>
	async (stage, host) => {
		const dying = host("dying", { [CRASH_VARIABLE]: point });
		const run = await stage.submit();
		const approving = stage.approve(run);
		// It is awaited once the first host has died.
		approving.catch(() => {});
		const ended = dying.child.exited;
		// The second host comes once the first has died, so that it is the first that gets there.
		const end = await Promise.race([ended, sleep(patient(60_000))]);
		equal(end?.kind, "killed", dying.log());
		host("heir");
		await approving;
		await stage.inspect(run);
	};

export const faults: Readonly<Record<string, Fault>> = {
	"a host is killed while a command runs": async (stage, host) => {
		const a = host("a");
		const { run, gate } = await runAtGate(stage);
		host("b");
		signal(a, "SIGKILL");
		const isInterrupted = (event: LedgerEvent) => event.kind === "attempt_reserved" && event.because === "interrupted";
		await stage.untilEvents(run, (events) => events.some(isInterrupted));
		gate.open();
		await stage.inspect(run);
	},
	"a host dies, and is back when its successor dies too": async (stage, host) => {
		const a = host("a");
		const { run, gate } = await runAtGate(stage);
		signal(a, "SIGKILL");
		const b = host("b");
		const commands = (events: readonly LedgerEvent[]) =>
			events.filter((event) => event.kind === "tool_started" && event.visit === 2).length;
		await stage.untilEvents(run, (events) => commands(events) >= 4);
		signal(b, "SIGKILL");
		host("a");
		gate.open();
		await stage.inspect(run);
	},
	"both hosts are killed, and a new one comes": async (stage, host) => {
		const both = [host("a"), host("b")];
		const { run, gate } = await runAtGate(stage);
		for (const one of both) signal(one, "SIGKILL");
		host("c");
		gate.open();
		await stage.inspect(run);
	},
	"a host is suspended for longer than its lease, and continues": async (stage, host) => {
		const a = host("a");
		const { run, gate } = await runAtGate(stage);
		signal(a, "SIGSTOP");
		host("b");
		const { fence } = await stage.until(run, (row) => row.fence >= 3);
		signal(a, "SIGCONT");
		gate.open();
		await stage.inspect(run);
		equal((await stage.until(run, () => true)).fence, fence);
	},
	"the database crashes, twice": async (stage, host) => {
		host("a", {}, ["--lease", "60"]);
		const { run, gate } = await runAtGate(stage);
		stage.cluster.stop("immediate");
		stage.cluster.start();
		gate.open();
		await stage.until(run, ({ state }) => state !== "building");
		stage.cluster.stop("immediate");
		stage.cluster.start();
		await stage.inspect(run);
		const lost = (await stage.events(run)).filter(
			(event) => event.kind === "worker_ended" && event.outcome.kind === "lost",
		);
		equal(lost.length, 0, "A short outage must not cost an attempt.");
	},
	"the database is away for longer than a lease": async (stage, host) => {
		const a = host("a");
		const { run, gate } = await runAtGate(stage);
		// What the worker has done here is on this host alone, and so must be its conversation: the other host has to do it again.
		stage.cluster.stop("fast");
		await untilSaid([a], /all runs stop here/);
		signal(a, "SIGTERM");
		stage.cluster.start();
		await untilSaid([a], /Released, running/);
		host("b");
		gate.open();
		await stage.inspect(run);
	},
	"a host is cut off from the database, and comes back": async (stage, host) => {
		const link = await openLink(stage.cluster.url);
		const a = host("a", {}, ["--engine", link.url]);
		const { run, gate } = await runAtGate(stage);
		const { fence } = await stage.until(run, ({ holder }) => holder !== null);
		link.cut();
		host("b");
		await untilSaid([a], /all runs stop here/);
		await stage.until(run, (row) => row.fence > fence && row.holder !== null);
		link.mend();
		gate.open();
		await stage.inspect(run);
	},
	"the git remote is away for a while": async (stage, host) => {
		host("a");
		const { run, gate } = await runAtGate(stage);
		renameSync(stage.remote, `${stage.remote}.away`);
		gate.open();
		const asks = (event: LedgerEvent) => event.kind === "tool_started" && event.tool === "workflow_transition";
		await stage.untilEvents(run, (events) => events.filter(asks).length >= 2);
		// The files are pushed now; several tries fail.
		await sleep(2000);
		renameSync(`${stage.remote}.away`, stage.remote);
		await stage.inspect(run);
	},
	"the git remote is away when a run is submitted": async (stage, host) => {
		renameSync(stage.remote, `${stage.remote}.away`);
		const task = ["run", "--json", "--model", "scripted/one", "--approve-cleanup", "play", "Do it all."];
		const submitter = stage.start(task);
		let printed = "";
		submitter.onOutput((chunk) => {
			printed += chunk.toString();
		});
		const said = /git remote cannot be reached: .*Trying again for 1m/;
		match(await eventually(submitter.stderr, (text) => said.test(text)), said);
		renameSync(`${stage.remote}.away`, stage.remote);
		equal((await submitter.exited).kind, "exited", submitter.stderr());
		const { id } = JSON.parse(printed) as { id: string };
		host("a");
		await stage.approve(id);
		await stage.inspect(id);
	},
	"two people decide": async (stage, host) => {
		host("a");
		const run = await stage.submit();
		await stage.until(run, ({ status, holder }) => status === "awaiting_approval" && holder === null);
		const both = await Promise.all([stage.cli(["approve", run]), stage.cli(["reject", run, "No, again."])]);
		const [taken, refused] = both.toSorted((one, other) => (one.code ?? 9) - (other.code ?? 9));
		equal(taken?.code, 0, taken?.stderr);
		equal(refused?.code, exitCodes.usage, refused?.stdout);
		match(
			refused?.stderr ?? "",
			/Another answer came first|question has changed|already answered|waiting for something else|is not waiting for you/,
		);
		const isAnswer = ({ kind }: LedgerEvent) => kind === "approved" || kind === "rejected";
		await stage.untilEvents(run, (events) => events.some(isAnswer));
		if (both[1]?.code === 0) await stage.approve(run);
		const answers = (await stage.events(run)).filter(isAnswer);
		equal(new Set(answers.map((event) => ("answers" in event ? event.answers : 0))).size, answers.length);
		await stage.inspect(run);
	},
	"a run that no host can begin is parked with the reason, and continues when it can": async (stage, host) => {
		const broken = host("broken", {}, ["--setup", "echo no such tool; exit 7"]);
		const run = await stage.submit();
		const row = await stage.until(run, ({ parked }) => parked, 90_000);
		equal(row.status, "paused");
		const status = await stage.cli(["status", run]);
		match(status.stdout, /gave up the run after 5 attempts.*exit code 7.*no such tool/s);
		match(status.stdout, /Mend what the reason names, then resume/);
		equal((await stage.events(run)).at(-1)?.kind, "given_up");
		await broken.child.stop(10_000);
		host("sound");
		equal((await stage.cli(["resume", run])).code, 0);
		await stage.approve(run);
		await stage.inspect(run);
	},
	"a run of a newer version waits visibly": async (stage, host) => {
		const run = await stage.submit();
		await stage.database.query("UPDATE chronicle.run SET schema_version = 99 WHERE id = $1", [run]);
		host("old");
		await stage.until(run, ({ waits }) => waits !== null);
		const status = await stage.cli(["engine", "status"]);
		match(status.stdout, new RegExp(`${run.slice(0, 8)} of app.*newer version`));
		await stage.database.query("UPDATE chronicle.run SET schema_version = 1 WHERE id = $1", [run]);
		// As if another minute had passed.
		await stage.database.query("UPDATE chronicle_jobs.job SET start_after = now() WHERE data->>'run' = $1", [run]);
		await stage.approve(run);
		await stage.inspect(run);
	},
	"a host is told to drain while a command runs": async (stage, host) => {
		const a = host("a");
		const { run, gate } = await runAtGate(stage);
		signal(a, "SIGTERM");
		await untilSaid([a], /Draining/);
		gate.open();
		equal((await a.child.exited).kind, "exited", a.log());
		const lost = (await stage.events(run)).filter(
			(event) => event.kind === "worker_ended" && event.outcome.kind === "lost",
		);
		equal(lost.length, 0, "A state that can end must not be interrupted.");
		host("b");
		await stage.inspect(run);
		const begun = (await stage.events(run)).flatMap((event) => (event.kind === "attempt_reserved" ? [event] : []));
		equal(begun.filter(({ because }) => because === "interrupted").length, 0, "Nothing was interrupted.");
		equal(new Set(begun.map(({ visit }) => visit)).size, begun.length, "Each state has one attempt.");
	},
	"a run is aborted from elsewhere": async (stage, host) => {
		host("a");
		const { run, gate } = await runAtGate(stage);
		const aborted = await stage.cli(["abort", run, "Enough."]);
		equal(aborted.code, 0, aborted.stderr);
		const row = await stage.until(run, ({ parked, holder }) => parked && holder === null);
		equal(row.status, "aborted");
		gate.open();
	},
	"the machines that submit and approve die as soon as that is recorded": async (stage, host) => {
		const newest = async (): Promise<string | undefined> => {
			const { rows } = await stage.database.query<{ id: string }>(
				"SELECT id::text FROM chronicle.run WHERE status <> 'done' AND status <> 'aborted'",
			);
			return rows[0]?.id;
		};
		const submitter = stage.start(["run", "--model", "scripted/one", "--approve-cleanup", "play", "Do it all."]);
		const run = (await eventually(newest, (id) => id !== undefined)) ?? "";
		await submitter.kill();
		const first = host("first");
		await stage.until(run, ({ status, holder }) => status === "awaiting_approval" && holder === null);
		signal(first, "SIGTERM");
		await first.child.exited;
		const approver = stage.start(["approve", run]);
		const posted = "SELECT FROM chronicle.inbox WHERE run = $1";
		await eventually(
			async () => (await stage.database.query(posted, [run])).count,
			(count) => count > 0,
		);
		await approver.kill();
		host("second");
		await stage.inspect(run);
		equal((await stage.events(run)).filter(({ kind }) => kind === "approved").length, 1);
	},
	"a host is killed once a worker has asked": async (stage, host) => {
		const dying = host("dying", { [CRASH_VARIABLE]: "after ask_opened" });
		const { run, task } = await submitAsking(stage);
		await stage.approve(run);
		equal((await dying.child.exited).kind, "killed", dying.log());
		host("heir");
		await untilAsked(stage, run);
		await answer(stage, run, userAnswer);
		await stage.inspect(run);
		inspectQuestion(await stage.events(run), stage.server.about(task));
	},
	"a host dies with the answer that was posted, and another continues the conversation": async (stage, host) => {
		const first = host("first");
		const { run, task } = await submitAsking(stage);
		await stage.approve(run);
		await untilAsked(stage, run);
		// No slot is held while it waits.
		match((await stage.cli(["engine", "status"])).stdout, /host first .*0 of 4 slots/);
		signal(first, "SIGTERM");
		await first.child.exited;
		await answer(stage, run, userAnswer);
		const late = await stage.cli(["answer", run, "Something else."]);
		equal(late.code, exitCodes.usage, late.stdout);
		match(late.stderr, /Another answer came first/);
		const dying = host("dying", { [CRASH_VARIABLE]: "after ask_answered" });
		equal((await dying.child.exited).kind, "killed", dying.log());
		host("heir");
		await stage.inspect(run);
		const events = await stage.events(run);
		inspectQuestion(events, stage.server.about(task));
		const keys = events.flatMap((event) => (event.kind === "worker_started" ? [event.conversation] : []));
		equal(keys.at(-1), "continued", "The answer came to another conversation.");
	},
	"a host dies before it claims a run": diesAt("job is taken"),
	"a host dies when it has claimed a run": diesAt("run is claimed"),
	"a host dies while the git remote is away, after a move": async (stage, host) => {
		const a = host("a");
		const { run, gate } = await runAtGate(stage);
		renameSync(stage.remote, `${stage.remote}.away`);
		gate.open();
		const moved = (event: LedgerEvent) => event.kind === "moved" && event.to === "checking";
		await stage.untilEvents(run, (events) => events.some(moved));
		signal(a, "SIGKILL");
		renameSync(`${stage.remote}.away`, stage.remote);
		host("b");
		await stage.inspect(run);
		const begun = (await stage.events(run)).filter((event) => event.kind === "attempt_reserved" && event.visit === 2);
		equal(begun.length, 1, "What was done before the move is not done again.");
	},
	"a host dies when the files are packed": diesAt("files are packed#2"),
	"a host dies before the files are pushed": diesAt("before files are pushed#2"),
	"a host dies when the files are pushed": diesAt("files are pushed#2"),
	"a host dies when the move is requested": diesAt("after move_requested#2"),
	"a host dies when the files are measured": diesAt("after files_measured#4"),
	"a host dies when the move is recorded": diesAt("after moved#2"),
	"a host dies before the branch moves": diesAt("before the branch moves#2"),
	"a host dies when the branch has moved": diesAt("branch is moved#2"),
	"a host dies when it is done": diesAt("after finished"),
};
