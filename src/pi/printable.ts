// Text that somebody else wrote (a model, a tool, a file), made safe to show: no terminal takes it for a command, and it reads in the order
// in which it is written. Not for quoting: what is taken out leaves no trace.

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u0084\u0086-\u009f]/g;
/**
 * Sequences that are written to the end, by their grammar (ECMA-48): what only looks like the beginning of one is text. A command to move,
 * erase or color has a parameter or is one of the few that need none; a title or a link begins with a number and has an end on its line.
 */
const sequences =
	// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
	/(?:\u001b\[|\u009b)(?:[\d;:?]+[A-Za-z]|[mKJH])|(?:\u001b\]|\u009d)\d+;[^\u0007\u001b\u009c\u009d\n]*(?:\u0007|\u001b\\|\u009c)/g;
/** Most texts: nothing has to be looked at twice. */
const harmless = /^[\t\n\u0020-\u007e]*$/;
const breaks = /\r\n?|[\u2028\u2029\u0085]/g;
/** They turn the direction of what follows: a path or a command would look other than it is. */
const turns = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff]/g;

/** The text without escape sequences, control characters and marks that turn its direction. Line breaks and tabs stay. */
export function printable(text: string): string {
	return harmless.test(text) ? text : withoutControls(text.replace(sequences, ""));
}

/** The text without control characters and marks that turn its direction: what can be read is kept, also of escape sequences. */
export function withoutControls(text: string): string {
	return text.replace(breaks, "\n").replace(controls, "").replace(turns, "").toWellFormed();
}
