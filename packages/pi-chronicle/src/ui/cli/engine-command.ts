// `engine`: sets up, runs and watches the hosts that share runs through a Postgres. Loads the engine's code on first use.

import { counted } from "@pi-chronicle/core/definition";
import { engineSetting, namesIn } from "../../local/index.ts";
import { exitCodes, shortTime } from "../../pi/index.ts";
import { type Command, type CommandResponse, failed, misuse } from "../commands/index.ts";
import { loadEngine } from "../load-engine.ts";
import { commandAbout, nextStep } from "../phrases/index.ts";
import { dataFolder, type EngineCall, wholeNumber } from "./engine-call.ts";
import { showMetrics } from "./engine-metrics.ts";
import { runSchedule, scheduleHere } from "./engine-schedule.ts";
import { runWorker } from "./engine-worker.ts";

type EngineStatus = Awaited<ReturnType<EngineCall["engine"]["readStatus"]>>;
type StuckRun = EngineStatus["stuck"][number];
type EngineVerb = (call: EngineCall) => Promise<CommandResponse>;

const parts: Readonly<Record<string, EngineVerb>> = {
	init: setUp,
	limit: limitRuns,
	worker: runWorker,
	status: showStatus,
	metrics: showMetrics,
	drain,
	schedule: runSchedule,
	doctor: examineHost,
};

/** Parts that work without the tables of this version. */
const unversioned: ReadonlySet<string> = new Set(["init", "doctor"]);

export const engineCommand: Command = {
	name: "engine",
	takes:
		"init | worker | status | metrics | drain [host] | limit <project|queue|provider> <name> | schedule add|list|remove | doctor",
	details: `Runs shared by many hosts: any host takes a run, and another continues it when that host dies.
init creates the tables in the database, and with --project a project; it is idempotent. worker takes runs until SIGTERM, then returns each run
when its state ends (second signal: immediately). drain requests that of a host remotely, by its name or the id that status shows. status names runs that do not continue, why, and the command that helps.
metrics prints OpenMetrics text, keeps it in a file (--file), or serves it on loopback (--port). limit throttles runs; without --most and --rate it is lifted.
schedule add "0 3 * * 1-5" <template> <task…> starts a run at these times (minute hour day month weekday), with the files that the remote's branch
has then; without an engine it prints the lines for crontab and systemd. list shows schedules and what became of them; remove takes one.`,
	exits: "0, 1 a check failed or the engine is unreachable, 2 usage",
	runs: "none",
	shellOptions: `  --queues <a,b>    init: queues to create; worker: queues to serve (default: runs)
  --labels <a,b>    worker: labels that the host offers
  --members <a,b>   init: database users with access to the project
  --most <n>        init: concurrent runs of the project; limit: concurrent runs
  --rate <n>        init: runs of the project started per minute; limit: runs started per minute
  --slots <n>       worker: concurrent runs (default: 4)
  --config <file>   worker: projects to serve (default: the one in this folder)
  --setup <command> worker: command that prepares each new working folder of this folder's project
  --env <A,B_*>     worker: more variables for workers and commands of this folder's project
  --data <folder>   worker: parent of its working folders (default: chronicle/engine/<name> in pi's agent folder)
  --port <n>        metrics: serve http://127.0.0.1:<n>/metrics until stopped
  --file <path>     metrics: rewrite the file every 15s until stopped
  --zone <zone>     schedule: time zone of its times (default: this machine's)
  --branch <branch> schedule: branch to start from (default: the remote's HEAD)
  --overlap         schedule: start a run although the one before is not over
  --queue <queue>  --labels <a,b>  --priority <n>  --model <model>  --approve-cleanup  --without-cleanup   schedule: as for run
  --name <name>     worker: its name (default: the host name)
  --lease <seconds> worker: silence after which others take its runs (default: 8)
  --log <format>    worker: json or text (default: text on a terminal, otherwise json)
`,
	needs: "nothing",
	async perform(call) {
		const [name = "", ...rest] = call.parsed.names;
		const part = parts[name];
		if (!part) return misuse(`Name a subcommand: engine ${Object.keys(parts).join(" | ")}.`);
		const setting = engineSetting(call.parsed.values, call.project.place);
		if (!setting && name === "schedule") return scheduleHere(call);
		if (!setting) return misuse("Name the engine's database: --engine postgres://user@host/database.");
		const loaded = await loadEngine();
		if (!loaded.ok) return failed(loaded.failure, exitCodes.failed);
		const engine = loaded.value;
		const opened = await engine.openDatabase(setting.url, call.host.prefix);
		if (!opened.ok) return failed(opened.failure, exitCodes.failed);
		const database = opened.value;
		try {
			const wrong = unversioned.has(name) ? undefined : await engine.checkVersion(database);
			return wrong ? failed(wrong, exitCodes.failed) : await part({ ...call, engine, database, setting, rest });
		} catch (error) {
			return failed(engine.databaseFailure(error, database), exitCodes.failed);
		} finally {
			await database.close();
		}
	},
};

