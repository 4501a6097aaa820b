// Draws inline SVG: classes take their colors from the page's style sheet, so that light, dark and print need only one drawing. Pure.
// G1 a drawing describes itself in text (`title`, `desc`); G2 numbers have at most one decimal; G3 no `style` attribute, no link.
import type { Html, HtmlContent, Markup } from "./markup.ts";

export interface Drawing {
	/** Unique on the page. */
	readonly id: string;
	readonly width: number;
	readonly height: number;
	readonly title: string;
	/** Text alternative for readers who cannot see the drawing. */
	readonly description: string;
	readonly content: HtmlContent;
	/** Whether the drawing is scaled down to the page; otherwise its frame scrolls. */
	readonly fits?: boolean;
}

/** The two drawings of a chart: for wide pages and print, and for phones. */
export type ChartWidth = "wide" | "narrow";

/** Width of each drawing in pixels. */
export const roomWidth: Readonly<Record<ChartWidth, number>> = { wide: 1000, narrow: 340 };

/** Taller drawings scroll in their own frame. */
const tall = 1600;

export function drawSvg(html: Html, drawing: Drawing): Markup {
	const { id, width, height, title, description, content, fits = true } = drawing;
	return html`<svg class="drawing${fits ? "" : " large"}${height > tall ? " tall" : ""}" role="img" aria-labelledby="${id}-t ${id}-d" viewBox="0 0 ${px(width)} ${px(height)}" width="${px(width)}" height="${px(height)}"><title id="${id}-t">${title}</title><desc id="${id}-d">${description}</desc>${content}</svg>`;
}

/** Rounds a number for an attribute. */
export function px(value: number): number {
	return Number.isFinite(value) ? Math.round(value * 10) / 10 : 0;
}

/**
 * Pixels that a text takes in the widest common sans-serif font (DejaVu Sans, semi-bold): drawn text is never measured again.
 */
export function textWidth(text: string, size: number): number {
	let width = 0;
	for (const sign of text) width += signWidth(sign);
	return width * size;
}

function signWidth(sign: string): number {
	const code = sign.codePointAt(0) ?? 0;
	if (code >= 0x1100) return /\p{M}/u.test(sign) ? 0 : code < 0x2e80 ? 0.72 : 1.05;
	if (/[ilj.,:;'|!()[\] ]/.test(sign)) return 0.4;
	if (/[mwMW@%]/.test(sign)) return sign === "W" || sign === "%" ? 1.15 : 1.05;
	return /\p{Lu}|[&×]/u.test(sign) ? 0.8 : 0.66;
}

/** Cuts a text to fit into `width` pixels. */
export function fitText(text: string, size: number, width: number): string {
	const line = text.replace(/\s+/g, " ").trim();
	if (textWidth(line, size) <= width) return line;
	let kept = "";
	for (const { segment } of new Intl.Segmenter("en").segment(line.slice(0, 400))) {
		if (textWidth(`${kept}${segment}…`, size) > width) break;
		kept += segment;
	}
	return `${kept.trimEnd()}…`;
}
