// A list to choose from: arrows choose, what is typed filters, Enter takes. A sheet whose answers change with the filter.

import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { decodeKittyPrintable } from "@earendil-works/pi-tui";
import type { Paint } from "./line.ts";
import { type Body, openSheet, type Sheet, showOpened, textBody } from "./sheet.ts";
import type { ScreenKeys } from "./window.ts";

interface ListEntry<T> {
	readonly value: T;
	/** What is compared with the filter. */
	readonly name: string;
	/** Behind the name, in a column; compared too. Empty: nothing. */
	readonly about: string;
}

interface ListSpec<T> {
	readonly title: string;
	/** Above the list. */
	readonly body: Body;
	readonly entries: readonly ListEntry<T>[];
}

/** Opens a list as a sheet. */
export function openListSheet<T>({ title, body, entries }: ListSpec<T>, paint: Paint): Sheet<T> {
	let typed = "";
	const open = (): Sheet<T> => {
		const found = fitting(entries, typed);
		const width = Math.max(0, ...found.map(({ name }) => name.length));
		const choices = found.map(({ value, name, about }) => ({
			value,
			words: about === "" ? name : `${name.padEnd(width)}  ${about}`,
		}));
		const shown = `${title} · ${typed === "" ? "type to filter" : typed}`;
		const leave = typed === "" ? "Esc closes" : "Esc shows all";
		return openSheet(
			{
				...{ title: shown, choices, leave, noun: "entry" },
				body: found.length > 0 ? body : textBody(`Nothing contains "${typed}".`),
			},
			paint,
		);
	};
	let sheet = open();
	const filter = (text: string) => {
		typed = text;
		sheet = open();
		return { kind: "drawn" } as const;
	};
	return {
		render: (width, rows) => sheet.render(width, rows),
		waits: () => 0,
		invalidate: () => sheet.invalidate(),
		key(data: string, keybindings: ScreenKeys) {
			const key = decodeKittyPrintable(data) ?? data;
			if (keybindings.matches(data, "tui.editor.deleteCharBackward")) return filter([...typed].slice(0, -1).join(""));
			if (typed !== "" && keybindings.matches(data, "tui.select.cancel")) return filter("");
			if (/^[^\p{Cc}\p{Cs}]+$/u.test(key)) return filter(typed + key);
			const taken = sheet.key(data, keybindings);
			// Without an entry, Enter has nothing to take.
			return taken.kind === "left" && !keybindings.matches(data, "tui.select.cancel") ? { kind: "ignored" } : taken;
		},
	};
}

/** The entries with all words of the filter; those whose name starts with it come first. */
function fitting<T>(entries: readonly ListEntry<T>[], typed: string): readonly ListEntry<T>[] {
	const wanted = typed.toLowerCase().trim();
	if (wanted === "") return entries;
	const words = wanted.split(/\s+/);
	const found = entries.filter(({ name, about }) => {
		const text = `${name} ${about}`.toLowerCase();
		return words.every((word) => text.includes(word));
	});
	const starts = ({ name }: ListEntry<T>): boolean => name.toLowerCase().startsWith(wanted);
	return [...found.filter(starts), ...found.filter((entry) => !starts(entry))];
}

/** Shows the list and resolves to the value taken; `undefined`: the user has left. Only for the terminal. */
export function showListSheet<T>(ctx: ExtensionContext, spec: ListSpec<T>): Promise<T | undefined> {
	return showOpened(ctx, { open: (paint) => openListSheet(spec, paint) });
}
