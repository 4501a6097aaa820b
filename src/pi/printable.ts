// Text that somebody else wrote (a model, a tool, a file), made safe to show: no terminal takes it for a command, and it reads in the order
// in which it is written. Not for quoting: what is taken out leaves no trace.
import { stripVTControlCharacters } from "node:util";

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u0084\u0086-\u009f]/g;
/** Most texts: nothing has to be looked at twice. */
const harmless = /^[\t\n\u0020-\u007e]*$/;
const breaks = /\r\n?|[\u2028\u2029\u0085]/g;
/** They turn the direction of what follows: a path or a command would look other than it is. */
const turns = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff]/g;

/** The text without escape sequences, control characters and marks that turn its direction. Line breaks and tabs stay. */
export function printable(text: string): string {
	if (harmless.test(text)) return text;
	return stripVTControlCharacters(text).replace(breaks, "\n").replace(controls, "").replace(turns, "").toWellFormed();
}
