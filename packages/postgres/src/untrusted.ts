// Parses rows of the database and jobs of the queue. Their content is not trusted: every login that can write there can write any content. Content
// that cannot be parsed counts as absent.
import { anyObject, isNumber, isText, object, oneOf, type Shape } from "@pi-chronicle/core/definition";
import { type Created, decodeRun, type LedgerEvent, type Run, type StoredRun } from "@pi-chronicle/core/machine";
import { isRunId, parseUntrusted } from "pi-chronicle/local";

const isEvent = object<Pick<LedgerEvent, "seq" | "at" | "kind">>({
	seq: isNumber,
	at: isText as Shape<LedgerEvent["at"]>,
	kind: isText as Shape<LedgerEvent["kind"]>,
});

/** The event of a row; `undefined`: it is none. */
export function parseEvent(text: string): LedgerEvent | undefined {
	return parseUntrusted(text, isEvent as Shape<LedgerEvent>);
}

/** Whether the first event of a run can be read. */
export const isFirstEvent = object<Pick<Created, "kind" | "schemaVersion" | "template" | "task">>({
	kind: oneOf("created"),
	schemaVersion: isNumber,
	template: object({ name: isText, hash: isText, definition: anyObject }),
	task: isText,
});

const isStored = object({
	id: (value) => isText(value) && isRunId(value),
	seq: isNumber,
	template: object({ name: isText, hash: isText, definition: anyObject }),
	task: isText,
	stage: object({ kind: isText }),
	visitRecord: object({ sameness: anyObject }),
	totals: anyObject,
});

/** The stored state of run `id`; `undefined`: it is none, or that of another run. */
export function parseStoredRun(text: string, id: string): Run | undefined {
	const stored = parseUntrusted(text, isStored as unknown as Shape<StoredRun>);
	try {
		return stored?.id === id ? decodeRun(stored) : undefined;
	} catch {
		return undefined;
	}
}

/** The run that a job is for; `undefined`: it names none. */
export function runOfJob(data: unknown): string | undefined {
	const { run } = (anyObject(data) ? data : {}) as { readonly run?: unknown };
	return isText(run) && isRunId(run) ? run : undefined;
}
