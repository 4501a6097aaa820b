// Screens of real pi at several sizes, in both themes, compared with files in `screens`; UPDATE_SCREENS=1 rewrites them. A screen is accepted as soon
// as it matches: nothing waits for a fixed time. It has to be drawn for the terminal's size, with what the story looks for in view, and every text has to
// be readable in both themes.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Snapshot, Tui } from "../harness/index.ts";
import { comparable, maskedScreen } from "./screen-mask.ts";

export type Size = readonly [cols: number, rows: number];
type Scheme = "dark" | "light";

export interface Book {
	/**
	 * Waits at every size of the book, in both themes, until the screen is right. `sign`: what is visible at every size, whatever its line breaks.
	 * Afterwards the terminal has the size that it had before. Throws with the screen and what is wrong with it.
	 */
	page(name: string, sign: string): Promise<void>;
	/** Like `page`, for a screen whose text differs from play to play: it is not compared with a file. */
	examine(name: string, sign: string): Promise<void>;
}

/** The key that switches the theme, in a pi with the extension `theme-switch`. */
const switchKey = "\u001b[24~";
const isUpdate = process.env.UPDATE_SCREENS === "1";

/**
 * Opens the book of a pi in the dark theme whose terminal has the size `home`. Its screens are compared with the files of `title`, in both themes; the
 * number of sizes is even then. Without a title they are only examined, in the dark theme.
 */
export function openBook(pi: Tui, home: Size, { title, sizes }: { title?: string; sizes: readonly Size[] }): Book {
	let scheme: Scheme = "dark";
	const drawnWrong = (size: Size, sign: string): string[] => [
		...misdrawn(pi.lines(), size),
		...(flat(pi.screen()).includes(flat(sign)) ? [] : [`"${sign}" is not in sight`]),
		...faint(pi.snapshot(), scheme),
	];
	const until = async (where: string, wrong: () => string[]): Promise<void> => {
		await pi
			.waitForScreen(() => wrong().length === 0)
			.catch((error: Error) => {
				throw new Error(`${where}, ${scheme}: ${wrong().join("\n")}\n${error.message}`);
			});
	};
	const switchTheme = async (where: string): Promise<void> => {
		const before = colorsOf(pi.snapshot());
		pi.type(switchKey);
		scheme = scheme === "dark" ? "light" : "dark";
		await until(where, () => (colorsOf(pi.snapshot()) === before ? ["the colors are those of the other theme"] : []));
	};
	/** The screen of this size as a text, once it is right. */
	const settled = async (where: string, wrong: () => string[]): Promise<string> => {
		for (let before = ""; ; ) {
			await until(where, wrong);
			const now = maskedScreen(pi.lines());
			if (now === before) return now;
			before = now;
			await sleep(400);
		}
	};
	const look = async (name: string, sign: string, file: string | undefined): Promise<void> => {
		const drawn: string[] = [];
		const pages = file === undefined || isUpdate ? undefined : sectionsOf(readFileSync(file, "utf8"));
		for (const size of sizes) {
			const head = size.join("×");
			const where = `${title ?? ""} ${name} at ${head}`.trim();
			const wanted = pages?.get(head);
			const wrong = (): string[] => [
				...drawnWrong(size, sign),
				...(pages && comparable(maskedScreen(pi.lines())) !== comparable(wanted ?? "")
					? [`differs from ${file}:\n${wanted}`]
					: []),
			];
			pi.resize(size[0], size[1]);
			await until(where, wrong);
			if (title === undefined) continue;
			if (isUpdate && file !== undefined) drawn.push(`${headOf(head)}\n${await settled(where, wrong)}`);
			await switchTheme(where);
			await until(where, wrong);
		}
		pi.resize(...home);
		if (!isUpdate || file === undefined) return;
		mkdirSync(dirname(file), { recursive: true });
		writeFileSync(file, `${drawn.join("\n")}\n`);
	};
	return {
		page: (name, sign) => look(name, sign, title === undefined ? undefined : fileOf(title, name)),
		examine: (name, sign) => look(name, sign, undefined),
	};
}

/** The file of a page; UPDATE_SCREENS=1 makes it. */
const fileOf = (title: string, name: string) =>
	join(import.meta.dirname, "screens", title, `${name.replace(/[^a-z0-9]+/g, "-")}.txt`);

const headOf = (size: string) => `══ ${size} ${"═".repeat(20)}`;

/** The screens of a file, by their sizes. */
function sectionsOf(text: string): Map<string, string> {
	const parts = text.split(/^══ (\d+×\d+) ═+\n/m).slice(1);
	return new Map(parts.flatMap((part, index) => (index % 2 === 0 ? [[part, parts[index + 1] ?? ""] as const] : [])));
}

/** The colors on the screen. */
const colorsOf = ({ runs }: Snapshot) => [...new Set(runs.flat().map(({ style }) => style.color))].sort().join();

const flat = (text: string) => text.replace(/\s+/g, "");

/** What shows that the screen is not drawn for this size: an overlay covers it, with its keys on the last row; otherwise the editor does. */
function misdrawn(lines: readonly string[], [cols, rows]: Size): string[] {
	const wide = lines.filter((line) => line.length > cols).map((line) => `too wide: ${line}`);
	const isRule = (line = "") => line.length === cols && line.endsWith("─");
	if (!lines[0]?.startsWith("── ")) return lines.some(isRule) ? wide : [...wide, "no rule reaches both edges"];
	return [
		...wide,
		...(isRule(lines[rows - 2]) ? [] : ["the rule above the keys does not reach the edge"]),
		...((lines[rows - 1] ?? "").trim() === "" ? ["the last row has no keys"] : []),
	];
}

const papers = { dark: "#000000", light: "#ffffff" } as const;
const inks = { dark: "#e5e5e5", light: "#000000" } as const;
/** Contrast below which a text counts as unreadable; pi's own weakest text has 3.3. */
const leastContrast = 3;

/** Texts that are hard to read on a terminal of this scheme. */
function faint({ runs }: Snapshot, scheme: Scheme): string[] {
	return runs.flat().flatMap(({ text, style }) => {
		// The row in which pi says that it works is one run with its rule, in the rule's color.
		if (!/[\p{L}\p{N}]/u.test(text) || text.includes("───")) return [];
		const contrast = contrastOf(style.color ?? inks[scheme], style.background ?? papers[scheme]);
		return contrast < leastContrast ? [`contrast ${contrast.toFixed(1)}: ${text.trim()}`] : [];
	});
}

function contrastOf(front: string, back: string): number {
	const [high = 0, low = 0] = [luminance(front), luminance(back)].sort((a, b) => b - a);
	return (high + 0.05) / (low + 0.05);
}

/** Relative luminance by WCAG 2. */
function luminance(color: string): number {
	const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
		const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
		return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
	});
	return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
