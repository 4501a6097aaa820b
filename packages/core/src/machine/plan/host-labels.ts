// Which hosts of an engine may continue a run: the labels that its state asks for. Pure.
// What would start work on a host without them is not decided there: `host_awaited` is recorded instead.
import type { DecisionEvent } from "../run/decision-event.ts";
import type { HostAwaited, LedgerEvent } from "../run/event.ts";
import { type Reduced, refuse } from "../run/refusal.ts";
import type { Run } from "../run/run.ts";
import { planOf } from "./plan.ts";

/** What a host must offer to take a run. */
export interface HostNeed {
	readonly labels: readonly string[];
	/** Whether also a command of the user needs such a host. Otherwise any host can record it: it starts nothing there. */
	readonly commandsToo: boolean;
}

const anyHost: HostNeed = { labels: [], commandsToo: false };

/** What a host must offer to continue the run from where it is. */
export function hostNeed(run: Run): HostNeed {
	const { stage, children } = run;
	switch (stage.kind) {
		case "awaiting_provider":
		case "baselining":
		case "deciding":
			return { labels: labelsOf(run, run.state), commandsToo: false };
		case "launching":
		case "working":
			return { labels: labelsOf(run, run.state), commandsToo: true };
		case "stopping":
			// A question that is asked again runs nothing.
			return stage.after.kind === "ask" && stage.after.earlier
				? anyHost
				: { labels: labelsOf(run, stage.state), commandsToo: true };
		case "children":
		case "asking":
		case "waiting":
			if (stage.kind === "waiting" && stage.left) return hostNeed({ ...run, stage: stage.left });
			// A command may let the children continue. The files of a chosen child are joined anywhere.
			return children && !children.taking ? { labels: labelsOf(run, children.state), commandsToo: true } : anyHost;
		case "restoring":
		case "over":
			return anyHost;
	}
}

/** The labels that a state asks for. Runs that do it are for hosts with them too. */
export function labelsOf(run: Run, state: string): readonly string[] {
	return planOf(run, state).host ?? [];
}

/** Those of `labels` that a host lacks. `offered` absent: it offers all. */
export function missingLabels(labels: readonly string[], offered: readonly string[] | undefined): readonly string[] {
	return offered ? labels.filter((label) => !offered.includes(label)) : [];
}

/** What is recorded instead of a decision that this host must not act on; `undefined` if it may. */
export function awaitHost(
	run: Run,
	due: DecisionEvent,
	offered: readonly string[] | undefined,
): HostAwaited | undefined {
	const starts = due.kind === "attempt_reserved" || (due.kind === "children_planned" && due.children.length > 0);
	if (!starts) return undefined;
	const labels = labelsOf(run, run.state);
	return missingLabels(labels, offered).length > 0 ? { kind: "host_awaited", visit: run.visit, labels } : undefined;
}

/** The next host decides anew, once it has measured its files. */
export function onHostAwaited(run: Run, event: LedgerEvent & HostAwaited): Reduced {
	const { stage, baseline, attempt } = run;
	if (stage.kind !== "deciding" || event.visit !== run.visit) return refuse("unexpected", "No work is due.");
	const because = stage.decision.kind === "attempt_reserved" ? stage.decision.because : "entered";
	// Changes of earlier attempts still count from the start of the visit.
	const isFresh = attempt === 0 && baseline?.now === undefined;
	return {
		...run,
		baseline: isFresh ? null : baseline,
		stage: { kind: "baselining", because, awaits: event.labels },
	};
}
