// A run of the machine for tests: numbers events as a ledger does, freezes every state, and passes events through JSON.

import { openSource } from "../../src/definition/index.ts";
import {
	type Action,
	decide,
	type EventBody,
	foldEvent,
	isRefusal,
	type LedgerEvent,
	NO_SPEND,
	pendingActions,
	type Run,
	type Spend,
	startRun,
} from "../../src/machine/index.ts";
import type { FileChange } from "../../src/snapshot/index.ts";
import { hashCommands, hashDefinition, readTemplate } from "../../src/template/index.ts";

export interface TestRun {
	readonly run: Run;
	readonly events: readonly LedgerEvent[];
	/** The events by appended batch. */
	readonly batches: readonly (readonly LedgerEvent[])[];
	/** Actions that the last event added. */
	readonly actions: readonly Action[];
	/** Reason of the last refusal; empty if the last event was accepted. */
	readonly refusal: string;
	/** Message of the last refusal. */
	readonly message: string;
	/** Records one event with the decisions that follow from it; on a host that offers these labels, where given. */
	say(body: EventBody, offered?: readonly string[]): TestRun;
	/** Milliseconds until the next event. */
	wait(ms: number): TestRun;
	/** The only pending action of this kind. */
	due<K extends Action["kind"]>(kind: K): Extract<Action, { kind: K }>;
}

export function definition(states: object, more: object = {}): object {
	return { name: "t", states, ...more };
}

export interface OpenOptions {
	readonly task?: string;
	readonly approve?: boolean;
	/** Definitions of the templates that its children run, by name. */
	readonly children?: Readonly<Record<string, object>>;
	readonly readOnlyAgents?: readonly string[];
	/** It works in a copy of the project. */
	readonly apart?: true;
}

/** Starts a run of a template. Cleanup commands count as approved. */
export function open(template: object, more: OpenOptions = {}): TestRun {
	const { read, diagnostics } = readTemplate(openSource("/t.json", JSON.stringify(template)), "t");
	if (!read) throw new Error(JSON.stringify(diagnostics));
	const cleanup = hashCommands(read.template);
	const first: LedgerEvent = {
		kind: "created",
		schemaVersion: 1,
		id: "00000000-0000-4000-8000-000000000000",
		template: {
			name: "t",
			hash: read.hash,
			definition: read.definition,
			...(more.children ? { children: pinned(more.children) } : {}),
			...(more.readOnlyAgents ? { readOnlyAgents: more.readOnlyAgents } : {}),
		},
		task: more.task ?? "do it",
		...(more.apart ? { apart: true } : {}),
		...(cleanup && more.approve !== false ? { cleanupApproval: cleanup } : {}),
		seq: 1,
		at: new Date(Date.UTC(2030, 0, 1)).toISOString(),
	};
	return resume([first]);
}

function pinned(definitions: Readonly<Record<string, object>>) {
	return Object.fromEntries(
		Object.entries(definitions).map(([name, definition]) => [name, { hash: hashDefinition(definition), definition }]),
	);
}

/** Continues the run of these events. */
export function resume(events: readonly LedgerEvent[]): TestRun {
	const begun = refold(events);
	let at = Date.parse(begun.updatedAt);
	let { seq } = begun;
	const stamp = (body: EventBody): LedgerEvent => {
		seq += 1;
		at += 1000;
		return JSON.parse(JSON.stringify({ seq, at: new Date(at).toISOString(), ...body })) as LedgerEvent;
	};
	const state = {
		run: deepFreeze(begun),
		events: [...events],
		batches: events.map((event) => [event]),
		actions: pendingActions(begun),
		refusal: "",
		message: "",
	};
	const testRun: TestRun = {
		get run() {
			return state.run;
		},
		get events() {
			return state.events;
		},
		get actions() {
			return state.actions;
		},
		get refusal() {
			return state.refusal;
		},
		say(body, offered) {
			const batch = decide(state.run, body, new Date(at + 1000).toISOString(), offered);
			const before = new Set(pendingActions(state.run).map(({ key }) => key));
			state.refusal = isRefusal(batch) ? batch.reason : "";
			state.message = isRefusal(batch) ? batch.message : "";
			const events = isRefusal(batch) ? [] : batch.events.map(stamp);
			for (const event of events) state.run = deepFreeze(foldEvent(state.run, event));
			if (isRefusal(batch)) at += 1000;
			else if (state.run.stage.kind === "deciding" || state.run.stage.kind !== batch.run.stage.kind)
				throw new Error(`decided otherwise: ${JSON.stringify(events)}`);
			state.events.push(...events);
			state.batches.push(events);
			state.actions = isRefusal(batch) ? [] : pendingActions(state.run).filter(({ key }) => !before.has(key));
			return testRun;
		},
		get message() {
			return state.message;
		},
		get batches() {
			return state.batches;
		},
		wait(ms) {
			at += ms - 1000;
			return testRun;
		},
		due(kind) {
			const found = pendingActions(state.run).filter((action) => action.kind === kind);
			if (found.length !== 1) throw new Error(`${found.length} × ${kind} pending in ${state.run.stage.kind}`);
			return found[0] as never;
		},
	};
	return testRun;
}

