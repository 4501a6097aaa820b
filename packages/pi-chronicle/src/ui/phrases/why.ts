// Explains in one sentence why a run waits or has ended, and selects the notices that still apply. Pure except for the time zone.

import { truncate } from "@pi-chronicle/core/definition";
import { explainCause, measures, type Run } from "@pi-chronicle/core/machine";
import { HUMAN_INTERVENTION } from "@pi-chronicle/core/template";
import { timeOf } from "./names.ts";

/** A status in words: `waiting for the provider`, `limit reached`, `awaiting approval`. */
export function runStatusText(status: string): string {
	if (status === "budget_exceeded") return "limit reached";
	return status === "awaiting_provider" ? "waiting for the provider" : status.replaceAll("_", " ");
}

/** Since when and why the run waits for its provider, and what follows; `undefined`: it does not. `isSupervised`: a process tries it again. */
export function providerText({ stage, providerWait }: Run, isSupervised = true): string | undefined {
	if (stage.kind !== "awaiting_provider" || !providerWait) return undefined;
	const { since, next, until, tries, named, detail } = providerWait;
	const failed = `The provider has failed since ${timeOf(since)}${detail === "" ? "" : ` (${detail})`}.`;
	if (!isSupervised) return `${failed} The ${ordinal(tries + 1)} try is due at ${timeOf(next, since)}.`;
	const then = `Next try at ${timeOf(next, since)}${named ? ", as it says" : ""}: the ${ordinal(tries + 1)}. The run pauses at ${timeOf(until, since)}.`;
	return `${failed} ${then}`;
}

/** The next try of each child that waits for its provider, where no child works; `undefined`: one works, or none waits. */
export function childrenWait({ stage, children }: Run): string | undefined {
	const pending = (children?.children ?? []).filter(({ status }) => status === "pending");
	const waiting = pending.flatMap(({ name, activity }) =>
		activity?.stage === "awaiting_provider" ? [{ name, next: activity.next ?? "" }] : [],
	);
	const isIdle = pending.every(({ activity }) => activity === undefined || activity.stage === "awaiting_provider");
	if (stage.kind !== "children" || waiting.length === 0 || !isIdle) return undefined;
	const named = waiting.slice(0, 3).map(({ name }) => `"${name}"`);
	const more = waiting.length > 3 ? ` and ${waiting.length - 3} more` : "";
	const next = waiting.map((one) => one.next).filter((moment) => moment !== "");
	const when = next.length === 0 ? "" : ` Next try at ${timeOf(next.toSorted()[0] ?? "")}.`;
	return `${named.join(", ")}${more} ${waiting.length === 1 ? "waits" : "wait"} for the provider.${when}`;
}

/** Whether nothing happens in the run until a provider is tried again. */
export function waitsForProvider(run: Run): boolean {
	return run.stage.kind === "awaiting_provider" || childrenWait(run) !== undefined;
}

function ordinal(number: number): string {
	const last = number % 100;
	const suffix = last > 10 && last < 14 ? "th" : (["th", "st", "nd", "rd"][number % 10] ?? "th");
	return `${number}${suffix}`;
}

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
			return run.hold?.detail ?? "A limit is reached.";
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

function withSummary(sentence: string, summary: string): string {
	const line = summary.trim().split("\n", 1)[0] ?? "";
	const cut = truncate(line, quoted);
	return cut === "" ? sentence : `${sentence.replace(/\.$/, "")}: ${cut}`;
}

/** `85 % of the limit on cost is used (…)`, as `core/machine/budget/budget.ts` writes it; older ledgers call it a ceiling. */
const ceilingNotice = /^\d+ % of the (?:limit|ceiling) on (.+) is used \(/;
const lasting = /^(?:A cleanup command of |The child ".*" was dropped)/;

/** The notices that still apply, newest last: no ended escalations, no limits raised or reached; of a run that is over, failed cleanup and lost children. */
export function currentNotices(run: Run): string[] {
	if (run.stage.kind === "over") return run.notices.filter((text) => lasting.test(text));
	const near = new Set(
		measures(run)
			.filter(({ spent, ceiling }) => spent < ceiling && spent >= ceiling * run.plan.limits.warnAt)
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
