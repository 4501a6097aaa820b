// A unified diff as lines: files and hunks set off, what is added and removed toned, code coloured by its language. For the terminal.
import { getLanguageFromPath, highlightCode } from "@earendil-works/pi-coding-agent";
import { dim, flat, type Line, type Span, type Tone } from "./line.ts";

/** Longer diffs are shown without the colours of their language. */
const mostColoured = 4000;

/** The lines of a diff, file by file. A sentence where nothing has changed. */
export function patchLines(patch: string): Line[] {
	if (patch.trim() === "") return [[dim("No files have changed.")]];
	const all = patch.split("\n");
	let language: string | undefined;
	return all.map((line): Line => {
		const file = /^\+\+\+ b\/(.*)$/.exec(line)?.[1];
		if (file !== undefined) language = getLanguageFromPath(file);
		if (/^(diff --git|\+\+\+|---|index|new file|deleted file|rename|similarity) /.test(line))
			return [{ text: line, tone: "accent" }];
		if (line.startsWith("@@")) return [dim(line)];
		const mark = line.charAt(0);
		const tone: Tone = mark === "+" ? "success" : mark === "-" ? "error" : "plain";
		const code = flat(line.slice(1));
		const coloured = all.length <= mostColoured ? colour(code, language) : code;
		const text: Span = coloured === code ? { text: code, tone } : { text: coloured, tone: "coloured" };
		return [{ text: mark, tone }, text];
	});
}

function colour(code: string, language: string | undefined): string {
	if (language === undefined || code.trim() === "") return code;
	return highlightCode(code, language)[0] ?? code;
}
