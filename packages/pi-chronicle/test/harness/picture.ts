// Pictures of screens for the documents: drawn by the tests that reach those screens, so that no picture shows what the product
// does not do. A picture carries its text in `<desc>`; a test compares that text, and draws only when UPDATE_IMAGES=1.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Snapshot, svgOf } from "./screen.ts";
import { checkout } from "./under-test.ts";

export interface PictureOptions {
	/** Text for those who do not see the picture; also its tooltip. */
	title: string;
	/** What differs from run to run: each match is replaced, and padded or cut to its width. */
	mask?: [pattern: RegExp, text: string][];
	/**
	 * Also compares what the mask replaces when it has another width than in the picture: blanks and rules count as one. For what is drawn around
	 * times and counts.
	 */
	loose?: true;
	/** Rows to show, from 0, end not included (default: all). */
	rows?: [first: number, end: number];
	/** Folder of the pictures (default: `docs/images`). */
	folder?: string;
}

/** Where the pictures of the documents lie. */
export const pictureFolder = join(checkout, "docs", "images");

/**
 * Compares a screen with the picture `docs/images/<name>.svg` line by line and throws when they differ or the picture is missing.
 * With UPDATE_IMAGES=1 in the environment it draws the picture instead. Blank lines above and below do not count.
 */
export function expectPicture(screen: Snapshot, name: string, options: PictureOptions): void {
	const { folder = pictureFolder, mask = [], loose, rows } = options;
	const shown = masked(cut(screen, rows), mask);
	const level = (texts: string[]) => trimmed(withoutFilm(loose ? texts.map(squeezed) : texts));
	const lines = level(loose ? cut(screen, rows).lines.map((line) => replaced(line, mask)) : shown.lines);
	const path = join(folder, `${name}.svg`);
	if (process.env.UPDATE_IMAGES === "1") {
		mkdirSync(dirname(path), { recursive: true });
		writeFileSync(path, svgOf(shown, options));
		return;
	}
	const before = existsSync(path) ? level(pictureLines(name, folder)) : undefined;
	if (before?.join("\n") === lines.join("\n")) return;
	const hint = "Run this test with UPDATE_IMAGES=1 when the new screen is right.";
	if (!before) throw new Error(`There is no picture ${name}. ${hint}\n${lines.join("\n")}`);
	const at = lines.findIndex((line, row) => line !== before[row]);
	const row = at < 0 ? lines.length : at;
	throw new Error(
		`The screen differs from ${name}.svg in row ${row}. ${hint}\npicture: ${before[row]}\nscreen:  ${lines[row]}\n--- screen ---\n${lines.join("\n")}`,
	);
}

/** The lines of a picture, as a screen reader gets them. Throws when there is no such picture. */
export function pictureLines(name: string, folder = pictureFolder): string[] {
	const text = /<desc>([\s\S]*?)<\/desc>/.exec(readFileSync(join(folder, `${name}.svg`), "utf8"))?.[1] ?? "";
	return trimmed(text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&").split("\n"));
}

function cut(screen: Snapshot, [first, end]: [number, number] = [0, screen.rows]): Snapshot {
	const [lines, runs] = [screen.lines.slice(first, end), screen.runs.slice(first, end)];
	return { cols: screen.cols, rows: lines.length, lines, runs };
}

function replaced(line: string, mask: [RegExp, string][]): string {
	return mask.reduce((text, [pattern, by]) => text.replace(pattern, by), line);
}

/** The rows of a film strip follow the time that each visit took. */
function withoutFilm(lines: readonly string[]): string[] {
	return lines.map((line, row) => (line.startsWith("┃") ? "┃" : lines[row - 1]?.startsWith("┃") ? "" : line));
}

function squeezed(line: string): string {
	return line.replace(/ +/g, " ").replace(/─+/g, "─").trimEnd();
}

/** Replaces what the patterns match, within runs of one style. */
function masked(screen: Snapshot, mask: [RegExp, string][]): Snapshot {
	const padded = (text: string) =>
		mask.reduce(
			(result, [pattern, by]) => result.replace(pattern, (match) => by.slice(0, match.length).padEnd(match.length)),
			text,
		);
	const runs = screen.runs.map((line) => line.map((run) => ({ ...run, text: padded(run.text) })));
	const lines = runs.map((line) =>
		line
			.map(({ text }) => text)
			.join("")
			.trimEnd(),
	);
	return { ...screen, lines, runs };
}

/** Without the blank lines above and below. */
function trimmed(lines: string[]): string[] {
	const first = lines.findIndex((line) => line.trim() !== "");
	const last = lines.findLastIndex((line) => line.trim() !== "");
	return first < 0 ? [] : lines.slice(first, last + 1);
}
