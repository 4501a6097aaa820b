// Secrets do not go into the ledger, whoever said them: a model, a tool, or the person who wrote the task.
// S1 what is compared or looked up stays; S2 a template's commands stay: they run in exactly the wording that was approved.
import { isSecretName, type Redact, redacted } from "../../../safety/index.ts";
import type { Created, EventBody } from "../../core/index.ts";

/** The event with secrets taken out of every text. */
export function redactEvent<T extends EventBody>(event: T, redact: Redact): T {
	if (event.kind === "created") return redactCreated(event, redact) as T;
	// It was made of events that had been redacted, and holds commands word for word.
	if (event.kind === "recovered") return event;
	return redactDeep(event, redact) as T;
}

function redactCreated(event: Created, redact: Redact): Created {
	const { template, task } = event;
	return {
		...event,
		task: redact(task),
		template: { ...template, definition: redactProse(template.definition, redact) },
	};
}

/** Texts of a definition that are for people and models. */
const prose = new Set(["instructions", "description", "prompt", "purpose", "role"]);

function redactProse(value: unknown, redact: Redact): unknown {
	if (Array.isArray(value)) return value.map((item) => redactProse(item, redact));
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(
		Object.entries(value).map(([key, inner]) => [
			key,
			typeof inner === "string" && prose.has(key) ? redact(inner) : redactProse(inner, redact),
		]),
	);
}

/** Names that are compared or looked up: to change them would change the story. */
const untouched = new Set([
	"kind",
	"target",
	"from",
	"to",
	"state",
	"tree",
	"before",
	"diff",
	"hash",
	"timeless",
	"call",
	"tool",
	"model",
	"rules",
	"started",
	"host",
	"id",
]);

function redactDeep(value: unknown, redact: Redact): unknown {
	if (typeof value === "string") return redact(value);
	if (Array.isArray(value)) return value.map((item) => redactDeep(item, redact));
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(
		Object.entries(value).map(([key, inner]) => [key, untouched.has(key) ? inner : redactField(key, inner, redact)]),
	);
}

/** A finding whose own key announces a secret is one. */
function redactField(key: string, value: unknown, redact: Redact): unknown {
	if (Array.isArray(value) && (key === "findings" || key === "pendingTasks"))
		return value.map((entry: { key?: string; text: string }) => {
			const clean = redactDeep(entry, redact) as { key?: string; text: string };
			return entry.key !== undefined && isSecretName(entry.key) ? { ...clean, text: redacted } : clean;
		});
	return redactDeep(value, redact);
}
