// Recordings of a terminal for the documents: the screens that a test has reached, in order, as one animated SVG. Nothing in it
// is drawn by hand. If animation is switched off, the last screen is shown.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pictureFolder } from "./picture.ts";
import { escaped, type Snapshot, svgOf } from "./screen.ts";

export interface Frame {
	/** A screen, or the markup of another drawing of `width` × `height`. */
	readonly content: Snapshot | { readonly markup: string; readonly width: number; readonly height: number };
	/** How long it is shown, in seconds. */
	readonly seconds: number;
	/** What it shows, for those who do not see it. */
	readonly caption: string;
}

const captionHeight = 34;

/** The frames as one animated SVG. */
export function recordingOf(frames: readonly Frame[], title: string): string {
	const drawn = frames.map(({ content }) => ("markup" in content ? content : screenOf(content)));
	const width = Math.max(...drawn.map((one) => one.width));
	const height = Math.max(...drawn.map((one) => one.height)) + captionHeight;
	const total = frames.reduce((sum, { seconds }) => sum + seconds, 0);
	let begun = 0;
	const groups = drawn.map((one, index) => {
		const { seconds, caption } = frames[index] as Frame;
		const [from, to] = [(begun / total) * 100, ((begun + seconds) / total) * 100];
		begun += seconds;
		const percent = (value: number) => `${Number(value.toFixed(3))}%`;
		const isLast = index === drawn.length - 1;
		const steps = `0%,${percent(Math.max(0, from - 0.001))}{visibility:${index === 0 ? "visible" : "hidden"}}${percent(from)}{visibility:visible}${isLast ? "100%{visibility:visible}" : `${percent(to)},100%{visibility:hidden}`}`;
		return {
			style: `@keyframes f${index}{${steps}}.f${index}{visibility:${isLast ? "visible" : "hidden"};animation:f${index} ${total}s step-end infinite}`,
			markup: `<g class="f${index}"><text x="14" y="22" font-family="system-ui, sans-serif" font-size="15" fill="#9aa3b2">${escaped(caption)}</text><svg y="${captionHeight}" width="${one.width}" height="${one.height}" viewBox="0 0 ${one.width} ${one.height}">${one.markup}</svg></g>`,
		};
	});
	const style = groups.map((group) => group.style).join("");
	return [
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
		`<title>${escaped(title)}</title>`,
		`<desc>${escaped(frames.map(({ caption }) => caption).join("\n"))}</desc>`,
		`<style>${style}@media (prefers-reduced-motion:reduce){g{animation:none!important}}</style>`,
		`<rect width="${width}" height="${height}" rx="8" fill="#0f1115"/>`,
		...groups.map(({ markup }) => markup),
		"</svg>",
		"",
	].join("\n");
}

/** Writes the recording `docs/images/<name>.svg`. */
export function writeRecording(name: string, frames: readonly Frame[], title: string): void {
	writeFileSync(join(pictureFolder, `${name}.svg`), recordingOf(frames, title));
}

function screenOf(screen: Snapshot): { markup: string; width: number; height: number } {
	const svg = svgOf(screen);
	const [, width = "0", height = "0"] = /width="(\d+)" height="(\d+)"/.exec(svg) ?? [];
	const markup = svg
		.replace(/^<svg[^>]*>/, "")
		.replace(/<title>[\s\S]*?<\/desc>/, "")
		.replace(/<\/svg>\s*$/, "");
	return { markup, width: Number(width), height: Number(height) };
}
