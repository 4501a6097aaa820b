// The machine: what a run becomes when something happens to it, and what has to be done then. It does nothing itself.
// M1 the run that goes in is never changed; M2 a run that is running always has a way on: `next` of a new message moves or ends it;
// M3 what is refused changes nothing but the open question whether to cancel; M4 a person can always abandon.
import type { Action, Event, Left, Refusal, Way } from "./event.ts";
import {
	currentPhase,
	definitionOf,
	loopedPosition,
	nextPosition,
	phaseAt,
	previousPosition,
	scopeOf,
} from "./position.ts";
import { relocate } from "./relocate.ts";
import { isActive, type LiveRun, type Position, type Run } from "./run.ts";

export interface Transition {
	readonly run: Run;
	readonly actions: readonly Action[];
}

/** How many phases `back` looks at before it gives up finding a name: more than any person has in mind. */
const farBack = 10_000;

/** Applies one event to a run. Never throws for any event; what cannot be done is a `refused` action. */
export function transition(run: Run, event: Event): Transition {
	if (!isActive(run)) return event.kind === "begun" ? still(run) : refuse(run, { kind: "ended" });
	switch (event.kind) {
		case "next":
		case "loop":
			return moveByModel(withoutQuestion(run), event);
		case "cancel":
			return cancelByModel(run, event);
		case "status":
		case "begun":
			return still(withoutQuestion(run));
		case "abandon":
			return end(withoutQuestion(run), "cancelled", undefined);
		case "skip":
		case "back":
			return moveByPerson(withoutQuestion(run), event);
		case "pause":
			if (run.standing.kind === "paused") return refuse(run, { kind: "already-paused" });
			return pause(run, event.by, event.why);
		case "resume":
			return resume(run);
		case "reload":
			return reload(run, event);
		case "spoken":
			return still({ ...withoutQuestion(run), reminders: none });
		case "worked":
			return still(run.reminders.row === 0 ? run : { ...run, reminders: { ...run.reminders, row: 0 } });
		case "stopped":
			return stop(run, event.patience);
		case "failed":
			return run.standing.kind === "paused" ? still(run) : pause(run, "error", event.why);
	}
}

const none = { row: 0, visit: 0 };

function still(run: Run): Transition {
	return { run, actions: [] };
}

function refuse(run: Run, refusal: Refusal): Transition {
	return { run, actions: [{ kind: "refused", refusal }] };
}

function withoutQuestion(run: Run): Run {
	return run.askedToCancel === undefined ? run : { ...run, askedToCancel: undefined };
}

function moveByModel(run: Run, event: Extract<Event, { kind: "next" | "loop" }>): Transition {
	if (run.kind === "stale") return refuse(run, { kind: "stale", missing: run.missing });
	if (run.standing.kind === "paused") return refuse(run, { kind: "paused" });
	if (run.movedBy === event.message) return refuse(run, { kind: "moved-already" });
	const moved: LiveRun = { ...run, movedBy: event.message };
	const { at, summary } = event;
	if (event.kind === "next")
		return move(moved, nextPosition(run.definitions, run.position), { way: "next", at, summary });

	const scope = scopeOf(run);
	if (!scope.loopable) return refuse(run, { kind: "not-loopable", scope: scope.name });
	const used = run.position.at(-1)?.loops ?? 0;
	if (scope.maxLoops !== undefined && used >= scope.maxLoops)
		return refuse(run, { kind: "loops-used-up", scope: scope.name, max: scope.maxLoops });
	return move(moved, loopedPosition(run.definitions, run.position), { way: "loop", at, summary });
}

function moveByPerson(run: Run, event: Extract<Event, { kind: "skip" | "back" }>): Transition {
	if (run.kind === "stale") return refuse(run, { kind: "stale", missing: run.missing });
	const { at } = event;
	if (event.kind === "skip")
		return move(run, nextPosition(run.definitions, run.position), { way: "skip", at, summary: undefined });
	const target = earlier(run, event.to);
	if (!target)
		return refuse(run, event.to === undefined ? { kind: "at-start" } : { kind: "no-earlier-phase", name: event.to });
	return move(run, target, { way: "back", at, summary: undefined });
}

