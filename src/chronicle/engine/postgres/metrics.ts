// The figures of an engine in the text format of OpenMetrics 1.0 (https://prometheus.io/docs/specs/om/open_metrics_spec/).
import type { EngineStatus } from "./status.ts";

type Labels = Readonly<Record<string, string>>;
type Sample = readonly [labels: Labels, value: number];

interface Family {
	readonly name: string;
	readonly type: "gauge" | "counter";
	readonly help: string;
	readonly samples: readonly Sample[];
}

/** The figures as text. */
export function metricsText(status: EngineStatus): string {
	return `${familiesOf(status).map(familyText).join("")}# EOF\n`;
}

/** Figures of one host each. */
function hostFamilies(hosts: EngineStatus["hosts"]): readonly Family[] {
	type Host = EngineStatus["hosts"][number];
	const family = (
		name: string,
		type: Family["type"],
		help: string,
		read: (host: Host) => number | undefined,
	): Family => {
		const samples = hosts.flatMap((host): Sample[] => {
			const value = read(host);
			return value === undefined ? [] : [[{ host: host.name, host_id: host.id }, value]];
		});
		return { name, type, help, samples };
	};
	return [
		family("up", "gauge", "Whether the host renews its lease", ({ state }) => (state === "silent" ? 0 : 1)),
		family("slots", "gauge", "Runs that the host can have at the same time", ({ slots }) => slots),
		family("slots_used", "gauge", "Runs that the host has", ({ held }) => held),
		family("disk_free_bytes", "gauge", "Bytes free for working folders", ({ figures }) => figures.diskFree),
		family("attempts", "counter", "Attempts that the host has begun", ({ figures }) => figures.attempts),
		family("takeovers", "counter", "Runs taken from dead hosts", ({ figures }) => figures.takeovers),
		family("statement_errors", "counter", "Statements that failed", ({ figures }) => figures.statementErrors),
	];
}

function familiesOf({ hosts, queues, runs, spend, stuck, dead }: EngineStatus): readonly Family[] {
	const gauge = (name: string, help: string, samples: readonly Sample[]): Family => ({
		...{ name, type: "gauge", help, samples },
	});
	const perQueue = (read: (queue: EngineStatus["queues"][number]) => number): readonly Sample[] =>
		queues.map((queue) => [{ queue: queue.name }, read(queue)]);
	const stuckIn = [...new Set(stuck.map(({ status }) => status))];
	return [
		...hostFamilies(hosts),
		gauge(
			"queue_waiting",
			"Jobs that wait",
			perQueue(({ waiting }) => waiting),
		),
		gauge(
			"queue_active",
			"Jobs that a host has",
			perQueue(({ active }) => active),
		),
		gauge(
			"queue_oldest_seconds",
			"For how long the oldest job has waited",
			perQueue(({ oldest }) => oldest ?? 0),
		),
		gauge(
			"runs",
			"Runs, each with its children",
			runs.map(({ status, count }) => [{ status }, count]),
		),
		gauge(
			"runs_stuck",
			"Runs that do not continue by themselves, of those that status names",
			stuckIn.map((status) => [{ status }, stuck.filter((run) => run.status === status).length]),
		),
		gauge("jobs_dead", "Runs that were given up and are not parked yet", [[{}, dead]]),
		gauge(
			"spend_usd",
			"Spend of the runs that exist",
			spend.map(({ project, costUsd }) => [{ project }, costUsd]),
		),
		gauge(
			"spend_tokens",
			"Tokens of the runs that exist",
			spend.map(({ project, tokens }) => [{ project }, tokens]),
		),
	];
}

function familyText({ name: short, type, help, samples }: Family): string {
	const name = `chronicle_${short}`;
	const suffix = type === "counter" ? "_total" : "";
	const lines = samples.map(([labels, value]) => `${name}${suffix}${labelsText(labels)} ${value}\n`);
	return `# TYPE ${name} ${type}\n# HELP ${name} ${escaped(help)}.\n${lines.join("")}`;
}

function labelsText(labels: Labels): string {
	const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
	return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escaped(text: string): string {
	return text.replace(/[\\"\n]/g, (sign) => (sign === "\n" ? "\\n" : `\\${sign}`));
}
