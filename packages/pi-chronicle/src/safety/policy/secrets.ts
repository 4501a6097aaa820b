// The only table of secrets in text, used for everything that is stored: ledger, conversations, session entries, reports.
// Invariants: only the secret is replaced; every expression is linear in the text; redacting twice changes nothing.

/** The replacement for a secret. */
export const redacted = "•••";

interface SecretKind {
	readonly name: string;
	readonly pattern: RegExp;
	/**
	 * The replacement; by default only the mark. A function is for patterns without groups; it gets the text around the match, and returns
	 * `undefined` to keep the match.
	 */
	readonly shown?: string | ((match: string, before: string, after: string) => string | undefined);
}

/** Names of secrets: `…_KEY`, `apiKey`, `token`, `SECRET_…`, `password`; not `tokens`, not a bare `key`. */
const announced =
	"(?:(?:api|access|account|secret|private|signing|encryption|master)[_-]?key|(?<=[a-z0-9][_-])key|token|secret|passw(?:or)?d|passphrase|passwd|credentials?)(?:[_-][a-z0-9]{1,20}){0,2}";
/** A quote, possibly inside JSON text. */
const quote = "\\\\?[\"']";
const value = "[^\\s\"'\\\\,;&|)}\\]]{4,400}";
/** Counts and limits are not secrets. */
const noNumber = "(?!\\d{1,9}(?![\\w.-]))";

