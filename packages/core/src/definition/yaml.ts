// Parses YAML 1.2 and JSON (with comments and trailing commas) into the tree of `node.ts`, with places. Knows no fields.
// Every problem of the text is reported, at most one per line; a text with an error gives no tree; nothing throws, and time and
// space are linear in the text: aliases share nodes, duplicate keys are found by hashing, depth is bounded.
import {
	type Document,
	isAlias,
	isMap,
	isScalar,
	isSeq,
	parseDocument,
	type Scalar,
	type YAMLError,
	type YAMLMap,
	type YAMLSeq,
	type YAMLWarning,
} from "yaml";
import type { Diagnostic } from "./diagnostic.ts";
import { quoted } from "./format.ts";
import { hideInnerColons, type Repair } from "./inner-colons.ts";
import { type MapEntry, type MapNode, maxDepth, type Node } from "./node.ts";
import { openReport, type Problem, type Report } from "./report.ts";
import type { Source } from "./source.ts";

export interface ParsedTree {
	/** `undefined` if the text is empty or has an error. */
	readonly root: Node | undefined;
	/** Of a text with an error, what the parser could read. */
	readonly readable?: Node | undefined;
	readonly diagnostics: readonly Diagnostic[];
}

export interface SourceRange {
	readonly start: number;
	readonly end: number;
}

const maxAliases = 1000;

/** Parses the YAML text of a source, or of the given range. */
export function parseYaml(
	source: Source,
	{ start, end }: SourceRange = { start: 0, end: source.text.length },
): ParsedTree {
	return parseTree(source, source.text.slice(start, end), start, "text");
}

