// What is typed is sent, however many keys pi reads at once and whenever the lists of completions come. In pi's own editor.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import {
	type AutocompleteItem,
	type AutocompleteProvider,
	CombinedAutocompleteProvider,
	Editor,
	type TUI,
} from "@earendil-works/pi-tui";
import fc from "fast-check";
import { expect, it } from "vitest";
import { keepTypedLines } from "../../../src/pi/commands/typed-line.ts";

const words = ["bug-fix", "report", "report-bug", "status", "reject", "feature", "resume"];

/** Items for the first word after the command. A complete word has none. */
function items(prefix: string): AutocompleteItem[] | null {
	const found = words.filter((word) => word.startsWith(prefix));
	return found.length === 0 || found.includes(prefix) ? null : found.map((word) => ({ value: word, label: word }));
}

type UserInterface = { readonly mode: "tui"; readonly ui: Record<string, unknown> };

/** An editor with the guard. `delay`: macrotasks until the next list comes; 0: at once. */
function openEditor(delay: () => number) {
	const style = (text: string) => text;
	const tui = { terminal: { rows: 40, columns: 100 }, requestRender() {} } as unknown as TUI;
	const selectList = {
		selectedPrefix: style,
		selectedText: style,
		description: style,
		scrollInfo: style,
		noMatch: style,
	};
	const editor = new Editor(tui, { borderColor: style, selectList });
	let key: (data: string) => unknown = () => undefined;
	let provider: AutocompleteProvider = new CombinedAutocompleteProvider(
		[
			{
				name: "chronicle",
				async getArgumentCompletions(prefix: string) {
					for (let left = delay(); left > 0; left -= 1) await new Promise(setImmediate);
					return items(prefix);
				},
			},
		],
		"/nowhere",
	);
	const ui = {
		addAutocompleteProvider(wrap: (current: AutocompleteProvider) => AutocompleteProvider) {
			provider = wrap(provider);
		},
		onTerminalInput(listener: (data: string) => unknown) {
			key = listener;
		},
		getEditorText: () => editor.getText(),
		setEditorText: (text: string) => editor.setText(text),
	};
	const on = (_event: string, handler: (event: unknown, ctx: UserInterface) => void) =>
		handler({}, { mode: "tui", ui });
	keepTypedLines({ on } as unknown as ExtensionAPI);
	editor.setAutocompleteProvider(provider);
	const sent: string[] = [];
	editor.onSubmit = (text) => sent.push(text);
	const press = (data: string): void => {
		key(data);
		editor.handleInput(data);
	};
	return { editor, press, sent };
}

const line = fc.constantFrom(
	...words.map((word) => `/chronicle ${word}`),
	"/chronicle",
	"/chronicle reportx",
	"/chronicle feature Add it, and report",
	"/chronicle reject no tests for re",
	"/workflow bug",
	"not a command",
);

it("a line is sent as typed, whatever was listed for the beginnings of it", async () => {
	await fc.assert(
		fc.asyncProperty(
			line,
			fc.infiniteStream(fc.integer({ min: 0, max: 3 })),
			fc.infiniteStream(fc.integer({ min: 0, max: 3 })),
			async (text, delays, pauses) => {
				const { press, sent } = openEditor(() => delays.next().value ?? 0);
				for (const character of `${text}\r`) {
					press(character);
					// Keys without a pause come in one piece.
					for (let left = pauses.next().value ?? 0; left > 0; left -= 1) await new Promise(setImmediate);
				}
				expect(sent).toEqual([text]);
			},
		),
	);
});

it("Enter and Tab take an item of the list that is for the line", async () => {
	for (const key of ["\r", "\t"]) {
		const { editor, press, sent } = openEditor(() => 0);
		for (const character of "/chronicle rep") {
			press(character);
			await new Promise(setImmediate);
		}
		press(key);
		expect([editor.getText(), sent]).toEqual(["/chronicle report", []]);
	}
});

it("Tab takes nothing of a list for an earlier line", async () => {
	const { editor, press } = openEditor(() => 0);
	for (const character of "/chronicle ") {
		press(character);
		await new Promise(setImmediate);
	}
	for (const character of "rep\t") press(character);
	expect(editor.getText()).toBe("/chronicle rep");
});
