// Cleanup commands as a person has to see them before they may run: to the last character. Pure.
import type { CleanupTexts } from "../../engine/index.ts";

/** Each command with its state; further lines of one stand below it. */
export function cleanupLines(commands: CleanupTexts["commands"]): string[] {
	return commands.flatMap(({ state, command }) => {
		const [first = "", ...more] = command.split("\n").map(visible);
		return [`  ${state}: ${first}`, ...more.map((line) => `  ${" ".repeat(state.length)}│ ${line}`)];
	});
}

/** What a screen would not show, or would show as something else, as `\u{…}`: control and format characters, marks, odd blanks. */
function visible(text: string): string {
	return text.replace(
		/[\p{C}\p{Zl}\p{Zp}\u{115f}\u{1160}\u{3164}\u{ffa0}]|(?! )\p{Zs}/gu,
		(character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
	);
}
