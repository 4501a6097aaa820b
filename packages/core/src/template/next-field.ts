// `next` of a state: a list of states, or of a command also an object that decides by its exit code or by a value of its output.
// A comparison is exact, `==` or `!=`, with one JSON value: there is no expression language.
import {
	custom,
	didYouMean,
	type MapNode,
	type Node,
	type PlacedName,
	quoted,
	type ReadContext,
	wrongType,
} from "../definition/index.ts";
import { referencesIn } from "../output/index.ts";
import { checkName } from "./names.ts";
import type { CommandCase } from "./template.ts";

export interface NextField {
	/** Every target once, in the order written. */
	readonly names: readonly PlacedName[];
	/** What decides between them; `undefined`: it is a list. */
	readonly ways: { readonly cases: readonly CommandCase[]; readonly otherwise: string | undefined } | undefined;
}

const deciding = ["when", "then", "else"];
const maxCode = 255;
const way = { type: "string" };

export const nextField = custom<NextField, { about: string }>(
	{
		about:
			'States that may follow. Without `next`, the run ends here. Of a [command](chronicle.md#a-state-that-is-a-command): `[success, failure]`, an object of exit codes such as `{ "0": "review", "else": "building" }`, or `{ "when": "{output.test.failed} == 0", "then": "review", "else": "building" }`.',
	},
	"list of state names, or object",
	{
		anyOf: [
			{ type: "array", items: way, uniqueItems: true },
			{ $ref: "#/$defs/comparison" },
			{
				type: "object",
				minProperties: 1,
				patternProperties: { "^(\\d{1,3}|else)$": way },
				additionalProperties: false,
			},
		],
	},
	readNext,
);

/** JSON Schema of `next` by a comparison. */
export const comparisonSchema = {
	type: "object",
	required: ["when", "then"],
	properties: {
		when: { type: "string", pattern: "^\\s*\\{output\\.[^{}]+\\}\\s*[!=]=" },
		// biome-ignore lint/suspicious/noThenProperty: it is a key of templates.
		then: way,
		else: { anyOf: [way, { $ref: "#/$defs/comparison" }] },
	},
	additionalProperties: false,
};

function readNext(node: Node, reading: ReadContext): NextField | undefined {
	if (node.kind === "map") return readWays(node, reading);
	if (node.kind !== "list")
		return wrongType(node, reading, "a list of state names", 'Write `["name"]`, or `[]` where the run ends.');
	const found: PlacedName[] = [];
	for (const item of node.items) {
		if (item.kind !== "scalar" || typeof item.value !== "string") {
			readName(item, { ...reading, path: `${reading.path}[]` });
			continue;
		}
		if (!checkName(item.value, item.start, reading)) continue;
		if (found.some((word) => word.text === item.value))
			reading.report.warn(reading.source.place(item.start), {
				code: "named-twice",
				message: `\`${reading.path}\` names ${quoted(item.value)} twice.`,
				remedy: "Keep one of the two.",
			});
		else found.push({ text: item.value, start: item.start });
	}
	return { names: found, ways: undefined };
}

function readName(node: Node, reading: ReadContext): PlacedName | undefined {
	if (node.kind !== "scalar" || typeof node.value !== "string")
		return wrongType(node, reading, "the name of a state, as a string", "Put the name in quotes.");
	return checkName(node.value, node.start, reading) ? { text: node.value, start: node.start } : undefined;
}

function readWays(node: MapNode, reading: ReadContext): NextField | undefined {
	if (node.entries.size === 0)
		return wrongType(node, reading, "an object with at least one way", 'Write `{ "0": "name", "else": "name" }`.');
	const ways = node.entries.has("when") ? readComparison(node, reading) : readCodes(node, reading);
	if (!ways) return undefined;
	const names = new Map<string, PlacedName>();
	for (const name of ways.names) if (!names.has(name.text)) names.set(name.text, name);
	return { names: [...names.values()], ways: { cases: ways.cases, otherwise: ways.otherwise } };
}

interface Ways {
	readonly names: readonly PlacedName[];
	readonly cases: readonly CommandCase[];
	readonly otherwise: string | undefined;
}

function readCodes(node: MapNode, reading: ReadContext): Ways | undefined {
	const names: PlacedName[] = [];
	const cases: CommandCase[] = [];
	let otherwise: string | undefined;
	let wrong = false;
	for (const [key, { keyStart, value }] of node.entries) {
		const code = /^\d{1,3}$/.test(key) ? Number(key) : undefined;
		const isCode = code !== undefined && code <= maxCode;
		const name = readName(value, { ...reading, path: `${reading.path}.${key}` });
		if (!isCode && key !== "else") reportKey(key, keyStart, reading);
		if (!name || (!isCode && key !== "else")) {
			wrong = true;
			continue;
		}
		names.push(name);
		if (isCode) cases.push({ kind: "code", code, to: name.text });
		else otherwise = name.text;
	}
	return wrong ? undefined : { names, cases, otherwise };
}

