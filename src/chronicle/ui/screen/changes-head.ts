// The header of a diff: the counts and, for several files, their names. Pure.
import { dim, type Line, plain } from "../../../tui/index.ts";

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
