// What status and list say of notices that did not arrive. Pure but for reading the run's outbox.
import { type Delivery, readOutbox } from "../../local/index.ts";
import { timeOf } from "./names.ts";

/** One line for each channel that does not take a notice of the run in `folder`. */
export function failedNotices(folder: string): string[] {
	return undeliveredLines(readOutbox(folder)?.deliveries ?? new Map());
}

/** The same of `deliveries`, by `deliveryKey`. */
export function undeliveredLines(deliveries: ReadonlyMap<string, Delivery>): string[] {
	const failed = [...deliveries].filter(([, { state }]) => state === "failed" || state === "retry");
	const latest = new Map(failed.map(([key, delivery]) => [delivery.name, [key, delivery] as const]));
	return [...latest.values()].map(([key, delivery]) => `Notice not delivered: ${line(key, delivery)}`);
}

function line(key: string, { name, state, answer, tries, next, at }: Delivery): string {
	const [seq, kind] = key.split(":", 2);
	const then =
		state === "retry" && next !== undefined
			? `, next try at ${timeOf(new Date(next).toISOString(), at)}`
			: ", given up";
	return `${kind} (event ${seq}) by ${name}: ${answer} (${tries} ${tries === 1 ? "try" : "tries"}${then})`;
}
