// Whether a failed command ends the shell: `set -e`, `set -o errexit`.
import { isKnown } from "../text.ts";

const letters = /^([-+])([abefhkmnptuvxBCEHPTo]+)$/;
const names = new Set("errexit errtrace functrace nounset noglob pipefail posix xtrace".split(" "));

/** Whether `set -e` holds after `set` with these arguments; false if that is not certain. */
export function errexitAfter(args: readonly string[], before: boolean): boolean {
	let holds = before;
	for (let at = 0; at < args.length && isErrexitOption(args[at]); at++) {
		const [, sign, given = ""] = letters.exec(args[at] ?? "") ?? [];
		const name = given.includes("o") ? args[++at] : undefined;
		// With an argument that it does not accept, `set` changes nothing, or only a part.
		if (given === "" || (name !== undefined && !names.has(name))) return false;
		if (given.includes("e") || name === "errexit") holds = sign === "-";
	}
	return holds;
}

/** Whether a word is an option of `set`; an unknown one may be. */
function isErrexitOption(word = ""): boolean {
	return word !== "--" && (!isKnown(word) || /^[-+]./.test(word));
}