/** Kinds recognized by their context first, then those recognized by their own form. */
export const secretKinds: readonly SecretKind[] = [
	{
		name: "private key",
		pattern:
			/-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g,
	},
	{ name: "age key", pattern: /\bAGE-SECRET-KEY-1[A-Z0-9]{20,}/g },
	{
		name: "authorization header",
		pattern:
			/\b((?:(?:proxy-)?authorization|x-api-key|x-auth-token)["']?\s{0,3}[:=]\s{0,3}["']?)(?:[a-z]{1,12}\s{1,3})?[^\s"',;\\]{4,}/gi,
		shown: `$1${redacted}`,
	},
	{
		name: "session cookie",
		pattern: /\b((?:set-)?cookie["']?\s{0,3}:\s{0,3}["']?)(?=[^\n"'\\]{0,400}=)[^\n"'\\]{8,2000}/gi,
		shown: `$1${redacted}`,
	},
	{ name: "bearer", pattern: /\b(bearer|basic)(\s{1,3})[\w.~+/=-]{8,}/gi, shown: `$1$2${redacted}` },
	{
		// NAME=value and "name": "value".
		name: "named value",
		pattern: new RegExp(
			`(${announced}(?:${quote})?\\s{0,3}(?:=>?|:(?=\\s{0,3}${quote}))\\s{0,3}(?:${quote})?)${noNumber}${value}`,
			"gi",
		),
		shown: `$1${redacted}`,
	},
	{
		// In prose only values that don't look like a word: `password: hunter2`, not `password: must be long`.
		name: "value in prose",
		pattern: new RegExp(
			`(${announced}(?:${quote})?\\s{0,3}(?::|\\bis\\b)\\s{0,3})${noNumber}(?=[^\\s]{0,80}(?:[\\d_+/=@#$%^*-]|[.!]\\S))${value}`,
			"gi",
		),
		shown: `$1${redacted}`,
	},
	{
		name: "option",
		pattern:
			/(--?(?:api-?key|access-?key|secret-?key|private-?key|auth-?token|token|secret|password|passwd|passphrase)[\s=]{1,3})(?!-)((?:\\?["'])?)[^\s"'\\]{4,}/gi,
		shown: `$1$2${redacted}`,
	},
	{
		name: "address with a password",
		pattern: /([a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@"']{0,100}:)[^\s@/"']{1,200}@/gi,
		shown: `$1${redacted}@`,
	},
	{ name: "API key", pattern: /\b(?:sk|pk|rk|whsec)[-_](?:live|test|proj|ant|or|svcacct)?[-_]?[\w-]{16,}/g },
	{
		name: "forge token",
		pattern:
			/\b(?:ghp|gho|ghs|ghu|ghr)_\w{20,}|\bgithub_pat_\w{20,}|\bgl(?:pat|ptt|dt|rt|soat)-[\w-]{16,}|\bATBB\w{20,}/g,
	},
	{
		name: "registry token",
		pattern: /\bnpm_\w{20,}|\bpypi-[\w-]{30,}|\bdckr_pat_[\w-]{20,}|\brubygems_\w{30,}|\bhf_\w{20,}/g,
	},
	{
		name: "chat token",
		pattern:
			/\bxox[abeoprs]-[\w-]{10,}|\bxapp-[\w-]{10,}|\b\d{8,10}:AA[\w-]{32,}|https:\/\/hooks\.slack\.com\/services\/[\w/]{20,}/g,
	},
	{
		name: "cloud key",
		pattern:
			/\b(?:AKIA|ASIA|AGPA|AIDA|AROA|ABIA|ACCA)[A-Z0-9]{12,}|\bAIza[\w-]{30,}|\bya29\.[\w-]{10,}|\bGOCSPX-[\w-]{20,}|\bLTAI\w{12,}|\bdo[opr]_v1_[0-9a-f]{40,}|\bSG\.[\w-]{16,}\.[\w-]{16,}|\bAccountKey=[\w+/=]{20,}|\bsq0(?:atp|csp)-[\w-]{20,}|\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{20,}|\bhv[sbr]\.[\w-]{20,}/g,
	},
	{ name: "JSON web token", pattern: /\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]{4,})?/g },
	{
		// Last: any long word of random letters and digits.
		name: "random word",
		pattern: /(?<![\w+/=.-])[A-Za-z0-9+_-]{32,}={0,2}(?![\w/])/g,
		shown: (word, before, after) => (looksRandom(word) && !isDigest(word, before, after) ? redacted : undefined),
	},
];

const shortestRandom = 24;

/**
 * Whether a part of a word alternates between capital letters, small letters and digits as often as random text. Names of functions and
 * files don't. UUIDs and words joined by dashes are names, so short parts don't count.
 */
function looksRandom(word: string): boolean {
	return word.split(/[-_]/).some((part) => part.length >= shortestRandom && alternates(part));
}

function alternates(part: string): boolean {
	let changes = 0;
	let digits = 0;
	const classes = new Set<string>();
	let last = "";
	for (const character of part) {
		const of = /\d/.test(character) ? "digit" : /[A-Z]/.test(character) ? "capital" : "small";
		if (of === "digit") digits += 1;
		if (last !== "" && of !== last) changes += 1;
		classes.add(of);
		last = of;
	}
	const often = classes.size > 2 ? 0.45 : 0.28;
	return digits >= 3 && changes / part.length >= often;
}

/** Git objects and checksums are not secrets if the text around them identifies them, as in the output of git and `sha256sum`. */
function isDigest(word: string, before: string, after: string): boolean {
	if (!/^(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})$/.test(word)) return false;
	// A token mentioned together with a commit is still a token.
	if (/token|key|secret|passw|auth|cred/i.test(before.slice(-30))) return false;
	// `name.js <digest>` in a list, and `<digest>  name.js` as `sha256sum` prints it.
	const isOfFile =
		/(?:^|[\s("'`/])[\w@-][\w@.-]*\.[A-Za-z]\w{0,7} {1,2}$/.test(before) || /^(?: {2}| \*)[\w./]/.test(after);
	if (isOfFile) return true;
	return /(?:(?:\b|_)(?:commit|tree|blob|tag|parent|object|objects|rev|revision|head|base|merge|revert|checkout|show|diff|reset|index|sha-?\d{0,3}|md5|hash|digest|checksum|etag|integrity)s?\b[^\n]{0,24}|[0-9a-f]{7,40}\.{2,3})$/i.test(
		before,
	);
}

const announcedName = new RegExp(`(?:${announced}|authorization)$`, "i");
const secretName = /(?:key|token|secret|passw(?:or)?d|passwd|passphrase|credential)/i;
const shortestValue = 6;

/** Replaces the secrets in text. */
export type Redact = (text: string) => string;

/** Opens a redactor. The values of variables in `env` with secret names count as secrets everywhere. */
export function openRedaction(env: Readonly<Record<string, string | undefined>> = {}): Redact {
	const values = Object.entries(env)
		.flatMap(([name, value = ""]) => (secretName.test(name) && isLongSecret(value) ? [value] : []))
		.sort((a, b) => b.length - a.length);
	const known = [
		...new Set(values.flatMap((value) => [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value)])),
	];
	return (text) => {
		let clean = text;
		for (const value of known) if (clean.includes(value)) clean = clean.replaceAll(value, redacted);
		return redactSecrets(clean);
	};
}

function isLongSecret(value: string): boolean {
	return value.length >= shortestValue && !/^(?:true|false|\d{1,7}|\/.*)$/.test(value);
}

/** Replaces everything that looks like a secret. */
export function redactSecrets(text: string): string {
	let clean = text;
	for (const { pattern, shown = redacted } of secretKinds) {
		if (typeof shown === "string") clean = clean.replace(pattern, shown);
		else
			clean = clean.replace(
				pattern,
				(match: string, at: number, whole: string) =>
					shown(match, whole.slice(Math.max(0, at - 60), at), whole.slice(at + match.length, at + match.length + 8)) ??
					match,
			);
	}
	return clean;
}

/** Whether a name indicates a secret value: `db_password`, `API_KEY`; not `tokens`, not `keyboard`. */
export function isSecretName(name: string): boolean {
	return announcedName.test(name);
}
