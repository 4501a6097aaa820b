// Keeps lines that begin with a slash as they are typed. pi reads keys faster than it makes lists of completions: after several keys at once, the
// open list is one for an earlier line. Enter would add its item to the line and not send it.
// An item of such a list changes nothing; Enter then sends the line as typed.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

/** Enter in the protocols of terminals. */
const enterKeys: readonly string[] = ["\r", "\n", "\u001b[13u", "\u001b[13;1u", "\u001bOM"];

/** Closes lists of completions that are out of date before Enter takes an item of them. */
export function keepTypedLines(pi: ExtensionAPI): void {
	pi.on("session_start", (_event, { mode, ui }) => {
		if (mode !== "tui") return;
		/** The text that the last list was made for. */
		let listed: string | undefined;
		ui.addAutocompleteProvider((current) => ({
			...(current.triggerCharacters && { triggerCharacters: current.triggerCharacters }),
			async getSuggestions(lines, row, column, options) {
				const text = lines.join("\n");
				const found = await current.getSuggestions(lines, row, column, options);
				if (found) listed = text;
				return found;
			},
			applyCompletion(lines, row, column, item, prefix) {
				const text = lines.join("\n");
				if (text.startsWith("/") && text !== listed) return { lines, cursorLine: row, cursorCol: column };
				return current.applyCompletion(lines, row, column, item, prefix);
			},
			shouldTriggerFileCompletion: (lines, row, column) =>
				current.shouldTriggerFileCompletion?.(lines, row, column) ?? true,
		}));
		ui.onTerminalInput((data) => {
			if (listed === undefined || !enterKeys.includes(data)) return undefined;
			const text = ui.getEditorText();
			// Writing the text closes the list.
			if (text.startsWith("/") && text !== listed) ui.setEditorText(text);
			return undefined;
		});
	});
}
