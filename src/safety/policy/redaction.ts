// What a record may keep of a call's arguments: enough to recognise the call, nothing that should not be written down twice.
// R1 the text is at most `limit` characters, whatever goes in; R2 bodies (file contents, edits) are named by their size only.

const bodies = new Set([
	"content",
	"contents",
	"text",
	"oldText",
	"newText",
	"edits",
	"old_string",
	"new_string",
	"data",
]);
const secretKey = /(?:api[-_]?key|token|secret|passw(?:or)?d|passwd|credential|authorization|private[-_]?key)/i;

/** Words that are secrets by their look, or follow something that says so. Every expression is linear in the text. */
const secrets: readonly [RegExp, string][] = [
	[/\b((?:authorization|proxy-authorization|x-api-key)["']?\s{0,4}[:=]\s{0,4})[^"'\n]{1,400}/gi, "$1•••"],
	[/\b(bearer|basic)\s{1,4}[\w.~+/=-]{8,}/gi, "$1 •••"],
	[
		/((?:api[-_]?key|token|secret|passw(?:or)?d|passwd|credentials?|private[-_]?key)\w{0,32}["']?\s{0,4}[:=]\s{0,4}["']?)[^\s"'&]{3,}/gi,
		"$1•••",
	],
	[/(\s(?:--?(?:password|passwd|token|secret|api-?key))[= ]["']?)[^\s"']{3,}/gi, "$1•••"],
	[/(:\/\/[^\s:/@]{1,100}:)[^\s@/]{1,200}@/g, "$1•••@"],
	[
		/\b(?:sk|pk|rk|ghp|gho|ghs|ghu|github_pat|glpat|xox[abpsr]|AKIA|ASIA|AIza|eyJ)[-_]?[\w-]{12,}(?:\.[\w-]{4,}){0,2}/g,
		"•••",
	],
	[/\b(?=[A-Za-z+_]{0,200}\d)(?=[\d+_]{0,200}[A-Za-z])[A-Za-z0-9+_]{32,}={0,2}/g, "•••"],
];

/** Cuts `text` to `limit` characters on one line and takes secrets out. */
export function redactText(text: string, limit: number): string {
	// Only what can end up in the record is looked at, plus a margin in which a secret cut in two is still recognised.
	let line = text.slice(0, limit + 400).replaceAll(/\s+/g, " ");
	for (const [secret, shown] of secrets) line = line.replaceAll(secret, shown);
	return line.length > limit || text.length > limit + 400 ? `${line.slice(0, limit - 1)}…` : line;
}

/** The arguments of a call as one line `key=value key=value`. */
export function redactInput(input: Readonly<Record<string, unknown>>, limit: number): string {
	const parts: string[] = [];
	let length = 0;
	for (const [key, value] of Object.entries(input)) {
		if (length > limit) break;
		const part = `${redactText(key, 40)}=${redactValue(key, value, limit)}`;
		parts.push(part);
		length += part.length;
	}
	return redactText(parts.join(" "), limit);
}

function redactValue(key: string, value: unknown, limit: number): string {
	if (secretKey.test(key)) return "•••";
	if (bodies.has(key)) return `(${sizeOf(value)})`;
	if (typeof value === "string") return redactText(value, limit);
	if (value === null || typeof value !== "object") return String(value);
	return `(${sizeOf(value)})`;
}

function sizeOf(value: unknown): string {
	if (typeof value === "string") return `${value.length} characters`;
	if (Array.isArray(value)) return `${value.length} items`;
	return `${Object.keys(value ?? {}).length} fields`;
}
