// Secrets do not go into the ledger: what looks like one, what a name announces as one, and the values of the environment's own.
// S1 the text keeps its shape: only the secret is replaced; S2 every expression is linear in the text; S3 a person's own words (task,
// template, answers, messages) are left as they are: the worker has to get them.
import type { EventBody, EventKind } from "../machine/index.ts";

const mark = "•••";

/** What announces a secret: `…_KEY`, `apiKey`, `token`, `SECRET_…`, `password`; not `tokens`, not a bare `key`. */
const name =
	"(?:(?:api|access|secret|private)[_-]?key|(?<=[a-z0-9][_-])key|token|secret|passw(?:or)?d|passphrase|credentials?)(?:[_-][a-z0-9]{1,20}){0,2}";
/** A quote, also one inside of JSON text. */
const quote = "\\\\?[\"']";
const value = "[^\\s\"'\\\\,;&|)}\\]]{4,400}";
/** Counts and limits are no secrets. */
const noNumber = "(?!\\d{1,9}(?![\\w.-]))";

const shapes: readonly [RegExp, string][] = [
	[/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g, mark],
	[/\b((?:proxy-)?authorization["']?\s{0,3}[:=]\s{0,3}["']?)(?:[a-z]{1,12}\s{1,3})?[^\s"',;\\]{4,}/gi, `$1${mark}`],
	[/\b(bearer|basic)(\s{1,3})[\w.~+/=-]{8,}/gi, `$1$2${mark}`],
	// NAME=value and "name": "value".
	[
		new RegExp(
			`(${name}(?:${quote})?\\s{0,3}(?:=>?|:(?=\\s{0,3}${quote}))\\s{0,3}(?:${quote})?)${noNumber}${value}`,
			"gi",
		),
		`$1${mark}`,
	],
	// In prose only what does not look like a word: `password: hunter2`, not `password: must be long`.
	[
		new RegExp(
			`(${name}(?:${quote})?\\s{0,3}:\\s{0,3})${noNumber}(?=[^\\s]{0,80}(?:[\\d_+/=@#$%^*-]|[.!]\\S))${value}`,
			"gi",
		),
		`$1${mark}`,
	],
	[
		/(--?(?:api-?key|access-?key|token|secret|password|passwd|passphrase)\s{1,3})(?!-)((?:\\?["'])?)[^\s"'\\]{4,}/gi,
		`$1$2${mark}`,
	],
	[/([a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@"']{0,100}:)[^\s@/"']{1,200}@/gi, `$1${mark}@`],
	[/\b(?:sk|pk|rk)[-_](?:live|test|proj|ant|or)?[-_]?[\w-]{16,}/g, mark],
	[
		/\b(?:ghp|gho|ghs|ghu|ghr)_\w{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}|\bxox[abeoprs]-[\w-]{10,}|\bnpm_\w{30,}|\bhf_\w{20,}/g,
		mark,
	],
	[/\b(?:AKIA|ASIA|AGPA|AIDA|AROA)[A-Z0-9]{12,}|\bAIza[\w-]{30,}|\bya29\.[\w-]{20,}/g, mark],
	[/\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]{4,})?/g, mark],
];

const secretName = /(?:key|token|secret|passw(?:or)?d|passwd|passphrase|credential)/i;
const shortestValue = 6;

export type Redact = (text: string) => string;

/** A function that takes secrets out of a text. `env`: values of variables with secret names are secrets wherever they stand. */
export function openRedaction(env: Readonly<Record<string, string | undefined>> = {}): Redact {
	const values = Object.entries(env)
		.filter(
			([name, value]) =>
				secretName.test(name) &&
				(value?.length ?? 0) >= shortestValue &&
				!/^(?:true|false|\d{1,7}|\/.*)$/.test(value ?? ""),
		)
		.map(([, value]) => value ?? "")
		.sort((a, b) => b.length - a.length);
	const known = [
		...new Set(values.flatMap((value) => [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value)])),
	];
	return (text) => {
		let clean = text;
		for (const value of known) if (clean.includes(value)) clean = clean.replaceAll(value, mark);
		for (const [shape, shown] of shapes) clean = clean.replace(shape, shown);
		return clean;
	};
}

/** Kinds of events that hold only what a person said. */
const ownWords: ReadonlySet<EventKind> = new Set([
	"created",
	"approved",
	"rejected",
	"resumed",
	"released",
	"told",
	"limits_changed",
	"model_changed",
	"pause_requested",
	"abort_requested",
	"reopened",
]);

/** The event with secrets taken out of every text that came from a model, a tool, a command or a fault. */
export function redactEvent<T extends EventBody>(event: T, redact: Redact): T {
	if (ownWords.has(event.kind) || (event.kind === "snapshot_updated" && event.by === "person")) return event;
	return redactDeep(event, redact) as T;
}

/** Names that are compared or looked up: to change them would change the story. */
const untouched = new Set([
	"kind",
	"target",
	"from",
	"to",
	"state",
	"tree",
	"before",
	"diff",
	"hash",
	"call",
	"tool",
	"model",
	"rules",
	"started",
	"host",
	"id",
]);

function redactDeep(value: unknown, redact: Redact): unknown {
	if (typeof value === "string") return redact(value);
	if (Array.isArray(value)) return value.map((item) => redactDeep(item, redact));
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(
		Object.entries(value).map(([key, inner]) => [key, untouched.has(key) ? inner : redactField(key, inner, redact)]),
	);
}

/** A finding whose own key announces a secret is one. */
function redactField(key: string, value: unknown, redact: Redact): unknown {
	if (Array.isArray(value) && (key === "findings" || key === "pendingTasks"))
		return value.map((entry: { key?: string; text: string }) => {
			const clean = redactDeep(entry, redact) as { key?: string; text: string };
			return entry.key !== undefined && isSecretName(entry.key) ? { ...clean, text: mark } : clean;
		});
	return redactDeep(value, redact);
}

function isSecretName(name: string): boolean {
	return /(?:^|[_\s-])(?:api[_-]?key|(?:access|secret|private)[_-]?key|token|secret|passw(?:or)?d|passwd|passphrase)$/i.test(
		name,
	);
}
