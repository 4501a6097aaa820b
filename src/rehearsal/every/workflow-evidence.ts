// The evidence of a workflow's run, from the entries of its session and its calls.
import { readFileSync } from "node:fs";
import type { PlayedVisit } from "../visits.ts";
import { probeCue } from "./chronicle-script.ts";
import { type Evidence, NOT_STARTED, rejection } from "./coverage.ts";
import { limitOf } from "./workflow-limits.ts";
import { type Flow, type FlowPhase, flowOf, idOf, scopeIdOf, type WorkflowDefinitions } from "./workflow-script.ts";

/** The fields of a session's entries that are read here; docs/workflows.md has their shape. */
interface Entry {
	readonly type?: string;
	readonly customType?: string;
	readonly data?: State;
	readonly message?: {
		readonly role?: string;
		readonly content?: unknown;
		readonly toolName?: string;
		readonly details?: { readonly error?: string };
	};
}

interface State {
	readonly active: boolean;
	readonly cancelled: boolean;
	readonly currentPath: readonly {
		readonly workflowKey: string;
		readonly phaseIndex: number;
		readonly loops?: number;
	}[];
	readonly paused?: { readonly by: string; readonly why?: string };
	readonly left?: { readonly way: string; readonly by?: "person" };
}

/** Reads the entries of a session. Throws I/O errors. */
export function readSession(file: string): Entry[] {
	return readFileSync(file, "utf8")
		.split("\n")
		.filter((line) => line !== "")
		.map((line) => JSON.parse(line) as Entry);
}

/** The evidence of one run. `visits`: from its journal. */
export function workflowEvidence(
	definitions: WorkflowDefinitions,
	key: string,
	entries: readonly Entry[],
	visits: readonly PlayedVisit[],
): Evidence {
	const fold = new SessionFold(flowOf(definitions, key));
	for (const entry of entries) fold.add(entry);
	const { covered, broken, end } = fold;
	for (const { scope, id, calls } of visits)
		for (const call of calls) {
			if (!call.with.includes(probeCue.mark)) continue;
			if (call.outcome === "refused") covered.add(`tools:${scope}/${id}`);
			else broken.set(`tools:${scope}/${id}`, `${call.tool} was not refused`);
		}
	return { covered, broken, end };
}

/** Follows a run from entry to entry. */
class SessionFold {
	readonly covered = new Set<string>();
	readonly broken = new Map<string, string>();
	end: string = NOT_STARTED;
	private place: FlowPhase | undefined;
	private readonly flow: Flow;

	constructor(flow: Flow) {
		this.flow = flow;
	}

	add({ type, customType, data, message }: Entry): void {
		if (type === "custom" && customType === "workflow:state" && data) this.onState(data);
		if (type !== "message" || !message || !this.place) return;
		if (message.role === "toolResult" && message.toolName === "workflow_step")
			this.onRefusal(this.place, message.details?.error);
		if (
			message.role === "user" &&
			JSON.stringify(message.content).includes(JSON.stringify(rejection.words).slice(1, -1))
		)
			this.covered.add(`person:${idOf(this.place)}:no`);
	}

	private onRefusal(place: FlowPhase, error: string | undefined): void {
		if (error === "person-decides") this.covered.add(`limit:next:${idOf(place)}`);
		if (error === "loops-used-up" || error === "not-loopable") this.covered.add(`limit:loops:${scopeIdOf(place)}`);
	}

	private onState(state: State): void {
		const { left, currentPath, paused, active, cancelled } = state;
		if (left && this.place) this.onMove(this.place, left);
		const id = idOf({ position: currentPath });
		this.place = this.flow.phases.find((place) => idOf(place) === id);
		if (!this.place) return;
		const { workflowKey = "", loops = 0 } = currentPath.at(-1) ?? {};
		const max = this.flow.definitions.get(workflowKey)?.maxLoops;
		if (max !== undefined && loops > max)
			this.broken.set(`limit:loops:${scopeIdOf(this.place)}`, `loop ${loops} was made`);
		if (paused) this.onPause(this.place, paused.by, paused.why ?? "");
		else if (!active) this.end = cancelled ? "it was canceled" : "it reached its end";
		else this.end = `it stopped in ${this.place.text}`;
	}

	private onMove(from: FlowPhase, { way, by }: NonNullable<State["left"]>): void {
		const id = idOf(from);
		switch (way) {
			case "next":
				this.covered.add(`move:${id}`);
				if (by === "person") this.covered.add(`person:${id}:yes`);
				else if (from.phase.advance === "person") this.broken.set(`limit:next:${id}`, "the agent ended it");
				return;
			case "loop":
			case "back":
				this.covered.add(`${way}:${id}`);
		}
	}

	private onPause(place: FlowPhase, by: string, why: string): void {
		this.end = `it paused in ${place.text}${why === "" ? "" : `: ${why}`}`;
		if (by === "reminders") this.covered.add("limit:reminders");
		if (by !== "bounds") return;
		if (why.includes("calls of tools")) this.covered.add(`limit:calls${limitOf(this.flow, place, "calls").owner}`);
		else if (why.includes("requests to the model"))
			this.covered.add(`limit:requests${limitOf(this.flow, place, "requests").owner}`);
		else this.covered.add("limit:circling");
	}
}
