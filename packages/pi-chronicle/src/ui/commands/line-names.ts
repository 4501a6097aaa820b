// Completes what needs no run: commands, templates and shipped definitions. Loads neither the engine nor a parser, so that the first list comes
// while the user types.

import type { TemplateName } from "../../local/index.ts";
import { shippedNames } from "../../tools/shipped/index.ts";
import type { ListedCommand } from "../command-list.ts";

export interface LineItem {
	/** The whole line with the item. */
	readonly value: string;
	readonly label: string;
	readonly description?: string;
}

export interface LineNames {
	readonly listed: readonly ListedCommand[];
	readonly templates: () => readonly TemplateName[];
	readonly takesTemplate: ReadonlySet<string>;
	/** Whether a template's name starts it. */
	readonly startsByName: boolean;
}

/** The items for the last word of a line, before it is compared with them; `undefined`: they depend on the runs. */
export function nameItems(
	words: readonly string[],
	{ listed, templates, takesTemplate, startsByName }: LineNames,
): readonly LineItem[] | undefined {
	const named = (): LineItem[] => templates().map(({ key, about }) => item(key, about));
	const [name] = words;
	if (name === undefined) {
		const hidden = new Set(listed.map((command) => command.name));
		const shown = startsByName ? named().filter(({ label }) => !hidden.has(label)) : [];
		return [...shown, ...listed.map((command) => item(command.name, command.about))];
	}
	if (name === "init") return words.length === 1 ? shippedNames().map((shipped) => item(shipped)) : [];
	if (takesTemplate.has(name)) return words.length === 1 ? named() : [];
	return listed.some((command) => command.name === name) ? undefined : [];
}

/** A line, split where its last word starts. */
export interface SplitLine {
	readonly before: string;
	readonly last: string;
	/** The words of `before`. */
	readonly words: readonly string[];
}

export function splitLine(line: string): SplitLine {
	const words = line.split(/\s+/);
	const last = words.pop() ?? "";
	return { before: line.slice(0, line.length - last.length), last, words };
}

/** The items that the last word starts; `null` if there are none, or the word is complete: Enter then runs the line. */
export function offer({ before, last }: SplitLine, items: readonly LineItem[]): LineItem[] | null {
	const fitting = items.filter(({ label }) => label.startsWith(last));
	if (fitting.length === 0 || fitting.some(({ label }) => label === last)) return null;
	return fitting.map((item) => ({ ...item, value: `${before}${item.label}` }));
}

/** An item whose value is completed by {@link offer}. */
export function item(label: string, description?: string): LineItem {
	return { value: label, label, ...(description === undefined ? {} : { description }) };
}
