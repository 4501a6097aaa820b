// The evidence of a workflow's run, from the entries of its session and its calls.
import { readFileSync } from "node:fs";
import { isRecord, isText, object, optional, parseUntrusted, propertiesOf } from "@pi-chronicle/core/definition";
import { readState, type StoredState, stateType } from "../../../workflow/index.ts";
import type { PlayedVisit } from "../visits.ts";
import { probeCue } from "./chronicle-script.ts";
import { type Evidence, NOT_STARTED, rejection } from "./coverage.ts";
import { type Flow, type FlowPhase, flowOf, idOf, type WorkflowDefinitions } from "./workflow-script.ts";

/** The fields of a session's entries that are read here; docs/workflows.md has their shape. */
interface EvidenceLine {
	readonly type?: string | undefined;
	readonly customType?: string | undefined;
	readonly data?: unknown;
	readonly message?: Readonly<Record<string, unknown>> | undefined;
}

const isEvidenceLine = object<EvidenceLine>({
	type: optional(isText),
	customType: optional(isText),
	data: () => true,
	message: optional(isRecord),
});

/** Reads the entries of a session; lines that are none, such as a torn last one, are skipped. Throws I/O errors. */
export function readSession(file: string): EvidenceLine[] {
	return readFileSync(file, "utf8")
		.split("\n")
		.flatMap((line) => parseUntrusted(line, isEvidenceLine) ?? []);
}

/** The evidence of one run. `visits`: from its journal. */
export function workflowEvidence(
	definitions: WorkflowDefinitions,
	key: string,
	entries: readonly EvidenceLine[],
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

	add({ type, customType, data, message }: EvidenceLine): void {
		if (type === "custom" && customType === stateType) {
			const read = readState(data);
			if (read.kind === "state") this.onState(read.state);
		}
		if (type !== "message" || !message || !this.place) return;
		if (message.toolName === "workflow_step" && propertiesOf(message.details).error === "person-decides")
			this.covered.add(`person:${idOf(this.place)}:agent`);
		if (
			message.role === "user" &&
			JSON.stringify(message.content ?? "").includes(JSON.stringify(rejection.words).slice(1, -1))
		)
			this.covered.add(`person:${idOf(this.place)}:no`);
	}

	private onState(state: StoredState): void {
		const { left, currentPath, paused, active, cancelled } = state;
		if (left && this.place) this.onMove(this.place, left);
		const id = idOf({ position: currentPath });
		this.place = this.flow.phases.find((place) => idOf(place) === id);
		if (!this.place) return;
		if (paused) this.end = `it paused in ${this.place.text}${paused.why === undefined ? "" : `: ${paused.why}`}`;
		else if (!active) this.end = cancelled ? "it was canceled" : "it reached its end";
		else this.end = `it stopped in ${this.place.text}`;
	}

	private onMove(from: FlowPhase, { way, by }: NonNullable<StoredState["left"]>): void {
		const id = idOf(from);
		switch (way) {
			case "next":
				this.covered.add(`move:${id}`);
				if (by === "person") this.covered.add(`person:${id}:yes`);
				else if (from.phase.advance === "person") this.broken.set(`person:${id}:agent`, "the agent ended it");
				return;
			case "loop":
			case "back":
				this.covered.add(`${way}:${id}`);
		}
	}
}
