// Matches tool names against lists of names and globs; `*` matches any text, and `mcp__server` every tool of that MCP server. Matching is case-insensitive: users write `Edit` and `Bash`
// for pi's `edit` and `bash`, and no two tools of a session differ only in case.

/** Whether `name` matches one of `patterns`. Takes linear time in their lengths, for any pattern. */
export function isListed(patterns: readonly string[], name: string): boolean {
	const folded = name.toLowerCase();
	return patterns.some((pattern) => {
		const one = pattern.toLowerCase();
		return matches(one, folded) || (isServer(one) && folded.startsWith(`${one}__`));
	});
}

/** Whether a pattern names an MCP server as a whole: `mcp__docs`. */
function isServer(pattern: string): boolean {
	return /^mcp__(?:(?!__)[^*])+$/.test(pattern);
}

function matches(pattern: string, name: string): boolean {
	if (!pattern.includes("*")) return pattern === name;
	const [head = "", ...rest] = pattern.split("*");
	const tail = rest.pop() ?? "";
	if (!name.startsWith(head) || !name.endsWith(tail) || name.length < head.length + tail.length) return false;
	// The first occurrence of the text between two stars suffices: if it does not lead to a match, a later one cannot.
	let at = head.length;
	const end = name.length - tail.length;
	for (const part of rest) {
		const found = name.indexOf(part, at);
		if (found < 0 || found + part.length > end) return false;
		at = found + part.length;
	}
	return true;
}
