// The body of a notice for a receiver: the notice as JSON, or a template with placeholders such as `{title}`. Pure.
import type { BodyTemplate } from "../../local/index.ts";
import type { Notice } from "./notice.ts";

/** Names of placeholders, each with what stands for it. */
function valuesOf(notice: Notice): Readonly<Record<string, string>> {
	return {
		...Object.fromEntries(
			Object.entries(notice).map(([name, value]) => [name, typeof value === "number" ? `${value}` : value]),
		),
		commands: notice.commands.join("\n"),
		command: notice.commands[0] ?? "",
		cost: notice.costUsd.toFixed(2),
	};
}

/** The body for a receiver. In a text that is a template of JSON, values are inserted as parts of JSON strings. */
export function bodyOf(notice: Notice, template: BodyTemplate | undefined): string {
	if (template === undefined) return JSON.stringify(notice);
	const values = valuesOf(notice);
	return typeof template === "string" ? fillBody(template, values) : JSON.stringify(fillAll(template, values));
}

function fillAll(value: unknown, values: Readonly<Record<string, string>>): unknown {
	if (typeof value === "string") return fillBody(value, values);
	if (Array.isArray(value)) return value.map((one) => fillAll(one, values));
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, fillAll(one, values)]));
}

/** Replaces placeholders in one pass: a value that looks like one stays as it is. Unknown ones stay, too. */
function fillBody(text: string, values: Readonly<Record<string, string>>): string {
	return text.replace(/\{([a-zA-Z]+)\}/g, (all, name: string) =>
		Object.hasOwn(values, name) ? (values[name] ?? all) : all,
	);
}
