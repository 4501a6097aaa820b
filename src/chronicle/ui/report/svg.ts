// Drawing SVG that is part of the page: colours come from the page's style page through classes, so that light, dark and print need one
// drawing. Pure.
// G1 a drawing says in words what it shows (`title`, `desc`); G2 numbers have at most one decimal; G3 no `style` attribute, no link.
import type { Html, HtmlContent, Markup } from "./markup.ts";

export interface Drawing {
	/** Unique on the page. */
	readonly id: string;
	readonly width: number;
	readonly height: number;
	readonly title: string;
	/** What a person who sees it would tell one who does not. */
	readonly description: string;
	readonly content: HtmlContent;
	/** Where a drawing does not fit, its frame scrolls; otherwise it is made smaller. */
	readonly fits?: boolean;
}

/** Which of a chart's two drawings it is: for wide pages and paper, or for phones. */
export type ChartWidth = "wide" | "narrow";

/** Pixels that each has. */
export const roomWidth: Readonly<Record<ChartWidth, number>> = { wide: 1000, narrow: 340 };

/** What is higher is looked at through a window of its own. */
const tall = 1600;

export function drawSvg(html: Html, drawing: Drawing): Markup {
	const { id, width, height, title, description, content, fits = true } = drawing;
	return html`<svg class="drawing${fits ? "" : " large"}${height > tall ? " tall" : ""}" role="img" aria-labelledby="${id}-t ${id}-d" viewBox="0 0 ${px(width)} ${px(height)}" width="${px(width)}" height="${px(height)}"><title id="${id}-t">${title}</title><desc id="${id}-d">${description}</desc>${content}</svg>`;
}

/** A number for an attribute. */
export function px(value: number): number {
	return Number.isFinite(value) ? Math.round(value * 10) / 10 : 0;
}

/**
 * Pixels that a text takes in the widest usual sans-serif font (DejaVu Sans, half-bold): what is drawn here is never measured again.
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

/** The text, cut so that it fits into `width` pixels. */
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