/** The same run from its events alone. */
export function refold(events: readonly LedgerEvent[]): Run {
	const [first, ...rest] = events;
	const begun = first && startRun(JSON.parse(JSON.stringify(first)));
	if (!begun) throw new Error("no created event");
	return rest.reduce(foldEvent, begun);
}

// ── common steps ──

export function spend(tokens: number, costUsd = 0): Spend {
	return { ...NO_SPEND, input: tokens, tokens, costUsd };
}

let tree = 0;
/** A tree id that was never used before. */
export function newTree(): string {
	tree += 1;
	return tree.toString(16).padStart(40, "0");
}

/** Measures the baseline, if pending, and starts the worker. */
export function start(testRun: TestRun, files = newTree()): TestRun {
	if (testRun.run.stage.kind === "baselining")
		testRun.say({ kind: "files_measured", visit: testRun.run.visit, purpose: "baseline", tree: files });
	const { launch, conversation } = testRun.due("work");
	return testRun.say({
		kind: "worker_started",
		...launch,
		pid: 1,
		model: "m/m",
		conversation: conversation.kind === "continue" ? "continued" : "new",
	});
}

export function here(testRun: TestRun): { visit: number; attempt: number } {
	const { stage, visit, attempt } = testRun.run;
	return "launch" in stage && stage.launch
		? { visit: stage.launch.visit, attempt: stage.launch.attempt }
		: { visit, attempt };
}

export function ask(testRun: TestRun, target: string, summary = "done"): TestRun {
	return testRun.say({ kind: "move_requested", ...here(testRun), target, summary });
}

/** The worker ends, cleanup succeeds, files are measured. */
export function rest(testRun: TestRun, files = newTree(), changes: readonly FileChange[] = []): TestRun {
	if (testRun.run.stage.kind === "stopping" && testRun.run.stage.launch)
		testRun.say({ kind: "worker_ended", ...testRun.run.stage.launch, outcome: { kind: "stopped" } });
	for (let [next] = pendingActions(testRun.run); next?.kind === "clean_up"; [next] = pendingActions(testRun.run))
		testRun.say({ kind: "cleanup_ended", visit: next.visit, index: next.index, result: { kind: "exited", code: 0 } });
	const { visit } = testRun.due("measure_files");
	return testRun.say({ kind: "files_measured", visit, purpose: "changes", tree: files, changes });
}

/** The worker moves to `target`, ends, and files are measured. */
export function go(testRun: TestRun, target: string, summary = "done"): TestRun {
	return rest(ask(testRun, target, summary));
}

/** The worker crashes. */
export function crash(testRun: TestRun): TestRun {
	const { stage } = testRun.run;
	if (!("launch" in stage) || !stage.launch) throw new Error("no worker");
	return testRun.say({ kind: "worker_ended", ...stage.launch, outcome: { kind: "killed", signal: "SIGKILL" } });
}

/** Another supervisor takes over the run. */
export function reopen(testRun: TestRun): TestRun {
	return testRun.say({ kind: "opened", host: "h", pid: 2, started: "t" });
}

export function since(testRun: TestRun): number {
	const { stage } = testRun.run;
	if (stage.kind === "waiting" || stage.kind === "over") return stage.since;
	if (stage.kind === "asking") return stage.question.seq;
	throw new Error(`the run does not wait: ${stage.kind}`);
}

export function where(testRun: TestRun): string {
	const { status, state, visit, attempt, launch } = testRun.run;
	return `${status} ${state} ${visit}.${attempt}.${launch}`;
}

function deepFreeze<T>(value: T): T {
	if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
		Object.freeze(value);
		for (const inner of value instanceof Map ? value.values() : Object.values(value)) deepFreeze(inner);
	}
	return value;
}
