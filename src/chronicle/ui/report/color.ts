// Syntax highlighting by highlight.js. C1 the input is already redacted, and the highlighter escapes the output; C2 the old and the new side
// of a hunk are each highlighted as one piece, so that comments of several lines are recognized; C3 text that the highlighter cannot
// process, or would change, stays plain.
import type { LanguageFn } from "highlight.js";
import core from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import c from "highlight.js/lib/languages/c";
import cpp from "highlight.js/lib/languages/cpp";
import csharp from "highlight.js/lib/languages/csharp";
import css from "highlight.js/lib/languages/css";
import dart from "highlight.js/lib/languages/dart";
import dockerfile from "highlight.js/lib/languages/dockerfile";
import elixir from "highlight.js/lib/languages/elixir";
import go from "highlight.js/lib/languages/go";
import graphql from "highlight.js/lib/languages/graphql";
import haskell from "highlight.js/lib/languages/haskell";
import ini from "highlight.js/lib/languages/ini";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import kotlin from "highlight.js/lib/languages/kotlin";
import lua from "highlight.js/lib/languages/lua";
import makefile from "highlight.js/lib/languages/makefile";
import markdown from "highlight.js/lib/languages/markdown";
import perl from "highlight.js/lib/languages/perl";
import php from "highlight.js/lib/languages/php";
import powershell from "highlight.js/lib/languages/powershell";
import python from "highlight.js/lib/languages/python";
import r from "highlight.js/lib/languages/r";
import ruby from "highlight.js/lib/languages/ruby";
import rust from "highlight.js/lib/languages/rust";
import scala from "highlight.js/lib/languages/scala";
import scss from "highlight.js/lib/languages/scss";
import sql from "highlight.js/lib/languages/sql";
import swift from "highlight.js/lib/languages/swift";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import type { PatchLine } from "../../core/index.ts";
import { escapeText, type Html, type Markup, trusted } from "./markup.ts";

const grammars = {
	...{ bash, c, cpp, csharp, css, dart, dockerfile, elixir, go, graphql, haskell, ini, java, javascript, json, kotlin },
	...{ lua, makefile, markdown, perl, php, powershell, python, r, ruby, rust, scala, scss, sql, swift, typescript },
	...{ xml, yaml },
} as const satisfies Readonly<Record<string, LanguageFn>>;
type Language = keyof typeof grammars;

/** File name extensions, and names of files without one, by language. */
const endingsOf: Readonly<Record<Language, string>> = {
	bash: "sh bash zsh",
	c: "c h",
	cpp: "cc cpp cxx hpp hh",
	csharp: "cs",
	css: "css",
	dart: "dart",
	dockerfile: "dockerfile",
	elixir: "ex exs",
	go: "go",
	graphql: "graphql gql",
	haskell: "hs",
	ini: "toml ini cfg conf",
	java: "java",
	javascript: "js jsx mjs cjs",
	json: "json jsonc json5",
	kotlin: "kt kts",
	lua: "lua",
	makefile: "mk makefile",
	markdown: "md markdown mdx",
	perl: "pl pm",
	php: "php",
	powershell: "ps1 psm1",
	python: "py pyi",
	r: "r",
	ruby: "rb",
	rust: "rs",
	scala: "scala",
	scss: "scss sass less",
	sql: "sql",
	swift: "swift",
	typescript: "ts tsx mts cts",
	xml: "html htm xml svg vue svelte",
	yaml: "yml yaml",
};
const languages = new Map(
	Object.entries(endingsOf).flatMap(([language, endings]) =>
		endings.split(" ").map((ending) => [ending, language as Language] as const),
	),
);

/** One-letter classes for kinds of tokens; other tokens have the text's color. */
const classes: Readonly<Record<string, string>> = {
	...{ keyword: "k", "selector-tag": "k", "template-tag": "k", tag: "k", section: "f" },
	...{ string: "s", regexp: "s", char: "s", addition: "s", link: "s", code: "s" },
	...{ comment: "c", quote: "c", meta: "c", doctag: "c" },
	...{ number: "n", literal: "n", symbol: "n", bullet: "n" },
	...{ title: "f", function: "f", "selector-class": "f", "selector-id": "f" },
	...{ type: "y", built_in: "y", class: "y", attr: "y", attribute: "y", name: "y", variable: "y", property: "y" },
};

