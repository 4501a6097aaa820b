// The evidence of a chronicle's run, from its ledger and the calls of its workers.
import { basename, extname } from "node:path";
import type { CommandEnded, LedgerEvent } from "@pi-chronicle/core/machine";
import type { Template } from "@pi-chronicle/core/template";
import { commandStates, waysOf } from "../commands.ts";
import type { PlayedVisit } from "../visits.ts";
import { keyOfApproval, personState, probeCue, wayId } from "./chronicle-script.ts";
import { type Evidence, NOT_STARTED } from "./coverage.ts";

/** What a ledger is of: the name of the run's template, and the run's own name if it is a child run. */
export function ledgerOrigin([created]: readonly LedgerEvent[]): {
	readonly name: string;
	readonly child: string | undefined;
	/** Id of the first run, in a child run. */
	readonly root: string | undefined;
} {
	const { template, parent } = created?.kind === "created" ? created : {};
	const { file, name = "" } = template ?? {};
	return {
		name: file === undefined ? name : basename(file, extname(file)),
		child: parent?.name,
		root: parent?.root,
	};
}

/** The evidence of one run. `visits`: from its journal. `of`: in a child run, the name of its template. */
export function chronicleEvidence(
	template: Template,
	events: readonly LedgerEvent[],
	visits: readonly PlayedVisit[],
	of?: string,
): Evidence {
	const fold = new LedgerFold(template);
	for (const event of events) fold.add(event);
	const { covered, broken, end } = fold;
	for (const { id, scope, calls } of visits)
		for (const call of scope === of ? calls : []) {
			if (!call.with.includes(probeCue.mark)) continue;
			if (call.outcome === "refused") covered.add(`tools:${id}`);
			else broken.set(`tools:${id}`, `${call.tool} was not refused`);
		}
	return { covered, broken, end };
}

/** Follows a run from event to event. */
class LedgerFold {
	readonly covered = new Set<string>();
	readonly broken = new Map<string, string>();
	end: string = NOT_STARTED;
	private state: string;
	/** Target of the pending move request. */
	private target: string | undefined;
	/** Approval that was given but has not taken effect yet. */
	private approved: string | undefined;
	/** The last question of a worker to the user. */
	private question = { call: "", answered: false };

	private readonly template: Template;
	/** The end of the last command. */
	private ended: CommandEnded | undefined;

	constructor(template: Template) {
		this.template = template;
		this.state = template.initial;
	}

	add(event: LedgerEvent): void {
		switch (event.kind) {
			case "attempt_reserved":
				this.onEffect();
				if (event.because === "repeated") this.covered.add(`move:${this.state}>${this.state}`);
				return;
			case "move_requested":
				this.target = event.target;
				return;
			case "approved":
				this.approved = this.asked();
				return;
			case "rejected":
				this.covered.add(`approval:${this.asked()}:no`);
				this.target = undefined;
				return;
			case "ask_opened":
				if (event.call !== undefined) this.question = { call: event.call, answered: false };
				return;
			case "ask_answered":
				this.question.answered = true;
				return;
			case "tool_ended":
				if (event.call === this.question.call && this.question.answered) this.covered.add(`question:${this.state}`);
				return;
			case "command_ended":
				this.ended = event;
				return;
			case "moved":
				this.onMove(event);
				return;
			case "parked":
				this.end = `it paused: ${event.detail}`;
				return;
			case "finished":
				this.onEffect();
				this.end = event.status === "done" ? "it reached its end" : `it ended as ${event.status}`;
				if (this.template.states.get(this.state)?.persona) this.covered.add(`move:${this.state}>done`);
		}
	}

	/** The approval being asked for: of the requested move, or of the first state if there is none. */
	private asked(): string | undefined {
		const { target, state, template } = this;
		return target === undefined ? `entry:${state}` : keyOfApproval(template, state, target);
	}

	private onEffect(): void {
		if (this.approved !== undefined) this.covered.add(`approval:${this.approved}:yes`);
		this.approved = undefined;
	}

	/** The way that the command of `from` has taken. */
	private showWay(from: string): void {
		const state = commandStates(this.template).find(({ name }) => name === from);
		const { result, output = "" } = this.ended ?? {};
		if (!state || result?.kind !== "exited") return;
		const code = String(result.code);
		const way = waysOf(state).find(({ name, end }) => name === code || (end.prints !== "" && end.prints === output));
		this.covered.add(wayId(from, way?.name ?? "else"));
	}

	private onMove({ from, to, cause }: Extract<LedgerEvent, { kind: "moved" }>): void {
		this.onEffect();
		switch (cause) {
			case "worker":
				if (this.target === undefined)
					this.broken.set(`approval:${keyOfApproval(this.template, from, to)}:no`, "the run moved on");
				this.covered.add(`move:${from}>${to}`);
				break;
			case "command":
				this.covered.add(`move:${from}>${to}`);
				this.showWay(from);
				break;
			case "children":
			case "released":
				this.covered.add(`move:${from}>${to}`);
		}
		if (to === personState) this.end = `it waits for the user in ${personState} (${cause})`;
		this.state = to;
		this.target = undefined;
	}
}
