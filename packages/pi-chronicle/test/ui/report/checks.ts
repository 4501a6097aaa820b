// Checks for every report, whatever its content: it is well formed, runs and loads nothing, and is accessible to screen readers.
import { type DefaultTreeAdapterTypes, type ParserError, parse } from "parse5";
import { expect } from "vitest";

type Node = DefaultTreeAdapterTypes.Node;
export type Element = DefaultTreeAdapterTypes.Element;

export interface Page {
	readonly html: string;
	readonly errors: readonly string[];
	all(name?: string): Element[];
	byId(id: string): Element;
	/** The text of a section, blanks folded. */
	section(id: string): string;
	readonly text: string;
}

export function readPage(html: string): Page {
	const errors: string[] = [];
	const document = parse(html, {
		sourceCodeLocationInfo: true,
		onParseError: ({ code, startLine, startCol }: ParserError) =>
			void errors.push(`${code} at ${startLine}:${startCol}`),
	});
	const elements = [...walk(document)].filter((node): node is Element => "tagName" in node);
	const byId = (id: string): Element => {
		const found = elements.filter((element) => attribute(element, "id") === id);
		const [only] = found;
		if (!only || found.length !== 1) throw new Error(`${found.length} elements have the id ${id}`);
		return only;
	};
	return {
		html,
		errors,
		all: (name) => elements.filter(({ tagName }) => name === undefined || tagName === name),
		byId,
		section: (id) => textOf(byId(id)),
		text: textOf(document),
	};
}

function* walk(node: Node): Generator<Node> {
	yield node;
	if ("childNodes" in node) for (const child of node.childNodes) yield* walk(child);
}

export function attribute(element: Element, name: string): string | undefined {
	return element.attrs.find((one) => one.name === name)?.value;
}

export function textOf(node: Node): string {
	return wordsOf(node).join(" ").replace(/\s+/g, " ").trim();
}

/** The texts of a node; those of a line of code, which has colors inside, as the one text that it is. */
function wordsOf(node: Node): string[] {
	if (node.nodeName === "#text" && "value" in node) return isStyle(node.parentNode) ? [] : [node.value];
	const texts = "childNodes" in node ? node.childNodes.flatMap(wordsOf) : [];
	return isCode(node) ? [texts.join("")] : texts;
}

const codeLines = new Set(["same", "add", "del"]);

function isCode(node: Node): boolean {
	if (!("tagName" in node) || node.tagName !== "span") return false;
	const { parentNode: line } = node;
	const inside = line !== null && "tagName" in line ? line : undefined;
	return inside?.tagName === "span" || (inside !== undefined && codeLines.has(attribute(inside, "class") ?? ""));
}

function isStyle(node: Node | null): boolean {
	return node?.nodeName === "style";
}

/** Throws where a report breaks one of the promises that every report keeps. */
export function expectSound(html: string): Page {
	const page = readPage(html);
	expect(page.errors).toEqual([]);
	expectInert(page);
	expectReadable(page);
	return page;
}

/** It loads nothing, runs nothing, sends nothing, and its own policy says so. */
function expectInert(page: Page): void {
	const active = new Set([
		"script",
		"iframe",
		"object",
		"embed",
		"base",
		"form",
		"img",
		"image",
		"use",
		"foreignObject",
		"animate",
		"set",
		"audio",
		"video",
	]);
	expect(
		page
			.all()
			.filter(({ tagName }) => active.has(tagName))
			.map(({ tagName }) => tagName),
	).toEqual([]);
	const policy = page.all("meta").find((meta) => attribute(meta, "http-equiv") === "Content-Security-Policy");
	expect(policy && attribute(policy, "content")).toMatch(
		/^default-src 'none'; style-src 'sha256-[^']+'; img-src data:; base-uri 'none'/,
	);
	for (const element of page.all())
		for (const { name, value } of element.attrs) {
			expect(name, value).not.toMatch(/^(?:on|style$|src|srcset|xlink|formaction|ping)/i);
			if (name === "href" && attribute(element, "rel") !== "icon") expect(value).toMatch(/^(?:#|\.{1,2}\/)/);
		}
	expect(page.all("style").length).toBe(1);
	const [style] = page.all("style");
	expect(style && [...walk(style)].map((node) => ("value" in node ? node.value : "")).join("")).not.toMatch(
		/url\(|@import|expression/i,
	);
}

/** Names, headings, tables: what a screen reader needs. */
function expectReadable(page: Page): void {
	expect(attribute(page.all("html")[0] as Element, "lang")).toBe("en");
	expect(textOf(page.all("title")[0] as Element)).not.toBe("");
	for (const name of ["header", "main", "footer", "h1"]) expect(page.all(name).length, name).toBe(1);
	const navigations = page.all("nav").map((nav) => attribute(nav, "aria-label"));
	expect(new Set(navigations).size).toBe(navigations.length);
	const ids = page.all().flatMap((element) => attribute(element, "id") ?? []);
	expect(new Set(ids).size).toBe(ids.length);
	for (const element of page.all()) {
		for (const name of ["aria-labelledby", "aria-describedby"])
			for (const id of attribute(element, name)?.split(" ") ?? []) expect(ids, id).toContain(id);
		const href = attribute(element, "href");
		if (href?.startsWith("#")) expect(ids).toContain(href.slice(1));
	}
	const levels = page.all().flatMap(({ tagName }) => (/^h[1-6]$/.test(tagName) ? [Number(tagName[1])] : []));
	expect(levels[0]).toBe(1);
	for (const [index, level] of levels.entries()) expect(level - (levels[index - 1] ?? level)).toBeLessThanOrEqual(1);
	for (const drawing of page.all("svg")) {
		if (attribute(drawing, "aria-hidden") === "true") continue;
		expect(attribute(drawing, "role")).toBe("img");
		const names = drawing.childNodes.filter(
			(node): node is Element => node.nodeName === "title" || node.nodeName === "desc",
		);
		expect(names.map((name) => textOf(name) !== "")).toEqual([true, true]);
	}
	for (const table of page.all("table")) {
		const inside = [...walk(table)].filter((node): node is Element => "tagName" in node);
		expect(inside.filter(({ tagName }) => tagName === "caption").map((caption) => textOf(caption) !== "")).toEqual([
			true,
		]);
		const heads = inside.filter((cell) => attribute(cell, "scope") === "col").length;
		for (const row of inside.filter((one) => one.tagName === "tr")) expect(columnsOf(row)).toBe(heads);
	}
	for (const details of page.all("details")) expect(details.childNodes[0]?.nodeName).toBe("summary");
	for (const link of page.all("a")) expect(textOf(link)).not.toBe("");
}

function columnsOf(row: Element): number {
	const cells = row.childNodes.filter((node): node is Element => node.nodeName === "td" || node.nodeName === "th");
	return cells.reduce((sum, cell) => sum + Number(attribute(cell, "colspan") ?? 1), 0);
}