/** A string, or what JSON allows between values and YAML does not: a comment, or a tab. */
const betweenValues = /"[^"\\\n]*(?:\\.[^"\\\n]*)*"?|'[^'\n]*'?|\/\/[^\n]*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/)?|\t/g;

/** Parses the JSON text of a source. */
export function parseJson(source: Source): ParsedTree {
	const text = source.text.replace(betweenValues, (part) => (/^["']/.test(part) ? part : part.replace(/[^\n]/g, " ")));
	const parsed = parseTree(source, text, 0, "refused");
	if (parsed.root || parsed.diagnostics.length > 0) return parsed;
	const report = openReport();
	report.error(source.place(0), {
		code: "empty",
		message: "The file is empty.",
		remedy: "Write one object: `{ … }`.",
	});
	return { root: undefined, diagnostics: report.diagnostics };
}

/** Parses a file by its extension: JSON, otherwise YAML. */
export function parseData(source: Source): ParsedTree {
	return /\.jsonc?$/i.test(source.file) ? parseJson(source) : parseYaml(source);
}

/** Parses the document `text` at the offset `start`. `words`: whether an unquoted word is a text. */
function parseTree(source: Source, text: string, start: number, words: "text" | "refused"): ParsedTree {
	const report = openReport();
	const written = parseText(text);
	if (!written) {
		report.error(source.place(start), tooDeep);
		return { root: undefined, diagnostics: report.diagnostics };
	}
	const repair = words === "text" ? repairColons(text, written) : undefined;
	for (const { offset, problem } of repair?.warnings ?? []) report.warn(source.place(start + offset), problem);
	const document = repair?.document ?? written;
	for (const flaw of firstOfLines(text, document.errors))
		report.error(source.place(start + flaw.pos[0]), syntaxProblem(flaw, words));
	for (const flaw of firstOfLines(text, document.warnings))
		report.warn(source.place(start + flaw.pos[0]), syntaxProblem(flaw, words));
	if (document.contents === null) return { root: undefined, diagnostics: report.diagnostics };
	// A node that is invalid because of an error in the syntax is no problem of its own.
	const nodes = report.failed ? openReport() : report;
	const builder = new TreeBuilder({ source, base: start, report: nodes, standIn: repair?.standIn, words });
	const readable = builder.node(document.contents, 1);
	if (report.failed) return { root: undefined, readable, diagnostics: report.diagnostics };
	return { root: readable, diagnostics: report.diagnostics };
}

/** The first of the flaws of each line. */
function firstOfLines<T extends YAMLError | YAMLWarning>(text: string, flaws: readonly T[]): readonly T[] {
	const lines = Map.groupBy(flaws, ({ pos }) => text.lastIndexOf("\n", pos[0] - 1));
	return [...lines.values()].flatMap(([first]) => first ?? []);
}

/** What the parser calls the characters that it did not expect. */
const tokens: Readonly<Record<string, string>> = {
	"block-seq-ind": "`- `",
	"map-value-ind": "`: `",
	"explicit-key-ind": "`? `",
	"flow-map-start": "`{`",
	"flow-map-end": "`}`",
	"flow-seq-start": "`[`",
	"flow-seq-end": "`]`",
	"doc-start": "`---`",
	"doc-end": "`...`",
};

function syntaxProblem({ code, message }: YAMLError | YAMLWarning, words: "text" | "refused"): Problem {
	if (code === "RESOURCE_EXHAUSTION") return tooDeep;
	const [first = ""] = message
		.replace(/\b[a-z]+(?:-[a-z]+)+\b/g, (name) => tokens[name] ?? name)
		.replace(/\s+/g, " ")
		.replace(/\.$/, "")
		.split(";");
	const remedy =
		words === "refused"
			? "Check the commas, quotes and brackets before it; keys and text need double quotes."
			: "Close quotes and brackets, indent with spaces, and quote values that have a colon or start with a special character.";
	return { code: "syntax", message: `${first}.`, remedy };
}

/** The document with inner colons of texts hidden; `undefined` if that does not remove all errors. */
function repairColons(text: string, { errors }: Document): (Repair & { readonly document: Document }) | undefined {
	const repair = errors.length > 0 ? hideInnerColons(text, errors) : undefined;
	const document = repair && parseText(repair.text);
	return repair && document && document.errors.length === 0 ? { ...repair, document } : undefined;
}

const tooDeep: Problem = {
	code: "too-deep",
	message: `Lists and objects are nested more than ${maxDepth} levels deep.`,
	remedy: "Reduce the nesting.",
};

function parseText(text: string): Document | undefined {
	try {
		return parseDocument(text, { version: "1.2", prettyErrors: false, uniqueKeys: false, logLevel: "error" });
	} catch {
		// The parser is recursive, so several thousand levels of nesting exhaust the stack.
		return undefined;
	}
}

interface TreeOptions {
	readonly source: Source;
	/** Offset of the document in the source. */
	readonly base: number;
	readonly report: Report;
	/** Replaced with `:` in every text; see `hideInnerColons`. */
	readonly standIn: string | undefined;
	readonly words: "text" | "refused";
}

/** Builds the tree of one document. An invalid node adds a problem to the report and gives `undefined`. */
class TreeBuilder {
	private readonly options: TreeOptions;
	private readonly anchors = new Map<string, Node | "open">();
	private aliases = 0;

	constructor(options: TreeOptions) {
		this.options = options;
	}

	node(written: unknown, depth: number): Node | undefined {
		const { base } = this.options;
		if (isAlias(written)) return this.alias(written.source, base + (written.range?.[0] ?? 0));
		if (!isScalar(written) && !isSeq(written) && !isMap(written)) return nothing(base, base);
		if (depth > maxDepth) return this.fail(base + (written.range?.[0] ?? 0), tooDeep);
		const { anchor } = written;
		if (anchor !== undefined) this.anchors.set(anchor, "open");
		const built = isScalar(written)
			? this.scalar(written)
			: isSeq(written)
				? this.list(written, depth)
				: this.map(written, depth);
		if (anchor !== undefined) this.anchors.set(anchor, built ?? nothing(base));
		return built;
	}

	private fail(offset: number, problem: Problem): undefined {
		this.options.report.error(this.options.source.place(offset), problem);
		return undefined;
	}

	private restore(text: string): string {
		const { standIn } = this.options;
		return standIn === undefined ? text : text.replaceAll(standIn, ":");
	}

	private list(written: YAMLSeq, depth: number): Node {
		const items = written.items.flatMap((item) => this.node(item, depth + 1) ?? []);
		return { kind: "list", items, ...span(written.range, this.options.base) };
	}

	private map(written: YAMLMap, depth: number): MapNode {
		const entries = new Map<string, MapEntry>();
		const merged: Node[] = [];
		for (const pair of written.items) {
			const key = this.key(pair.key, written);
			if (!key) continue;
			const value = pair.value === null ? nothing(key.end) : this.node(pair.value, depth + 1);
			if (!value) continue;
			const earlier = entries.get(key.name);
			if (key.merges) merged.push(value);
			else if (earlier) this.fail(key.start, duplicateKey(key.name, this.options.source.place(earlier.keyStart).line));
			else entries.set(key.name, { keyStart: key.start, value });
		}
		for (const other of merged.flatMap((value) => (value.kind === "list" ? value.items : [value])))
			this.merge(other, entries);
		return { kind: "map", entries, ...span(written.range, this.options.base) };
	}

	private key(
		written: unknown,
		map: YAMLMap,
	): { name: string; start: number; end: number; merges: boolean } | undefined {
		const { base } = this.options;
		if (!isScalar(written)) {
			const at = (written as { range?: NodeRange | null } | undefined)?.range?.[0] ?? map.range?.[0] ?? 0;
			return this.fail(base + at, complexKey);
		}
		const { value, source, type, range } = written;
		const name = typeof value === "string" ? this.restore(value) : (source ?? String(value));
		const { start } = span(range, base);
		return { name, start, end: base + (range?.[1] ?? 0), merges: name === "<<" && type === "PLAIN" };
	}

	/** Adds the fields that `<<` refers to. Existing fields take precedence. */
	private merge(other: Node, entries: Map<string, MapEntry>): void {
		if (other.kind !== "map") {
			this.fail(other.start, badMerge);
			return;
		}
		for (const [name, entry] of other.entries) if (!entries.has(name)) entries.set(name, entry);
	}

	private scalar({ value, source: written, range, type }: Scalar): Node | undefined {
		const { source, base, words } = this.options;
		const { start, end } = span(range, base);
		if (words === "refused" && type === "PLAIN" && typeof value === "string")
			return this.fail(start, {
				code: "no-quotes",
				message: `${quoted(value, 30)} is unexpected here.`,
				remedy: "Put text in double quotes, and check the commas and brackets before it.",
			});
		const plain = typeof value === "number" || typeof value === "boolean" || value === null;
		const text = this.restore(written ?? source.text.slice(start, end));
		return { kind: "scalar", value: plain ? value : this.restore(String(value)), written: text, start, end };
	}

	private alias(name: string, offset: number): Node | undefined {
		this.aliases += 1;
		if (this.aliases > maxAliases)
			return this.aliases === maxAliases + 1 ? this.fail(offset, tooManyAliases) : undefined;
		const target = this.anchors.get(name);
		if (target === "open")
			return this.fail(offset, {
				code: "alias-loop",
				message: `The alias ${quoted(`*${name}`)} is inside the node that it repeats.`,
				remedy: "Remove it.",
			});
		if (!target)
			return this.fail(offset, {
				code: "unknown-alias",
				message: `${quoted(`*${name}`)} refers to ${quoted(`&${name}`)}, which is not defined before it.`,
				remedy: "Quote a value that starts with `*`.",
			});
		return target;
	}
}

const complexKey: Problem = {
	code: "unknown-key",
	message: "This key is not plain text.",
	remedy: "Write the key as plain text, followed by a colon.",
};

const badMerge: Problem = {
	code: "odd-merge",
	message: "`<<` merges objects only.",
	remedy: "Refer to an object, or remove it.",
};

const tooManyAliases: Problem = {
	code: "too-many-aliases",
	message: `More than ${maxAliases} aliases are used.`,
	remedy: "Repeat the values instead of using aliases.",
};

function duplicateKey(name: string, line: number | undefined): Problem {
	return {
		code: "duplicate-key",
		message: `The key ${quoted(name)} is duplicated; it is first given in line ${line}.`,
		remedy: "Keep one.",
	};
}

type NodeRange = readonly [number, number, number];

function span(range: NodeRange | null | undefined, base: number): { start: number; end: number } {
	return { start: base + (range?.[0] ?? 0), end: base + (range?.[1] ?? 0) };
}

function nothing(start: number, end = start): Node {
	return { kind: "scalar", value: null, written: "", start, end };
}