async function setUp({ engine, database, parsed: { values }, setting }: EngineCall): Promise<CommandResponse> {
	const limits = limitsIn(values);
	if (typeof limits === "string") return misuse(limits);
	const surplus = ["queues", "labels", "members", "most", "rate"].find((name) => values[name] !== undefined);
	if (setting.project === undefined && surplus !== undefined)
		return misuse(`--${surplus} is about a project: name it with --project.`);
	const done = await engine.setUpEngine(database, {
		project: setting.project,
		queues: namesIn(values.queues),
		labels: namesIn(values.labels),
		members: namesIn(values.members),
		...limits,
	});
	return "reason" in done ? failed(done, exitCodes.failed) : { kind: "done", lines: done, data: { notes: done } };
}

interface GivenLimits {
	readonly most: number | undefined;
	readonly perMinute: number | undefined;
}

/** `--most` and `--rate`; a string is an error message. */
function limitsIn({ most, rate }: Readonly<Record<string, string>>): GivenLimits | string {
	const given = { most: wholeNumber(most), perMinute: wholeNumber(rate) };
	const isWrong = Number.isNaN(given.most) || Number.isNaN(given.perMinute);
	return isWrong ? "--most and --rate take a whole number above 0." : given;
}

async function limitRuns({ engine, database, parsed: { values }, rest }: EngineCall): Promise<CommandResponse> {
	const [written, name, surplus] = rest;
	const kind = engine.limitKinds.find((one) => one === written);
	const kinds = engine.limitKinds.join("|");
	if (!kind || name === undefined || surplus !== undefined)
		return misuse(
			`limit needs a ${kinds.replaceAll("|", ", ")} and its name: engine limit <${kinds}> <name> [--most <n>] [--rate <n>].`,
		);
	const limits = limitsIn(values);
	if (typeof limits === "string") return misuse(limits);
	if (!(await engine.isLimitable(database, kind, name)))
		return misuse(
			`The engine has no ${kind} "${name}".${name.includes("/") ? " Leave out the project and the labels." : ""}`,
		);
	await engine.setLimit(database, { kind, name, ...limits });
	const { most, perMinute } = limits;
	const text = limitText({ most: most ?? null, perMinute: perMinute ?? null }) || "no limit";
	return { kind: "done", lines: [`Runs of the ${kind} ${name}: ${text}.`], data: { kind, name, most, perMinute } };
}

/** `2 of 3 concurrent, 5 of 60 taken per minute`; without the present figures, only the limits. */
function limitText(limit: {
	readonly most: number | null;
	readonly perMinute: number | null;
	readonly held?: number;
	readonly taken?: number;
}): string {
	const { most, perMinute, held, taken } = limit;
	const of = (now: number | undefined): string => (now === undefined ? "" : `${now} of `);
	return [
		...(most === null ? [] : [`${of(held)}${most} concurrent`]),
		...(perMinute === null ? [] : [`${of(taken)}${perMinute} started per minute`]),
	].join(", ");
}

