// A run as a trace: run → visit → attempt → model message and tool call, with the names of OpenTelemetry's conventions for generative AI. Pure.
// https://opentelemetry.io/docs/specs/semconv/gen-ai/
import { type Launch, RunHistory, type Visit } from "@pi-chronicle/core/history";
import type { LedgerEvent, Run, Spend } from "@pi-chronicle/core/machine";
import { type WorkItem, WorkReader } from "../report/index.ts";

/** One span. Times are milliseconds since the epoch. */
export interface RunSpan {
	readonly name: string;
	/** `client`: a request to the model's provider. */
	readonly kind: "internal" | "client";
	/** Index of its parent in the list; absent: the root. */
	readonly parent?: number;
	readonly from: number;
	readonly to: number;
	readonly attributes: Readonly<Record<string, string | number | boolean>>;
	/** Why it failed; absent: it did not. */
	readonly failed?: string;
}

/** The spans of a run, each after its parent. Empty if there is no event that starts a run. */
export async function spansOf(events: AsyncIterable<LedgerEvent>): Promise<readonly RunSpan[]> {
	const history = new RunHistory();
	const reader = new WorkReader();
	const work: WorkItem[] = [];
	let [began, ended] = [0, 0];
	for await (const event of events) {
		const step = history.take(event);
		if (!step) continue;
		began ||= step.at;
		ended = step.at;
		const done = step.before && reader.take(event, step.before, step.after, step.at);
		if (done) work.push(done);
	}
	const { run } = history;
	if (!run) return [];
	const spans: RunSpan[] = [runSpan(run, began, ended)];
	for (const visit of history.visits) addVisit(spans, run, visit, { ended, work });
	return spans;
}

function runSpan(run: Run, from: number, to: number): RunSpan {
	const { id, template, status, totals, parent } = run;
	return {
		name: `chronicle ${template.name}`,
		kind: "internal",
		...{ from, to },
		attributes: {
			"chronicle.run.id": id,
			"chronicle.template": template.name,
			"chronicle.status": status,
			"chronicle.cost_usd": totals.costUsd,
			"chronicle.tokens": totals.tokens,
			...(parent ? { "chronicle.parent.run.id": parent.run } : {}),
		},
		...(status === "failed" ? { failed: "failed" } : {}),
	};
}

function addVisit(
	spans: RunSpan[],
	run: Run,
	visit: Visit,
	{ ended, work }: { readonly ended: number; readonly work: readonly WorkItem[] },
): void {
	const { number, state, beganAt, endedAt = ended, spend, undone } = visit;
	const own = spans.push({
		name: `visit ${number} ${state}`,
		kind: "internal",
		parent: 0,
		...{ from: beganAt, to: endedAt },
		attributes: {
			...{ "chronicle.visit": number, "chronicle.state": state, "chronicle.undone": undone },
			"chronicle.cost_usd": spend.costUsd,
		},
	});
	for (const launch of visit.launches) {
		const parent = spans.push(attemptSpan(run, state, launch, { parent: own - 1, ended })) - 1;
		for (const item of work)
			if (item.visit === number && isDoneBy(item, launch, visit.launches)) spans.push(workSpan(item, launch, parent));
	}
}

/** The span of what the process `launch` did. */
function workSpan(item: WorkItem, launch: Launch, parent: number): RunSpan {
	const { from, to } = item;
	if (item.kind === "model") return { kind: "client", parent, from, to, ...chat(item.spend, launch) };
	const { tool, call, outcome, rule } = item;
	const failed = outcome === "ok" ? {} : { failed: rule === undefined ? "failed" : `blocked by ${rule}` };
	return {
		...{ name: `execute_tool ${tool}`, kind: "internal", parent, from, to },
		attributes: { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": tool, "gen_ai.tool.call.id": call },
		...failed,
	};
}

function chat(
	{ input, output, cacheRead, cacheWrite, costUsd }: Spend,
	{ model }: Launch,
): Pick<RunSpan, "name" | "attributes"> {
	const asked = modelAttributes(model);
	const name = asked["gen_ai.request.model"];
	return {
		name: `chat ${name ?? ""}`.trim(),
		attributes: {
			"gen_ai.operation.name": "chat",
			// As the conventions have it, tokens of the cache are part of the input.
			"gen_ai.usage.input_tokens": input + cacheRead + cacheWrite,
			"gen_ai.usage.output_tokens": output,
			"gen_ai.usage.cache_read.input_tokens": cacheRead,
			"gen_ai.usage.cache_creation.input_tokens": cacheWrite,
			"chronicle.cost_usd": costUsd,
			...asked,
			...(name === undefined ? {} : { "gen_ai.response.model": name }),
		},
	};
}

const badEnds: ReadonlySet<string> = new Set(["failed", "crashed", "timed_out", "lost", "unstarted"]);

function attemptSpan(
	run: Run,
	state: string,
	launch: Launch,
	{ parent, ended }: { parent: number; ended: number },
): RunSpan {
	const { visit, attempt, reservedAt, startedAt = reservedAt, endedAt = ended, model, command, end } = launch;
	const isCommand = command !== undefined || run.plan.states.get(state)?.command !== undefined;
	const isBad = badEnds.has(end.kind);
	return {
		name: `${isCommand ? "run_command" : "invoke_agent"} ${state}`,
		kind: "internal",
		...{ parent, from: startedAt, to: Math.max(startedAt, endedAt) },
		attributes: {
			...(isCommand
				? { "process.command_line": command ?? "" }
				: {
						"gen_ai.operation.name": "invoke_agent",
						"gen_ai.agent.name": state,
						"gen_ai.conversation.id": `${run.id}/${visit}.${attempt}`,
					}),
			...modelAttributes(model),
			...{ "chronicle.attempt": attempt, "chronicle.launch": launch.launch, "chronicle.end": end.kind },
		},
		...(isBad ? { failed: end.words } : {}),
	};
}

/** Whether the process did the work: of those of its attempt, it is the last that had begun. */
function isDoneBy({ attempt, to }: WorkItem, launch: Launch, launches: readonly Launch[]): boolean {
	const own = launches.filter((one) => one.attempt === attempt);
	return (own.findLast(({ startedAt }) => startedAt !== undefined && startedAt <= to) ?? own[0]) === launch;
}

/** Of a model `provider/id`. */
function modelAttributes(model = ""): { "gen_ai.provider.name"?: string; "gen_ai.request.model"?: string } {
	const [, provider, name] = /^(?:(.*?)\/)?(.+)$/.exec(model) ?? [];
	return {
		...(provider ? { "gen_ai.provider.name": provider } : {}),
		...(name ? { "gen_ai.request.model": name } : {}),
	};
}