/** The phase before the current one, or the nearest earlier one that is called `name`. */
function earlier(run: LiveRun, name: string | undefined): Position | undefined {
	let position = previousPosition(run.definitions, run.position);
	if (name === undefined) return position;
	const wanted = name.toLowerCase();
	for (let looked = 0; position && looked < farBack; looked++) {
		const phase = phaseAt(run.definitions, position);
		if (phase.id === name || phase.name.toLowerCase() === wanted) return position;
		position = previousPosition(run.definitions, position);
	}
	return undefined;
}

interface Move {
	readonly way: Way;
	readonly at: number;
	readonly summary: string | undefined;
}

function move(run: LiveRun, to: Position | undefined, { way, at, summary }: Move): Transition {
	const left: Left = { way, summary };
	if (!to) return end({ ...run, step: run.step + 1, since: at }, "done", left);
	return {
		run: { ...run, position: to, step: run.step + 1, since: at, reminders: none },
		actions: [
			{ kind: "persist", left },
			{ kind: "moved", from: run.position, to, way },
		],
	};
}

function end(run: Run, how: "done" | "cancelled", left: Left | undefined): Transition {
	return {
		run: { ...run, standing: { kind: how } },
		actions: [
			{ kind: "persist", left },
			{ kind: "ended", how },
		],
	};
}

function cancelByModel(run: Run, { message }: Extract<Event, { kind: "cancel" }>): Transition {
	// Confirmed only by a message that the model wrote after it had read the question.
	if (run.askedToCancel !== undefined && run.askedToCancel !== message)
		return end(withoutQuestion(run), "cancelled", undefined);
	return { run: { ...run, askedToCancel: message }, actions: [{ kind: "ask-cancel" }] };
}

function pause(run: Run, by: "person" | "error" | "reminders", why: string | undefined): Transition {
	return {
		run: { ...withoutQuestion(run), standing: { kind: "paused", by, why } },
		actions: [
			{ kind: "persist", left: undefined },
			{ kind: "paused", by, why },
		],
	};
}

function resume(run: Run): Transition {
	if (run.standing.kind !== "paused") return refuse(run, { kind: "not-paused" });
	if (run.kind === "stale") return refuse(run, { kind: "stale", missing: run.missing });
	return {
		run: { ...withoutQuestion(run), standing: { kind: "running" }, reminders: none },
		actions: [{ kind: "persist", left: undefined }, { kind: "resumed" }],
	};
}

function stop(run: Run, patience: { row: number; visit: number }): Transition {
	if (run.kind === "stale" || run.standing.kind !== "running") return still(run);
	if (!goesOnByItself(run)) return { run, actions: [{ kind: "wait" }] };
	const { row, visit } = run.reminders;
	if (row >= patience.row) return pause(run, "reminders", `${row} reminders in a row changed nothing`);
	if (visit >= patience.visit) return pause(run, "reminders", `${visit} reminders did not bring this phase to its end`);
	return {
		run: { ...run, reminders: { row: row + 1, visit: visit + 1 } },
		actions: [{ kind: "remind", count: row + 1, of: patience.row }],
	};
}

/** The phase decides; without a word of its own, every scope around it has to agree. */
function goesOnByItself(run: LiveRun): boolean {
	return (
		currentPhase(run).autoContinue ??
		run.position.every(({ workflowKey }) => definitionOf(run.definitions, workflowKey).autoContinue)
	);
}

function reload(run: Run, { definitions }: Extract<Event, { kind: "reload" }>): Transition {
	const found = relocate(run, definitions);
	if (found.kind === "gone") return refuse(run, found);
	const { id, workflowKey, task, startedAt, step, since, standing, reminders, movedBy } = run;
	const facts = { id, workflowKey, task, startedAt, step, since, standing, reminders, movedBy };
	return {
		run: { kind: "live", definitions, position: found.position, askedToCancel: undefined, ...facts },
		actions: [{ kind: "persist", left: undefined }, { kind: "reloaded" }],
	};
}
