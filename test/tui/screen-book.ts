// Screens of real pi at several sizes, in a theme. A screen counts as soon as it is right: nothing waits for a time. What it says is compared where
// its component is drawn (snapshots.test.ts); here it has to be drawn for the terminal's size, with what the story looks for in sight, and every
// text has to be readable.
import type { Snapshot, Tui } from "../harness/index.ts";

export type Size = readonly [cols: number, rows: number];
export type Scheme = "dark" | "light";

export interface Book {
	/**
	 * Waits at every size of the book until the screen is right. `sign`: what is in sight at every size, whatever its line breaks. Afterwards the
	 * terminal has the size that it had before. Throws with the screen and what is wrong with it.
	 */
	page(name: string, sign: string): Promise<void>;
}

/** Opens the book of a pi whose terminal has the size `home`. */
export function openBook(pi: Tui, home: Size, { sizes, scheme }: { sizes: readonly Size[]; scheme: Scheme }): Book {
	const wrong = (size: Size, sign: string): string[] => [
		...misdrawn(pi.lines(), size),
		...(flat(pi.screen()).includes(flat(sign)) ? [] : [`"${sign}" is not in sight`]),
		...faint(pi.snapshot(), scheme),
	];
	return {
		async page(name, sign) {
			for (const size of sizes) {
				pi.resize(size[0], size[1]);
				await pi
					.waitForScreen(() => wrong(size, sign).length === 0)
					.catch((error: Error) => {
						throw new Error(
							`${name} at ${size.join("×")}, ${scheme}: ${wrong(size, sign).join("; ")}\n${error.message}`,
						);
					});
			}
			pi.resize(...home);
		},
	};
}

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
