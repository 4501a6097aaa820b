// What is said of a run that waits for its provider, or whose children do, and the words for each status. Pure except for the time zone.
import type { Run } from "../../core/index.ts";
import { timeOf } from "./moment.ts";

/** A status in words: `waiting for the provider`, `awaiting approval`. */
export function runStatusText(status: string): string {
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
