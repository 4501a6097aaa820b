// Checks the names of states.
import { quoted, type ReadContext } from "../definition/index.ts";

const longest = 48;

/** Reports a problem with the state name `name` at offset `start`; returns `true` if there is none. */
export function checkName(name: string, start: number, reading: ReadContext): boolean {
	const problem = explainName(name);
	if (problem) reading.report.error(reading.source.place(start), problem);
	return problem === undefined;
}

function explainName(name: string): { code: string; message: string; remedy: string } | undefined {
	const remedy = "Choose another name.";
	if (name.trim() === "")
		return { code: "empty-name", message: "The name of a state is empty.", remedy: "Give it a name." };
	// Properties of every JavaScript object: as keys in a ledger, other programs would misread them.
	if (name in {} || name === "prototype")
		return {
			code: "reserved-name",
			message: `${quoted(name)} cannot be the name of a state: programs that read the ledger would misread it.`,
			remedy,
		};
	if (name.trim() !== name)
		return {
			code: "bad-name",
			message: `The name ${quoted(name)} starts or ends with white space.`,
			remedy: "Remove the white space.",
		};
	// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
	if (/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(name))
		return { code: "bad-name", message: `The name ${quoted(name)} contains a control character.`, remedy };
	if (name.includes("<->"))
		return {
			code: "bad-name",
			message: `The name ${quoted(name)} contains \`<->\`, which separates two names.`,
			remedy,
		};
	if ([...name].length > longest)
		return {
			code: "too-long",
			message: `The name ${quoted(name)} is longer than ${longest} characters.`,
			remedy: "Shorten it.",
		};
	return undefined;
}

/** Whether JavaScript objects move a key of this form to their front. */
export function isIndex(name: string): boolean {
	return /^(?:0|[1-9]\d{0,9})$/.test(name);
}
