// The reference table of an object's fields, as the documentation shows it.

import type { Fields } from "@pi-chronicle/core/definition";

/** Markdown lines of the reference table of an object: field, type, default, meaning. */
export function referenceTable(fields: Fields): string[] {
	const cell = (text: string): string => text.replaceAll("|", "\\|").replace(/\s+/g, " ");
	const rows = Object.entries(fields).map(([key, wanted]) => {
		const shown = wanted.required ? "*required*" : (wanted.shown ?? showDefault(wanted.fallback));
		return `| \`${key}\` | ${cell(wanted.type)} | ${cell(shown)} | ${cell(wanted.about)} |`;
	});
	return ["| field | type | default | meaning |", "|---|---|---|---|", ...rows];
}

function showDefault(value: unknown): string {
	if (value === undefined) return "—";
	return typeof value === "string" && value.trim() === value ? `\`${value}\`` : `\`${JSON.stringify(value)}\``;
}