/** Languages embedded in another language. */
const embedded: Readonly<Partial<Record<Language, readonly Language[]>>> = {
	xml: ["css", "javascript"],
	markdown: ["xml", "css", "javascript"],
};

/** Longer lines are not highlighted. */
const longest = 400;

export interface Colors {
	/** Markup for each line of a hunk in `path`; `undefined` for lines without highlighting. */
	hunk(path: string, lines: readonly PatchLine[]): readonly (Markup | undefined)[];
}

/** Opens a highlighter for one report. */
export function openColors(html: Html): Colors {
	const highlighter = core.newInstance();
	const known = new Set<Language>();
	/** Registers grammars on first use: most reports need two or three. */
	const languageOf = (path: string): Language | undefined => {
		const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
		const language = languages.get(name) ?? languages.get(name.slice(name.lastIndexOf(".") + 1));
		if (language === undefined) return undefined;
		for (const needed of [...(embedded[language] ?? []), language]) {
			if (!known.has(needed)) highlighter.registerLanguage(needed, grammars[needed]);
			known.add(needed);
		}
		return language;
	};
	return {
		hunk(path, lines) {
			const language = languageOf(path);
			if (language === undefined) return lines.map(() => undefined);
			const texts = lines.map(({ text }) => html.plain(text));
			const removed = colorSide("-", lines, texts, (code) => colorLines(highlighter, code, language));
			const added = colorSide("+", lines, texts, (code) => colorLines(highlighter, code, language));
			return lines.map((_line, index) => added.get(index) ?? removed.get(index));
		},
	};
}

/** Markup for the lines of one side of a hunk, by index; lines that both sides share belong to each. */
function colorSide(
	side: "-" | "+",
	lines: readonly PatchLine[],
	texts: readonly string[],
	color: (code: string) => readonly string[] | undefined,
): ReadonlyMap<number, Markup> {
	const own = lines.flatMap(({ sign }, index) => (sign === side || sign === " " ? [index] : []));
	const colored = color(own.map((index) => (texts[index] ?? "").slice(0, longest)).join("\n"));
	if (!colored) return new Map();
	const short = own.map((index, at) => [index, trusted(colored[at] ?? "")] as const);
	return new Map(short.filter(([index]) => (texts[index]?.length ?? 0) <= longest));
}

/** The lines of code as markup; `undefined` for malformed code if the highlighter loses a part of it. */
function colorLines(highlighter: typeof core, code: string, language: string): string[] | undefined {
	const lines = splitLines(highlight(highlighter, code, language));
	return lines.join("\n").replace(/<\/?span[^>]*>/g, "") === escaped(code) ? lines : undefined;
}

function highlight(highlighter: typeof core, code: string, language: string): string {
	try {
		return highlighter.highlight(code, { language, ignoreIllegals: true }).value;
	} catch {
		return "";
	}
}

/** Escapes a text as the highlighter does. */
function escaped(text: string): string {
	return escapeText(text).replaceAll("&#39;", "&#x27;");
}

/** Splits the highlighter's markup into lines: closes and reopens tokens that span several lines, under our own class names. */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: a reader of tokens, one branch for each kind of token
function splitLines(text: string): string[] {
	const lines: string[] = [""];
	const open: (string | undefined)[] = [];
	const write = (text: string): void => {
		lines[lines.length - 1] += text;
	};
	const tags = () => open.filter((name) => name !== undefined);
	for (const [token, name] of text.matchAll(/<span class="([^"]*)">|<\/span>|\n|[^<\n]+/g)) {
		if (token === "\n") {
			write("</span>".repeat(tags().length));
			lines.push("");
			for (const one of tags()) write(`<span class="${one}">`);
		} else if (token === "</span>") {
			if (open.pop() !== undefined) write(token);
		} else if (name === undefined) write(token);
		else {
			const own = classes[/^hljs-([\w-]+)/.exec(name)?.[1] ?? ""];
			open.push(own);
			if (own !== undefined) write(`<span class="${own}">`);
		}
	}
	return lines;
}
