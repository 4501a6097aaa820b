// The figures of an engine in the text format of OpenMetrics 1.0 (https://prometheus.io/docs/specs/om/open_metrics_spec/).
import type { EngineStatus } from "./status.ts";

type Host = EngineStatus["hosts"][number];
type Queue = EngineStatus["queues"][number];
type Labels = Readonly<Record<string, string>>;
type Figure<T> = readonly [name: string, help: string, read: (subject: T) => number | undefined];

const hostGauges: readonly Figure<Host>[] = [
	["up", "Whether the host renews its lease", ({ state }) => (state === "silent" ? 0 : 1)],
	["slots", "Runs that the host can have at the same time", ({ slots }) => slots],
	["slots_used", "Runs that the host has", ({ held }) => held],
	["disk_free_bytes", "Bytes free for working folders", ({ figures }) => figures.diskFree],
];

const hostCounters: readonly Figure<Host>[] = [
	["attempts", "Attempts that the host has begun", ({ figures }) => figures.attempts],
	["takeovers", "Runs taken from dead hosts", ({ figures }) => figures.takeovers],
	["statement_errors", "Statements that failed", ({ figures }) => figures.statementErrors],
];

const queueGauges: readonly Figure<Queue>[] = [
	["queue_waiting", "Jobs that wait", ({ waiting }) => waiting],
	["queue_active", "Jobs that a host has", ({ active }) => active],
	["queue_oldest_seconds", "For how long the oldest job has waited", ({ oldest }) => oldest ?? 0],
];

const channelGauges: readonly Figure<EngineStatus["channels"][number]>[] = [
	["notices_waiting", "Notices that have not arrived yet", ({ waiting }) => waiting],
	["notices_failed", "Notices that were given up", ({ failed }) => failed],
	["notices_sent", "Notices that have arrived, of the runs that exist", ({ sent }) => sent],
	["notices_oldest_seconds", "For how long the oldest notice has waited", ({ oldest }) => oldest ?? 0],
];

const stuckHelp = "Runs that do not continue by themselves, of those that status names";

/** The figures as text. */
export function metricsText({ hosts, queues, runs, spend, channels, stuck, dead }: EngineStatus): string {
	const stuckRuns = [...Map.groupBy(stuck, (run) => run.status)].map(([status, of]) => ({ status, count: of.length }));
	const ofHost = ({ name, id }: Host): Labels => ({ host: name, host_id: id });
	const inStatus = ({ status }: { status: string }): Labels => ({ status });
	const ofProject = ({ project }: { project: string }): Labels => ({ project });
	return [
		...hostGauges.map((figure) => familyText("gauge", figure, hosts, ofHost)),
		...hostCounters.map((figure) => familyText("counter", figure, hosts, ofHost)),
		...queueGauges.map((figure) => familyText("gauge", figure, queues, ({ name }) => ({ queue: name }))),
		...channelGauges.map((figure) => familyText("gauge", figure, channels, ({ name }) => ({ channel: name }))),
		familyText("gauge", ["runs", "Runs, each with its children", ({ count }) => count], runs, inStatus),
		familyText("gauge", ["runs_stuck", stuckHelp, ({ count }) => count], stuckRuns, inStatus),
		familyText("gauge", ["jobs_dead", "Runs that were given up and are not parked yet", () => dead], [{}], () => ({})),
		familyText("gauge", ["spend_usd", "Spend of the runs that exist", ({ costUsd }) => costUsd], spend, ofProject),
		familyText("gauge", ["spend_tokens", "Tokens of the runs that exist", ({ tokens }) => tokens], spend, ofProject),
		"# EOF\n",
	].join("");
}

function familyText<T>(
	type: "gauge" | "counter",
	[short, help, read]: Figure<T>,
	subjects: readonly T[],
	labelsOf: (subject: T) => Labels,
): string {
	const name = `chronicle_${short}`;
	const lines = subjects.flatMap((subject) => {
		const value = read(subject);
		const pairs = Object.entries(labelsOf(subject)).map(([label, text]) => `${label}="${escaped(text)}"`);
		const labels = pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
		return value === undefined ? [] : [`${name}${type === "counter" ? "_total" : ""}${labels} ${value}\n`];
	});
	return `# TYPE ${name} ${type}\n# HELP ${name} ${escaped(help)}.\n${lines.join("")}`;
}

function escaped(text: string): string {
	return text.replace(/[\\"\n]/g, (sign) => (sign === "\n" ? "\\n" : `\\${sign}`));
}
