// Splits a Markdown file into YAML front matter and body, like pi, with places and explanations.
// If pi finds front matter, this parser finds the same YAML text and the same body.
import type { Diagnostic } from "./diagnostic.ts";
import { quoted } from "./format.ts";
import type { MapNode } from "./node.ts";
import { openReport, type Problem, type Report } from "./report.ts";
import type { Source } from "./source.ts";
import { parseYaml } from "./yaml.ts";

export interface FrontMatter {
	/** The fields; `undefined` if there are none or they have an error. */
	readonly fields: MapNode | undefined;
	/** The trimmed text below the front matter; without front matter, the whole trimmed text. */
	readonly body: string;
	/** Offset of the trimmed body in the source. */
	readonly bodyStart: number;
	readonly diagnostics: readonly Diagnostic[];
}

/**
 * Splits a file. With `need: "fields"`, missing front matter is an error; with `"optional"`, a file without it is all body.
 */
export function parseFrontMatter(source: Source, need: "fields" | "optional" = "fields"): FrontMatter {
	const { text } = source;
	const report = openReport();
	const bodyOnly = (): FrontMatter => ({
		fields: undefined,
		body: text.trim(),
		bodyStart: text.length - text.trimStart().length,
		diagnostics: report.diagnostics,
	});

	if (!text.startsWith("---")) {
		if (need === "fields") report.error(source.place(firstText(text)), noFrontMatter(text));
		return bodyOnly();
	}
	const end = text.indexOf("\n---", 3);
	if (end === -1) {
		report.error(source.place(0), unclosed);
		return bodyOnly();
	}
	const firstLine = text.slice(0, text.indexOf("\n"));
	if (/[^-\s]/.test(firstLine))
		report.error(source.place(0), {
			code: "front-matter-line",
			message: `The first line is ${quoted(firstLine)}; only \`---\` is allowed there.`,
			remedy: "Put the fields on separate lines below `---`.",
		});
	const fields = parseFields(source, end, need, report);
	const rest = text.slice(end + 4);
	const bodyStart = end + 4 + rest.length - rest.trimStart().length;
	return { fields, body: rest.trim(), bodyStart, diagnostics: report.diagnostics };
}

/** The fields of the front matter that ends at offset `end`; `undefined` if they have an error. */
function parseFields(source: Source, end: number, need: "fields" | "optional", report: Report): MapNode | undefined {
	const { root, diagnostics } = parseYaml(source, { start: Math.min(4, end), end });
	report.add(diagnostics);
	if (report.failed) return undefined;
	if (root?.kind === "map") return root;
	if (root || need === "fields")
		report.error(source.place(root?.start ?? 0), {
			code: root ? "not-fields" : "empty-front-matter",
			message: root ? "The front matter does not consist of `key: value` fields." : "The front matter is empty.",
			remedy: "Write one `key: value` per line between the two `---` lines.",
		});
	return undefined;
}

const unclosed: Problem = {
	code: "unclosed-front-matter",
	message: "The front matter that starts with `---` in line 1 never ends.",
	remedy: "Put a line with only `---` between the fields and the text.",
};

function firstText(text: string): number {
	const at = text.search(/\S/);
	return at === -1 ? 0 : at;
}

function noFrontMatter(text: string): Problem {
	const code = "no-front-matter";
	if (text.trim() === "")
		return {
			code,
			message: "The file is empty.",
			remedy: "Start it with a line `---`, the fields, another line `---`, and then the text.",
		};
	if (/^\s+---\s*$/m.test(text.slice(0, text.indexOf("---") + 4)) && text.trimStart().startsWith("---"))
		return {
			code,
			message: "Text precedes the `---` that starts the front matter.",
			remedy: "Make `---` the first characters of the file.",
		};
	const first = text.slice(firstText(text)).split("\n", 1)[0] ?? "";
	const fields = /^[A-Za-z][\w-]*:(\s|$)/m.test(text.slice(0, 2000));
	return {
		code,
		message: `The file starts with ${quoted(first)} instead of \`---\`, so it has no front matter.`,
		remedy: fields
			? "Make line 1 `---`, put the `key: value` fields directly below it and another `---` below them; a Markdown formatter may have separated them."
			: "Make line 1 `---`, write the fields below it, then another line `---`, and then the text.",
	};
}