function reportKey(key: string, keyStart: number, reading: ReadContext): void {
	reading.report.error(reading.source.place(keyStart), {
		code: "bad-exit-code",
		message: `${quoted(key)} in \`${reading.path}\` is not an exit code from 0 to ${maxCode}.${didYouMean(key, deciding)}`,
		remedy: "Write an exit code, or `else` for all others.",
	});
}

function readComparison(node: MapNode, reading: ReadContext): Ways | undefined {
	const unknown = [...node.entries].filter(([key]) => !deciding.includes(key));
	for (const [key, { keyStart }] of unknown)
		reading.report.error(reading.source.place(keyStart), {
			code: "unknown-key",
			message: `\`${reading.path}\` decides by \`when\`, so ${quoted(key)} has no effect.${didYouMean(key, deciding)}`,
			remedy: "Write `when`, `then` and `else`; for a further comparison, such an object in `else`.",
		});
	if (unknown.length > 0) return undefined;
	const at = (key: string) => ({ ...reading, path: `${reading.path}.${key}` });
	const written = node.entries.get("when")?.value;
	const test = written && readTest(written, at("when"));
	const then = node.entries.get("then")?.value ?? node;
	const to = readName(then, then === node ? reading : at("then"));
	const other = node.entries.get("else")?.value;
	const rest = other && (other.kind === "map" ? readWays(other, at("else")) : readName(other, at("else")));
	if (!test || !to || (other && !rest)) return undefined;
	const own = { kind: "when", ...test, to: to.text } as const;
	if (!rest) return { names: [to], cases: [own], otherwise: undefined };
	if ("text" in rest) return { names: [to, rest], cases: [own], otherwise: rest.text };
	const { cases = [], otherwise } = rest.ways ?? {};
	return { names: [to, ...rest.names], cases: [own, ...cases], otherwise };
}

type Test = Pick<Extract<CommandCase, { kind: "when" }>, "reference" | "negated" | "value">;

function readTest(node: Node, reading: ReadContext): Test | undefined {
	const text = node.kind === "scalar" && typeof node.value === "string" ? node.value : "";
	const [, reference = "", sign, value = ""] = /^\s*\{output\.([^{}\r\n]+)\}\s*([!=]=)\s*(\S.*?)\s*$/.exec(text) ?? [];
	const literal = sign === undefined ? undefined : literalOf(value);
	if (literal) return { reference, negated: sign === "!=", ...literal };
	return wrongType(
		node,
		reading,
		"an exact comparison of one value",
		'Write `"{output.<state>.<path>} == <value>"`, or with `!=`; the value is a number, `true`, `false`, `null` or a string.',
	);
}

/** A JSON scalar; any other word is a string. `undefined`: a list, an object, or a further operator. */
function literalOf(written: string): Pick<Test, "value"> | undefined {
	try {
		const value: unknown = JSON.parse(written);
		return typeof value === "object" && value !== null ? undefined : { value: value as Test["value"] };
	} catch {
		return /^[\p{L}\p{N}_./:@ -]+$/u.test(written) ? { value: written } : undefined;
	}
}

/** The references in the comparisons of `next`, with the offsets of their texts. */
export function comparedReferences(
	next: Node | undefined,
): readonly { readonly reference: string; readonly start: number }[] {
	if (next?.kind !== "map") return [];
	const when = next.entries.get("when")?.value;
	const text = when?.kind === "scalar" && typeof when.value === "string" ? when.value : "";
	const own = referencesIn(text).map((reference) => ({ reference, start: when?.start ?? next.start }));
	return [...own, ...comparedReferences(next.entries.get("else")?.value)];
}

/** Every target in `next` as written, with its offset. */
export function targetsIn(next: Node | undefined): readonly PlacedName[] {
	if (next?.kind === "list") return next.items.flatMap(nameAt);
	if (next?.kind !== "map") return [];
	return [...next.entries].flatMap(([key, { value }]) =>
		key === "when" ? [] : value.kind === "map" ? targetsIn(value) : nameAt(value),
	);
}

function nameAt(node: Node): readonly PlacedName[] {
	return node.kind === "scalar" && typeof node.value === "string" ? [{ text: node.value, start: node.start }] : [];
}
