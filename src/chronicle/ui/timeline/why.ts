// Explains in one sentence why a run does not continue, and selects the notices that still apply. Shared by every surface. Pure.

import { truncate } from "../../../definition/index.ts";
import { explainCause, HUMAN_INTERVENTION, measures, type Run } from "../../core/index.ts";
import { providerText } from "./provider-wait.ts";

/** Maximum length of a quoted summary. */
const quoted = 160;

/** Why the run is paused, failed, ended or waits for a decision; `undefined` for any other. */
export function haltReason(run: Run): string | undefined {
	switch (run.status) {
		case "running":
		case "asks":
		case "awaiting_approval":
		case "done":
			return undefined;
		case "awaiting_provider":
			return providerText(run);
		case "paused":
			return run.hold?.detail ?? "Paused.";
		case "budget_exceeded":
			return run.hold?.detail ?? "A ceiling is reached.";
		case "human_intervention":
			return escalationReason(run);
		case "failed":
			return failureReason(run);
		case "aborted":
			return abortReason(run);
	}
}

/** What the user wrote, or why the parent ended its child. */
function abortReason({ decisions, visit, parent }: Run): string {
	const last = decisions.findLast(({ did }) => did === "aborted");
	if (last?.visit !== visit || last.words === "") return "Ended by you.";
	return parent === null ? `Ended by you: ${last.words}` : `Ended: ${last.words}`;
}

function escalationReason(run: Run): string {
	const { refused } = run;
	if (refused === null) return "Decide how it continues.";
	const sentence = explainCause(refused.cause, refused.from, refused.to);
	if (refused.cause !== "worker") return sentence;
	return withSummary(sentence, run.history.findLast(({ to }) => to === HUMAN_INTERVENTION)?.summary ?? "");
}

function failureReason(run: Run): string {
	const move = run.history.at(-1);
	// Without a move to its last state, something else ended it, whose reason is the last notice.
	if (move === undefined || move.to !== run.state) return run.notices.at(-1) ?? `The run ended in ${run.state}.`;
	return withSummary(`"${move.from}" moved to ${move.to}.`, move.summary);
}

/** The sentence, with the first line of the summary. */
function withSummary(sentence: string, summary: string): string {
	const line = summary.trim().split("\n", 1)[0] ?? "";
	const cut = truncate(line, quoted);
	return cut === "" ? sentence : `${sentence.replace(/\.$/, "")}: ${cut}`;
}

/** `85 % of the ceiling on cost is used (…)`, as `core/machine/budget.ts` writes it. */
const ceilingNotice = /^\d+ % of the ceiling on (.+) is used \(/;

/** The notices that still apply, newest last; without ended escalations and raised ceilings. */
export function currentNotices(run: Run): string[] {
	if (run.stage.kind === "over") return [];
	const near = new Set(
		measures(run)
			.filter(({ spent, ceiling }) => spent >= ceiling * run.plan.limits.warnAt)
			.map(({ name }) => name),
	);
	const escalations = new Set(
		run.history.flatMap(({ cause, from, to, refused }) =>
			to === HUMAN_INTERVENTION ? [explainCause(cause, from, refused ?? from), explainCause(cause, from, to)] : [],
		),
	);
	return run.notices.filter((notice) => {
		const ceiling = ceilingNotice.exec(notice)?.[1];
		// The reason for waiting and the unmeasured files are shown elsewhere.
		const shown = escalations.has(notice) || notice.startsWith("Files could not be measured:");
		return !shown && (ceiling === undefined || near.has(ceiling));
	});
}
