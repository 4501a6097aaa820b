// One letter has one meaning on all screens, and no screen has letters of its own.
import { KeybindingsManager, TUI_KEYBINDINGS } from "@earendil-works/pi-tui";
import { expect, it } from "vitest";
import { answerKeys } from "../../src/tui/answer-keys.ts";
import { openSheet, questionSheet } from "../../src/tui/index.ts";
import { texts } from "../source-files.ts";

it("each letter answers one thing, and no question names a letter by itself", () => {
	const letters = Object.values(answerKeys);
	expect(new Set(letters).size).toBe(letters.length);
	const named = [...texts].flatMap(([path, text]) => (/(?:\bkey|\]): "[a-z]"/.test(text) ? [path] : []));
	expect(named).toEqual([]);
});

it("no answer is taken from the keys of a line that is typed meanwhile, nor the Enter at its end", () => {
	const letters = Object.values(answerKeys);
	const options = letters.map((key) => `Answer ${key}`);
	const keysOf = Object.fromEntries(letters.map((key) => [`Answer ${key}`, key]));
	const keys = new KeybindingsManager(TUI_KEYBINDINGS);
	const lines = [
		"/chronicle list",
		"/workflow next",
		"/guard allow once",
		"!npm run dev",
		"Änderungen",
		"統計 anzeigen",
		"- a",
	];
	for (const line of lines)
		for (const gap of [5, 60, 300, 900]) {
			let now = 1000;
			const asked = questionSheet({ title: "Where?", message: "", options, keys: keysOf });
			const sheet = openSheet(
				asked,
				(_tone, text) => text,
				() => now,
			);
			for (const key of [...line, "\r"]) {
				expect(sheet.key(key, keys), `${line} (${gap} ms), ${key}`).toEqual({ kind: "drawn" });
				now += gap;
			}
			now += 1000;
			expect(sheet.key("n", keys)).toEqual({ kind: "chosen", value: "Answer n" });
		}
});