async function showStatus({ engine, database, setting, host: { prefix } }: EngineCall): Promise<CommandResponse> {
	const { stuck: found, ...status } = await engine.readStatus(database);
	const stuck = found.map((run) => describeStuck(run, prefix, setting.project));
	const lines = [
		`engine at ${database.name}`,
		...status.hosts.map(hostLine),
		...(status.hosts.length === 0 ? [`  no hosts: start one with ${prefix}engine worker`] : []),
		...status.queues.map(
			({ name, waiting, active, oldest }) =>
				`  queue ${name}: ${waiting} waiting${oldest === null ? "" : `, the oldest for ${shortTime(oldest * 1000)}`}, ${active} active`,
		),
		...status.limits.map(
			(limit) =>
				`  limit of ${limit.kind} ${limit.name}: ${limitText(limit)}${limit.waiting > 0 ? `; ${counted(limit.waiting, "run waits", "runs wait")}` : ""}`,
		),
		...status.channels
			.filter(({ waiting, failed }) => waiting + failed > 0)
			.map(({ name, waiting, failed }) => `  notices on ${name}: ${waiting} not sent yet, ${failed} given up`),
		`  runs: ${status.runs.map((one) => `${one.count} ${one.status}`).join(", ") || "none"}`,
		...stuck.flatMap(({ id, project, status: at, since, why, help }) => [
			`  ${id.slice(0, 8)} of ${project}, ${at.replaceAll("_", " ")} for ${shortTime(Date.now() - Date.parse(since))}: ${why}`,
			...(help === "" ? [] : [`    ${help}`]),
		]),
		...(status.dead > 0 ? [`  failed jobs, to be parked: ${status.dead}`] : []),
	];
	return { kind: "done", lines, data: { ...status, stuck } };
}

function hostLine(host: EngineStatus["hosts"][number]): string {
	const { id, name, pid, slots, labels, held, version, seconds } = host;
	const state = host.state === "full" ? "disk full" : host.state;
	const offers = labels.length > 0 ? `, offers ${labels.join(", ")}` : "";
	return `  host ${name} (${id.slice(0, 8)}, pid ${pid}, ${version}): ${held} of ${slots} slots, ${state}, seen ${shortTime(seconds * 1000)} ago${offers}`;
}

/** Why a run does not continue, and what helps: commands of this package, or a sentence. */
function describeStuck({ run, why, help, ...stuck }: StuckRun, prefix: string, project: string | undefined) {
	const about = project === stuck.project ? "" : ` --project ${stuck.project}`;
	const command = (words: string): string => `${prefix}${words}${about}`;
	if (!run) return { ...stuck, why: why ?? "", help: !help ? "" : "text" in help ? help.text : command(help.command) };
	const next = nextStep(run);
	const commands = next?.commands ?? ["resume"];
	return {
		...stuck,
		why: next?.what ?? "No host has it, and none is to take it.",
		help: commands.map((words) => command(commandAbout(run, words))).join(" · "),
	};
}

async function drain({ engine, database, rest }: EngineCall): Promise<CommandResponse> {
	const [name, surplus] = rest;
	if (surplus !== undefined) return misuse("drain needs one host name.");
	const drained = await engine.drainHosts(database, name);
	if ("ambiguous" in drained) {
		const ids = drained.ambiguous.map((id) => id.slice(0, 8)).join(", ");
		return misuse(`Several hosts are called ${name}: name one by its id (${ids}).`);
	}
	const { asked } = drained;
	const lines = asked.map(({ id, name: of }) => `${of} (${id.slice(0, 8)}) drains.`);
	if (asked.length === 0 && name !== undefined) return misuse(`There is no host ${name}.`);
	return { kind: "done", lines: asked.length === 0 ? ["There is no host to drain."] : lines, data: { asked } };
}

async function examineHost({ engine, database, project, parsed: { values } }: EngineCall): Promise<CommandResponse> {
	const data = dataFolder(project.place.agentFolder, values.data, "doctor");
	const findings = await engine.examine(database, project, data);
	const lines = findings.map(({ what, ok, text }) => `${ok ? "ok  " : "FAIL"} ${what}: ${text}`);
	const exitCode = findings.every(({ ok }) => ok) ? exitCodes.done : exitCodes.failed;
	return { kind: "done", lines, data: { findings }, exitCode };
}
