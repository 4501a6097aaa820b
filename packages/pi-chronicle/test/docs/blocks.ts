// Parses a Markdown document as far as its tests need: fenced code blocks with their info strings, links,
// headings, and the sections that a generator writes. Not a Markdown parser.

/** A fenced code block. The words after the language say what is done with it; README.md here lists them. */
export interface Block {
	/** Path of the document, from the root of the checkout. */
	document: string;
	/** Line of the opening fence, from 1. */
	line: number;
	/** The heading above it, without its marks; empty above the first one. */
	section: string;
	language: string;
	/** Words without `=`, such as `run`. */
	words: Set<string>;
	/** Words with `=`, such as `file=a.yaml`. */
	values: Map<string, string>;
	text: string;
}

/** A link or an image. */
interface Link {
	line: number;
	target: string;
}

/** The text between `<!-- generated:NAME -->` and `<!-- /generated -->`. */
interface GeneratedSection {
	line: number;
	name: string;
	text: string;
}

export interface Document {
	path: string;
	blocks: Block[];
	links: Link[];
	/** Anchors that links may name, as GitHub makes them from headings, and explicit `<a id>`. */
	anchors: Set<string>;
	generated: GeneratedSection[];
	/** What is wrong with the document's form: a fence or a section that never ends. */
	problems: string[];
}

/** Reads a document. `path` is only for messages and for resolving its links. */
export function readDocument(path: string, source: string): Document {
	const document: Document = { path, blocks: [], links: [], anchors: new Set(), generated: [], problems: [] };
	const taken = new Map<string, number>();
	let fence: { mark: string; indent: string; line: number; info: string; lines: string[] } | undefined;
	let section: { name: string; line: number; lines: string[] } | undefined;
	let title = "";

	for (const [index, text] of source.replaceAll("\r\n", "\n").split("\n").entries()) {
		const line = index + 1;
		const ends = /^<!-- \/generated -->$/.test(text.trim());
		if (section && !ends) section.lines.push(text);
		if (fence) {
			if (new RegExp(`^\\s*${fence.mark}${fence.mark[0]}*\\s*$`).test(text)) {
				document.blocks.push(blockOf(path, title, fence));
				fence = undefined;
			} else fence.lines.push(text.startsWith(fence.indent) ? text.slice(fence.indent.length) : text.trimStart());
			continue;
		}
		const opening = /^(\s*)(`{3,}|~{3,})\s*([^`]*)$/.exec(text);
		if (opening) {
			const [, indent = "", mark = "", info = ""] = opening;
			fence = { mark, indent, line, info: info.trim(), lines: [] };
			continue;
		}
		const begins = /^<!-- generated:(\S+) -->$/.exec(text.trim());
		if (begins) section = { name: begins[1] ?? "", line, lines: [] };
		if (ends && section) {
			document.generated.push({ name: section.name, line: section.line, text: section.lines.join("\n") });
			section = undefined;
		} else if (ends) document.problems.push(`${path}:${line}: a generated section ends that never began`);

		const heading = /^#{1,6}\s+(.*?)\s*#*$/.exec(text)?.[1];
		if (heading !== undefined) {
			title = heading;
			document.anchors.add(anchorOf(heading, taken));
		}
		for (const [, id = ""] of text.matchAll(/<a\s+(?:id|name)="([^"]+)"/g)) document.anchors.add(id);
		for (const target of linksOf(text)) document.links.push({ line, target });
	}
	if (fence) document.problems.push(`${path}:${fence.line}: the code block never ends`);
	if (section) document.problems.push(`${path}:${section.line}: the generated section never ends`);
	return document;
}

/** The commands of a shell block, one per entry: comments and blank lines left out, continued lines joined. */
export function commandsOf(text: string): string[] {
	return text
		.replaceAll(/\s*\\\n\s*/g, " ")
		.split("\n")
		.map((line) => line.replace(/(^|\s)#(\s.*|$)/, "").trim())
		.filter((line) => line !== "");
}

/** Puts new text into the generated sections of a document; `textFor` answers `undefined` to leave one alone. */
export function rewriteGenerated(source: string, textFor: (name: string) => string | undefined): string {
	return source.replaceAll(
		/(<!-- generated:(\S+) -->\n)([\s\S]*?)(<!-- \/generated -->)/g,
		(whole, begins: string, name: string, _old: string, ends: string) => {
			const text = textFor(name);
			return text === undefined ? whole : `${begins}${text.trim()}\n${ends}`;
		},
	);
}

function blockOf(document: string, section: string, fence: { line: number; info: string; lines: string[] }): Block {
	const [language = "", ...rest] = fence.info.split(/\s+/);
	const words = new Set<string>();
	const values = new Map<string, string>();
	for (const word of rest) {
		const equals = word.indexOf("=");
		if (equals > 0) values.set(word.slice(0, equals), word.slice(equals + 1));
		else words.add(word);
	}
	return { document, line: fence.line, section, language, words, values, text: fence.lines.join("\n") };
}

function linksOf(text: string): string[] {
	const prose = text.replaceAll(/`[^`]*`/g, "");
	return [
		...prose.matchAll(/\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g),
		...prose.matchAll(/^\s*\[[^\]]+\]:\s*(\S+)/g),
		...prose.matchAll(/<(?:a|img)\s[^>]*?(?:href|src)="([^"]+)"/g),
	].map((match) => match[1] ?? "");
}

/** GitHub's anchor for a heading: lower case, punctuation dropped, spaces to hyphens, a number when it is taken. */
function anchorOf(heading: string, taken: Map<string, number>): string {
	const words = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll(/[`*]/g, "");
	const base = words
		.toLowerCase()
		.replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
		.replaceAll(/\s/g, "-");
	const count = taken.get(base) ?? 0;
	taken.set(base, count + 1);
	return count === 0 ? base : `${base}-${count}`;
}
