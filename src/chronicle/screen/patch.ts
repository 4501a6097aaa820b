// A unified diff as lines for the terminal: file by file, with the numbers of its lines; code in the colours of its language. What has
// colours of its own comes from pi and holds no other escape sequence: the code is made plain before.
import { getLanguageFromPath, highlightCode } from "@earendil-works/pi-coding-agent";
import { type PatchFile, type PatchHunk, type PatchLine, readPatch } from "../snapshot/index.ts";
import { dim, flat, type Line, plain, type Span, type Tone } from "./line.ts";

/** More lines than these are shown without the colours of their language. */
const mostColoured = 4000;
/** Longer lines, too. */
const longestColoured = 400;

/** What a person reads of a diff, and where in it each file begins. */
export interface PatchPage {
	readonly lines: readonly Line[];
	/** Indexes into `lines`. */
	readonly files: readonly number[];
}

/** The diff as a page. A sentence where nothing has changed. `cut`: the text ends at its limit, and not with the diff. */
export function patchPage(patch: string, { cut = false }: { cut?: boolean } = {}): PatchPage {
	const found = readPatch(patch, (text) => text);
	if (found.length === 0) return { lines: [[dim("No files have changed.")]], files: [] };
	const count = found.reduce((sum, { hunks }) => sum + hunks.reduce((all, { lines }) => all + lines.length, 0), 0);
	const lines: Line[] = [];
	const files: number[] = [];
	for (const file of found) {
		if (lines.length > 0) lines.push([plain("")]);
		files.push(lines.length);
		lines.push(...fileLines(file, count <= mostColoured));
	}
	if (cut) lines.push([plain("")], [{ text: "… the diff is longer; what follows is not shown", tone: "warning" }]);
	return { lines, files };
}

function fileLines(file: PatchFile, coloured: boolean): Line[] {
	const { path, from, change, binary, hunks, added, removed } = file;
	const head: Line = [
		{ text: `${change} `, tone: "warning" },
		{ text: from === undefined || from === path ? path : `${from} → ${path}`, tone: "accent" },
		...(binary ? [dim("  no text")] : counts(added, removed)),
	];
	const language = coloured ? getLanguageFromPath(path) : undefined;
	const digits = Math.max(
		...hunks.map(({ lines }) => Math.max(1, ...lines.map(({ number }) => String(number).length))),
		1,
	);
	return [head, ...hunks.flatMap((hunk) => hunkLines(hunk, language, digits))];
}

function counts(added: number, removed: number): Span[] {
	return [
		{ text: `  +${added}`, tone: "success" },
		{ text: ` −${removed}`, tone: "error" },
	];
}

function hunkLines({ head, lines }: PatchHunk, language: string | undefined, digits: number): Line[] {
	const where = /^@@ [^@]*@@ ?(.*)$/.exec(head)?.[1] ?? "";
	const texts = colourSides(lines, language);
	const begins = where === "" && (lines[0]?.number ?? 1) <= 1;
	return [
		...(begins ? [] : [[dim(`${" ".repeat(digits)} ┄ ${where}`)]]),
		...lines.map(({ sign, number }, index): Line => {
			const tone: Tone = sign === "+" ? "success" : sign === "-" ? "error" : "dim";
			const mark = sign === "\\" ? " " : sign;
			return [
				{ text: `${number === 0 ? " ".repeat(digits) : String(number).padStart(digits)} ${mark} `, tone },
				texts[index] ?? plain(""),
			];
		}),
	];
}

/** The code of a hunk, its old and its new side each coloured as one piece, so that what spans lines is known for what it is. */
function colourSides(lines: readonly PatchLine[], language: string | undefined): Span[] {
	const spans = lines.map(({ sign, text }): Span => {
		const tone: Tone = sign === "+" ? "success" : sign === "-" ? "error" : sign === "\\" ? "dim" : "plain";
		return { text: flat(text), tone };
	});
	if (language === undefined) return spans;
	const plainTexts = spans.map(({ text }) => text.slice(0, longestColoured));
	for (const side of ["-", "+"] as const) {
		const own = lines.flatMap(({ sign }, index) => (sign === side || sign === " " ? [index] : []));
		const code = own.map((index) => plainTexts[index] ?? "");
		const coloured = highlightCode(code.join("\n"), language);
		if (coloured.length !== code.length) continue;
		for (const [at, index] of own.entries()) {
			const text = coloured[at] ?? "";
			const whole = (code[at]?.length ?? 0) < longestColoured;
			if (whole && text !== code[at]) spans[index] = { text, tone: "coloured" };
		}
	}
	return spans;
}
