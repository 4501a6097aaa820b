// Makes text from elsewhere (a model, a tool, a file) safe to show in a terminal: no escape sequences, no control characters, no
// bidirectional marks. Not for quoting: removed characters leave no trace. Unlike `index.ts`, this file does not load pi's terminal
// library, so code that also runs without pi imports it directly.

// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are removed
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u0084\u0086-\u009f]/g;
/**
 * Complete escape sequences by their grammar (ECMA-48); an incomplete one is text. Commands that move, erase or color have a parameter or
 * belong to the few that need none; a title or link starts with a number and ends on its line.
 */
const sequences =
	// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are removed
	/(?:\u001b\[|\u009b)(?:[\d;:?]+[A-Za-z]|[mKJH])|(?:\u001b\]|\u009d)\d+;[^\u0007\u001b\u009c\u009d\n]*(?:\u0007|\u001b\\|\u009c)/g;
/** Most texts need no change. */
const harmless = /^[\t\n\u0020-\u007e]*$/;
const lineBreaks = /\r\n?|[\u2028\u2029\u0085]/g;
/** Bidirectional marks: they reorder the text that follows, so that a path or a command looks different from its real text. */
const bidirectional = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff]/g;

/**
 * Removes escape sequences, control characters and bidirectional marks. Keeps line breaks and tabs.
 * @public
 */
export function printable(text: string): string {
	return harmless.test(text) ? text : withoutControls(text.replace(sequences, ""));
}

/**
 * Removes control characters and bidirectional marks; keeps everything readable, including in escape sequences.
 * @public
 */
export function withoutControls(text: string): string {
	return text.replace(lineBreaks, "\n").replace(controls, "").replace(bidirectional, "").toWellFormed();
}
