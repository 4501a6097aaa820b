// Parses JSON into the tree of `node.ts`, with places. Accepts comments, trailing commas, and the rest of JSON5.
// J1 nothing throws; J2 a text with an error gives no tree; the parser stops at the first error.
import { parse, type ValueNode } from "@humanwhocodes/momoa";
import { quoted } from "./format.ts";
import { type MapEntry, maxDepth, type Node } from "./node.ts";
import { openReport, type Problem, type Report } from "./report.ts";
import type { Source } from "./source.ts";
import type { ParsedTree } from "./yaml.ts";

export function parseJson(source: Source): ParsedTree {
	const report = openReport();
	try {
		const document = parse(source.text, { mode: "json5", allowTrailingCommas: true });
		const root = convert(document.body, source, report, 1);
		return { root: report.failed ? undefined : root, diagnostics: report.diagnostics };
	} catch (error) {
		const { offset, problem } = explain(source.text, error as Error & { offset?: number });
		report.error(source.place(offset), problem);
		return { root: undefined, diagnostics: report.diagnostics };
	}
}

function convert(value: ValueNode, source: Source, report: Report, depth: number): Node {
	const at = { start: value.loc.start.offset, end: value.loc.end.offset };
	const scalar = (content: string | number | boolean | null): Node => {
		const written = typeof content === "string" ? content : source.text.slice(at.start, at.end);
		return { kind: "scalar", value: content, written, ...at };
	};
	if (depth > maxDepth) {
		report.error(source.place(at.start), tooDeep);
		return scalar(null);
	}
	switch (value.type) {
		case "Null":
			return scalar(null);
		case "Array":
			return {
				kind: "list",
				items: value.elements.map((element) => convert(element.value, source, report, depth + 1)),
				...at,
			};
		case "Object": {
			const entries = new Map<string, MapEntry>();
			for (const { name, value: content } of value.members) {
				const key = name.type === "String" ? name.value : name.name;
				const keyStart = name.loc.start.offset;
				const earlier = entries.get(key);
				if (earlier)
					report.error(source.place(keyStart), {
						code: "duplicate-key",
						message: `The key ${quoted(key)} is duplicated; it is first given in line ${source.place(earlier.keyStart).line}.`,
						remedy: "Keep one.",
					});
				else entries.set(key, { keyStart, value: convert(content, source, report, depth + 1) });
			}
			return { kind: "map", entries, ...at };
		}
		case "String":
		case "Boolean":
		case "Number":
			return scalar(value.value);
		case "NaN":
			return scalar(Number.NaN);
		case "Infinity":
			return scalar(value.sign === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY);
	}
}

const tooDeep: Problem = {
	code: "too-deep",
	message: `Lists and objects are nested more than ${maxDepth} levels deep.`,
	remedy: "Reduce the nesting.",
};

function explain(text: string, error: Error & { offset?: number }): { offset: number; problem: Problem } {
	if (error instanceof RangeError) return { offset: 0, problem: tooDeep };
	if (text.trim() === "")
		return {
			offset: 0,
			problem: { code: "empty", message: "The file is empty.", remedy: "Write one `{ … }`." },
		};
	// A trailing comma at the end means that the text was cut off, although the parser reports the comma.
	const cut = error.offset !== undefined && text.slice(error.offset).trim() === ",";
	if (error.offset === undefined || cut || /end of input/i.test(error.message))
		return {
			offset: text.trimEnd().length,
			problem: {
				code: "unclosed",
				message: "The text ends inside an open element.",
				remedy: "Close every quote, `{`, `[` and comment; if the file is truncated, restore it.",
			},
		};
	const offset = error.offset;
	const found = quoted(text.slice(offset).split("\n", 1)[0] ?? "", 30);
	const before = text.slice(0, offset).trimEnd().at(-1) ?? "";
	if (/["'\w\]}]/.test(before) && /^["'\w{[]/.test(text.slice(offset)))
		return {
			offset,
			problem: { code: "no-comma", message: `A comma or a colon is missing before ${found}.`, remedy: "Add it." },
		};
	return {
		offset,
		problem: {
			code: "json",
			message: `${found} is unexpected here.`,
			remedy: "Check the commas, quotes and brackets before it; strings and keys need double quotes.",
		},
	};
}
