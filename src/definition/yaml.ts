// YAML 1.2 into the tree of `node.ts`, with places. Knows no fields; explains mistakes through `yaml-mistakes.ts`.
// Y1 every problem of the text is told, at most one a line; Y2 a text with an error gives no tree; Y3 nothing throws and nothing
// grows faster than the text: aliases share nodes, duplicate keys are found by hashing, depth is bounded.
import { type Document, isAlias, isMap, isScalar, isSeq, parseDocument } from "yaml";
import type { Diagnostic } from "./diagnostic.ts";
import { quoted } from "./format.ts";
import { type MapEntry, type MapNode, maxDepth, type Node } from "./node.ts";
import { openReport, type Report } from "./report.ts";
import type { Source } from "./source.ts";
import { explainYaml, hideInnerColons } from "./yaml-mistakes.ts";

export interface ParsedTree {
	/** `undefined` where the text is empty or has an error. */
	readonly root: Node | undefined;
	readonly diagnostics: readonly Diagnostic[];
}

export interface SourceRange {
	readonly start: number;
	readonly end: number;
}

const maxAliases = 1000;

/** Parses the YAML text of a source, or the part of it that `range` names. */
export function parseYaml(source: Source, span: SourceRange = { start: 0, end: source.text.length }): ParsedTree {
	const report = openReport();
	const text = source.text.slice(span.start, span.end);
	let document = parseText(text);
	if (!document) {
		report.error(source.place(span.start), tooDeep);
		return { root: undefined, diagnostics: report.diagnostics };
	}
	let restore = (value: string): string => value;
	if (document.errors.length > 0) {
		const repair = hideInnerColons(text, document.errors);
		const repaired = repair && parseText(repair.text);
		if (repair && repaired && repaired.errors.length === 0) {
			for (const { offset, problem } of repair.warnings) report.warn(source.place(span.start + offset), problem);
			document = repaired;
			restore = (value) => value.replaceAll(repair.standIn, ":");
		}
	}
	for (const { offset, severity, problem } of explainYaml(text, document)) {
		const place = source.place(span.start + offset);
		if (severity === "error") report.error(place, problem);
		else report.warn(place, problem);
	}
	if (report.failed) return { root: undefined, diagnostics: report.diagnostics };
	const root = document.contents === null ? undefined : convert(document.contents, source, span.start, restore, report);
	return { root: report.failed ? undefined : root, diagnostics: report.diagnostics };
}

const tooDeep = {
	code: "too-deep",
	message: `Lists and groups are nested more than ${maxDepth} levels deep.`,
	remedy: "Write it flatter.",
};

function parseText(text: string): Document | undefined {
	try {
		return parseDocument(text, { version: "1.2", prettyErrors: false, uniqueKeys: false, logLevel: "error" });
	} catch {
		// The parser recurses: what is nested some thousand levels deep exhausts the stack.
		return undefined;
	}
}

function convert(
	contents: unknown,
	source: Source,
	base: number,
	restore: (value: string) => string,
	report: Report,
): Node | undefined {
	const anchors = new Map<string, Node | "open">();
	let aliases = 0;

	const fail = (offset: number, code: string, message: string, remedy: string): undefined => {
		report.error(source.place(offset), { code, message, remedy });
		return undefined;
	};

	const node = (written: unknown, depth: number): Node | undefined => {
		if (isAlias(written)) return alias(written.source, base + (written.range?.[0] ?? 0));
		if (!isScalar(written) && !isSeq(written) && !isMap(written)) return nothing(base, base);
		const start = base + (written.range?.[0] ?? 0);
		const end = base + (written.range?.[1] ?? 0);
		if (depth > maxDepth) return fail(start, tooDeep.code, tooDeep.message, tooDeep.remedy);
		const anchor = written.anchor;
		if (anchor !== undefined) anchors.set(anchor, "open");
		const made = isScalar(written) ? scalar(written.value, written.source, start, end) : collection(written, depth);
		if (anchor !== undefined && made) anchors.set(anchor, made);
		return made;
	};

	const collection = (written: unknown, depth: number): Node | undefined => {
		if (isSeq(written)) {
			const items: Node[] = [];
			for (const item of written.items) {
				const made = node(item, depth + 1);
				if (made) items.push(made);
			}
			return { kind: "list", items, ...span(written.range, base) };
		}
		return isMap(written) ? map(written, depth) : undefined;
	};

	const map = (written: { items: readonly unknown[]; range?: Range | null }, depth: number): MapNode => {
		const entries = new Map<string, MapEntry>();
		const merged: Node[] = [];
		for (const pair of written.items as readonly { key: unknown; value: unknown }[]) {
			const key = isAlias(pair.key) ? undefined : pair.key;
			if (!isScalar(key)) {
				const at = (key as { range?: Range | null } | undefined)?.range?.[0] ?? written.range?.[0] ?? 0;
				fail(base + at, "odd-key", "A key here is not a plain word.", "Write the key as a word, followed by a colon.");
				continue;
			}
			const keyStart = base + (key.range?.[0] ?? 0);
			const name = typeof key.value === "string" ? restore(key.value) : (key.source ?? String(key.value));
			const value = pair.value === null ? nothing(base + (key.range?.[1] ?? 0)) : node(pair.value, depth + 1);
			if (!value) continue;
			if (name === "<<" && key.type === "PLAIN") {
				merged.push(...(value.kind === "list" ? value.items : [value]));
				continue;
			}
			const earlier = entries.get(name);
			if (earlier) {
				const { line } = source.place(earlier.keyStart);
				const message = `The key ${quoted(name)} is given twice; the first time in line ${line}.`;
				fail(keyStart, "duplicate-key", message, "Keep one of the two.");
			} else entries.set(name, { keyStart, value });
		}
		for (const other of merged) {
			if (other.kind !== "map") {
				fail(
					other.start,
					"odd-merge",
					"`<<` merges groups of fields only.",
					"Refer to a group of fields, or remove it.",
				);
				continue;
			}
			for (const [name, entry] of other.entries) if (!entries.has(name)) entries.set(name, entry);
		}
		return { kind: "map", entries, ...span(written.range, base) };
	};

	const scalar = (value: unknown, written: string | undefined, start: number, end: number): Node => {
		const plain = typeof value === "number" || typeof value === "boolean" || value === null;
		const text = restore(written ?? source.text.slice(start, end));
		return { kind: "scalar", value: plain ? value : restore(String(value)), written: text, start, end };
	};

	const alias = (name: string, offset: number): Node | undefined => {
		aliases += 1;
		if (aliases === maxAliases + 1)
			return fail(offset, "too-many-aliases", `More than ${maxAliases} aliases are used.`, "Write the values out.");
		if (aliases > maxAliases) return undefined;
		const target = anchors.get(name);
		if (target === "open")
			return fail(offset, "alias-loop", `The alias ${quoted(`*${name}`)} stands inside what it repeats.`, "Remove it.");
		if (!target) {
			const message = `${quoted(`*${name}`)} repeats something named ${quoted(`&${name}`)}, which is not written before it.`;
			return fail(offset, "unknown-alias", message, "To write text that begins with `*`, put it in quotes.");
		}
		return target;
	};

	return node(contents, 1);
}

type Range = readonly [number, number, number];

function span(range: Range | null | undefined, base: number): { start: number; end: number } {
	return { start: base + (range?.[0] ?? 0), end: base + (range?.[1] ?? 0) };
}

function nothing(start: number, end = start): Node {
	return { kind: "scalar", value: null, written: "", start, end };
}
