// Masks what differs between two plays of the same story: ids, times, durations, numbers of events, temporary folders, and properties of the machine.

const masks: readonly (readonly [RegExp, string])[] = [
	// Widths in a film strip follow the time.
	[/^┃.*\n.*$/gm, "┃ film strip"],
	[/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, "1a2b3c4d-0000-4000-8000-000000000000"],
	[/\bwf-\d{13}-[0-9a-z]{6}\b/g, "wf-1000000000000-1a2b3c"],
	[/(?:\/[\w.+-]+)*\/chronicle-test-\w{6}\b/g, "/tmp/chronicle-test-1a2b3c"],
	[/\b(?=[0-9a-f]*\d)[0-9a-f]{8}\b/g, "1a2b3c4d"],
	[/(--answers|kept-)(\s*)\d+/g, "$1$29"],
	[/\d{4}-\d\d-\d\d/g, "2030-01-01"],
	[/\b\d\d:\d\d(?::\d\d)?\b/g, "12:00"],
	[/\b(?:\d+h)?(?:\d+m)?\d+s\b|\b\d+(?:\.\d+)? (?:ms|s|min)\b/g, "9s"],
	// An estimate follows the length of every text that is sent.
	[/(?<=Estimate: .*)\d[\d.]*/g, "9"],
	[/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/g, "⠋"],
	[/\bpi v\d+\.\d+\.\d+/g, "pi v1.0.0"],
];

/** Applied where line breaks are gone: an id may be broken. */
const unbrokenMasks: readonly (readonly [RegExp, string])[] = [
	[/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "id"],
	[/wf-\d{13}-[0-9a-z]{6}/g, "id"],
	[/(?:\/[\w.+-]+)*\/chronicle-test-\w{6}/g, "folder"],
	[/(--answers|kept-)\d+/g, "$1"],
];

const applied = (all: typeof masks, to: string) => all.reduce((text, [pattern, by]) => text.replace(pattern, by), to);

/** The rows of a screen as one text, without blank rows at its ends. */
export function maskedScreen(lines: readonly string[]): string {
	return applied(masks, lines.join("\n")).replace(/^\n+|\n+$/g, "");
}

/**
 * A screen without what depends on the width of a masked text: blanks, line breaks, rules, which end at the edge, and the last characters before
 * something is cut.
 */
export function comparable(screen: string): string {
	return applied(unbrokenMasks, screen.replace(/(?:, 9s.{0,4}|.{0,3})…/g, "…").replace(/[\s─]+/g, ""));
}
