// Cleanup commands as shown for approval, character for character. Pure.
import type { CleanupTexts } from "../../engine/index.ts";

/** Each command with its state; further lines of a command follow below it. */
export function cleanupLines(commands: CleanupTexts["commands"]): string[] {
	return commands.flatMap(({ state, command }) => {
		const [first = "", ...more] = command.split("\n").map(visible);
		return [`  ${state}: ${first}`, ...more.map((line) => `  ${" ".repeat(state.length)}│ ${line}`)];
	});
}

/** Escapes what a screen would hide or show as something else: control and format characters, marks, unusual spaces. */
function visible(text: string): string {
	return text.replace(
		/[\p{C}\p{Zl}\p{Zp}\u{115f}\u{1160}\u{3164}\u{ffa0}]|(?! )\p{Zs}/gu,
		(character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
	);
}
