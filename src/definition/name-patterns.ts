// Tool names and the globs that lists of them may hold: `*` stands for any text. Names that differ only in case are one name: people write
// `Edit` and `Bash` where pi has `edit` and `bash`, and no two tools of a session differ in nothing else.

/** Whether `name` matches one of `patterns`. Linear in their lengths, whatever is written in them. */
export function isListed(patterns: readonly string[], name: string): boolean {
	const folded = name.toLowerCase();
	return patterns.some((pattern) => matches(pattern.toLowerCase(), folded));
}

function matches(pattern: string, name: string): boolean {
	if (!pattern.includes("*")) return pattern === name;
	const [head = "", ...rest] = pattern.split("*");
	const tail = rest.pop() ?? "";
	if (!name.startsWith(head) || !name.endsWith(tail) || name.length < head.length + tail.length) return false;
	// What stands between two stars is found at its first place: a later one could not help.
	let at = head.length;
	const end = name.length - tail.length;
	for (const part of rest) {
		const found = name.indexOf(part, at);
		if (found < 0 || found + part.length > end) return false;
		at = found + part.length;
	}
	return true;
}
