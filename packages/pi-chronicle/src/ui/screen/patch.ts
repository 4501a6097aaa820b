// A unified diff on a full screen: file by file, with line numbers and syntax highlighting, and the answers if it belongs to a question. The
// highlighting comes from pi and contains no other escape sequence, because the code is made plain first. Code is highlighted when it is shown, a
// piece at a time, so that a long diff opens immediately.
import { getLanguageFromPath, getMarkdownTheme, highlightCode } from "@earendil-works/pi-coding-agent";
import { pathOnLine } from "@pi-chronicle/core/definition";
import { type PatchFile, type PatchHunk, type PatchLine, readPatch } from "@pi-chronicle/core/snapshot";
import {
	dim,
	flat,
	type Line,
	plain,
	type SheetOption,
	type SheetSpec,
	type StyledText,
	type Tone,
} from "../../tui/index.ts";

/** Lines that are highlighted together: tokens that span several lines are recognized within them. */
const pieceLines = 120;
/** Longer lines are not highlighted; much longer ones are cut. */
const longestColored = 400;
const longestShown = 4000;

export interface PatchPage {
	readonly lines: readonly Line[];
	/** Index in `lines` of the start of each file. */
	readonly files: readonly number[];
	dress(index: number): Line;
}

interface Piece {
	readonly language: string;
	readonly lines: readonly PatchLine[];
	/** Index of its first line in the page. */
	readonly start: number;
	colored: { readonly theme: string; readonly spans: readonly StyledText[] } | undefined;
}

/** The diff as a page; one sentence if nothing has changed. `cut`: the text was truncated at its limit. */
export function patchPage(patch: string, { cut = false }: { cut?: boolean } = {}): PatchPage {
	const found = readPatch(patch, (text) => text);
	const lines: Line[] = [];
	const files: number[] = [];
	const pieces = new Map<number, Piece>();
	for (const file of found) {
		if (lines.length > 0) lines.push([plain("")]);
		files.push(lines.length);
		lines.push(fileHead(file));
		const language = getLanguageFromPath(file.path);
		const numbers = file.hunks.flatMap((hunk) => hunk.lines.map(({ number }) => number));
		const digits = String(numbers.reduce((most, number) => Math.max(most, number), 1)).length;
		for (const hunk of file.hunks) {
			lines.push(...hunkHead(hunk, digits));
			if (language !== undefined) keepPieces(pieces, hunk.lines, language, lines.length);
			for (const line of hunk.lines) lines.push([gutter(line, digits), codeSpan(line)]);
		}
	}
	if (found.length === 0) lines.push([dim("No files have changed.")]);
	if (cut) lines.push([plain("")], [{ text: "… the rest of the diff is not shown", tone: "warning" }]);
	return {
		lines,
		files,
		dress(index) {
			const line = lines[index] ?? [];
			const piece = pieces.get(index);
			if (piece === undefined) return line;
			const theme = currentTheme();
			if (piece.colored?.theme !== theme) piece.colored = { theme, spans: colorSides(piece.lines, piece.language) };
			const span = piece.colored.spans[index - piece.start];
			const [number] = line;
			return number === undefined || span === undefined ? line : [number, span];
		},
	};
}

/** What tells the themes of pi apart: the theme may change while a diff is open. */
function currentTheme(): string {
	const { code, heading } = getMarkdownTheme();
	return code("") + heading("");
}

/** Maps lines of the page to pieces of code. */
function keepPieces(pieces: Map<number, Piece>, lines: readonly PatchLine[], language: string, from: number): void {
	for (let at = 0; at < lines.length; at += pieceLines) {
		const own = lines.slice(at, at + pieceLines);
		const piece: Piece = { language, lines: own, start: from + at, colored: undefined };
		for (const offset of own.keys()) pieces.set(piece.start + offset, piece);
	}
}

