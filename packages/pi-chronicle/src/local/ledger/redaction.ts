// Keeps secrets from a model, a tool, or the user's task out of the ledger.
// Fields that are compared or looked up stay; a template's commands stay, because they run exactly as approved.

import type { ChildEnded, Created, EventBody, RunTemplate } from "@pi-chronicle/core/machine";
import type { Entry } from "@pi-chronicle/core/snapshot";
import { isSecretName, type Redact, redacted } from "../../safety/index.ts";

/** The event without the secrets in its texts. */
export function redactEvent<T extends EventBody>(event: T, redact: Redact): T {
	if (event.kind === "created") return redactCreated(event, redact) as T;
	if ((event.kind === "resumed" || event.kind === "rewind_requested") && event.reload) {
		const { reload, ...rest } = event;
		const template = redactTemplate(reload.template, redact);
		return { ...(redactDeep(rest, redact) as object), reload: { ...reload, template } } as T;
	}
	// Derived from redacted events; contains commands verbatim.
	if (event.kind === "recovered") return event;
	if (event.kind === "move_requested" && event.data !== undefined) {
		const { data, ...others } = event;
		return { ...(redactDeep(others, redact) as T), data: redactData(data, redact) };
	}
	if (event.kind === "child_ended" && event.handover.output !== undefined) {
		const { output, ...others } = event.handover;
		const clean = redactDeep({ ...event, handover: others }, redact) as ChildEnded;
		return { ...clean, handover: { ...clean.handover, output: redactData(output, redact) } } as T & ChildEnded;
	}
	return redactDeep(event, redact) as T;
}

/** A worker's data, in the field `name`: the template chooses its field names, so no field is exempt. */
function redactData(value: unknown, redact: Redact, name = "data"): unknown {
	if (typeof value === "string") return redactNamed(name, value, redact);
	if (Array.isArray(value)) return value.map((item) => redactData(item, redact, name));
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(
		Object.entries(value).map(([key, inner]) => {
			const isSecret = isSecretName(key) && (typeof inner === "string" || typeof inner === "number");
			return [redact(key), isSecret ? redacted : redactData(inner, redact, key)];
		}),
	);
}

/** The name says what a value is: a long word in `sha256` is a checksum, elsewhere it may be a secret. */
function redactNamed(name: string, value: string, redact: Redact): string {
	const start = `${name}: `;
	const clean = redact(start + value);
	return clean.startsWith(start) ? clean.slice(start.length) : redact(value);
}

function redactCreated(event: Created, redact: Redact): Created {
	return { ...event, task: redact(event.task), template: redactTemplate(event.template, redact) };
}

function redactTemplate(template: RunTemplate, redact: Redact): RunTemplate {
	return {
		...template,
		definition: redactProse(template.definition, redact),
		...(template.children
			? { children: redactProse(template.children, redact) as NonNullable<typeof template.children> }
			: {}),
	};
}

/** Texts of a definition that users and models read. */
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

/** Fields that are compared or looked up: changing them would change the run. */
const untouched =
	/^(?:kind|target|from|to|state|tree|base|merges|child|before|diff|resolved|hash|timeless|call|tool|model|rules|started|host|id|checkedOut)$/;

function redactDeep(value: unknown, redact: Redact): unknown {
	if (typeof value === "string") return redact(value);
	if (Array.isArray(value)) return value.map((item) => redactDeep(item, redact));
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(
		Object.entries(value).map(([key, inner]) => [key, untouched.test(key) ? inner : redactField(key, inner, redact)]),
	);
}

function redactField(key: string, value: unknown, redact: Redact): unknown {
	if (Array.isArray(value) && (key === "findings" || key === "pendingTasks"))
		return value.map((entry: Entry) => redactEntry(entry, redact));
	return redactDeep(value, redact);
}

/** An entry whose key names a secret is a secret. */
function redactEntry({ fields, ...entry }: Entry, redact: Redact): Entry {
	const clean = redactDeep(entry, redact) as Entry;
	if (entry.key !== undefined && isSecretName(entry.key)) return { ...clean, text: redacted };
	return fields === undefined
		? clean
		: { ...clean, fields: redactData(fields, redact) as NonNullable<Entry["fields"]> };
}