function fileHead({ path, from, change, binary, added, removed }: PatchFile): Line {
	return [
		{ text: `${change} `, tone: "warning" },
		{
			text: from === undefined || from === path ? pathOnLine(path) : `${pathOnLine(from)} → ${pathOnLine(path)}`,
			tone: "accent",
		},
		...(binary
			? [dim("  no lines")]
			: [{ text: `  +${added}`, tone: "success" } as const, { text: ` −${removed}`, tone: "error" } as const]),
	];
}

/** The separator before a hunk; none before a hunk at the start of its file. */
function hunkHead({ head, lines }: PatchHunk, digits: number): Line[] {
	const where = /^@@ [^@]*@@ ?(.*)$/.exec(head)?.[1] ?? "";
	if (where === "" && (lines[0]?.number ?? 1) <= 1) return [];
	return [[dim(`${" ".repeat(digits)} ┄ ${where}`)]];
}

function gutter({ sign, number }: PatchLine, digits: number): StyledText {
	const mark = sign === "\\" ? " " : sign;
	return {
		text: `${number === 0 ? " ".repeat(digits) : String(number).padStart(digits)} ${mark} `,
		tone: toneOf(sign),
	};
}

function codeSpan({ sign, text }: PatchLine): StyledText {
	const shown = text.length > longestShown ? `${text.slice(0, longestShown)}…` : text;
	return { text: flat(shown), tone: sign === " " ? "plain" : toneOf(sign) };
}

function toneOf(sign: PatchLine["sign"]): Tone {
	return sign === "+" ? "success" : sign === "-" ? "error" : "dim";
}

/** Code with its old and its new side each highlighted as one piece. */
function colorSides(lines: readonly PatchLine[], language: string): StyledText[] {
	const spans = lines.map(codeSpan);
	const texts = spans.map(({ text }) => text.slice(0, longestColored));
	for (const side of ["-", "+"] as const) {
		const own = lines.flatMap(({ sign }, index) => (sign === side || sign === " " ? [index] : []));
		const code = own.map((index) => texts[index] ?? "");
		const colored = highlightCode(code.join("\n"), language);
		if (colored.length !== code.length) continue;
		for (const [at, index] of own.entries()) {
			const text = colored[at] ?? "";
			const whole = (code[at]?.length ?? 0) < longestColored;
			if (whole && text !== code[at]) spans[index] = { text, tone: "colored" };
		}
	}
	return spans;
}

export interface ShownPatch {
	readonly title: string;
	readonly head: readonly string[];
	readonly text: string;
	readonly cut: boolean;
}

/** Shows a diff until the user answers or closes it. */
export function patchSheet<T>(
	{ title, head, text, cut }: ShownPatch,
	choices: readonly SheetOption<T>[],
): SheetSpec<T> {
	const page = patchPage(text, { cut });
	const above = changesHead(head, "");
	return {
		title,
		choices,
		answers: "keys",
		leave: choices.length > 0 ? "Esc back" : "Esc closes",
		body: {
			kind: "lines",
			lines: [...above, ...page.lines],
			marks: page.files.map((index) => index + above.length),
			dress: (index) => above[index] ?? page.dress(index - above.length),
		},
	};
}

/** Takes the counts, then one line per file. `note` follows the counts. */
export function changesHead([counts = "", ...files]: readonly string[], note: string): Line[] {
	const list = files.length > 1 ? files.map(changedFile) : [];
	return [[plain(counts.replace(/:$/, "")), dim(note === "" ? "" : `  ${note}`)], ...list, [plain("")]];
}

/** `  M src/a.ts +10 −2`, styled; any other text unchanged. */
export function changedFile(text: string): Line {
	const [, mark, path, added, removed] = /^ {2}([AMDR]) (.*) (\+\d+) (−\d+)$/.exec(text) ?? [];
	if (mark === undefined || path === undefined) return [plain(text)];
	return [
		{ text: `  ${mark} `, tone: "warning" },
		plain(`${path} `),
		{ text: `${added} `, tone: "success" },
		{ text: removed ?? "", tone: "error" },
	];
}
