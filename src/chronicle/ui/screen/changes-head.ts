// What stands above a diff: how much has changed and, of several files, which. Pure.
import { dim, type Line, plain } from "../../../tui/index.ts";

/** `summary`: the counts, then a line a file. `note` goes behind the counts. */
export function changesHead([counts = "", ...files]: readonly string[], note: string): Line[] {
	const list = files.length > 1 ? files.map(changedFile) : [];
	return [[plain(counts.replace(/:$/, "")), dim(note === "" ? "" : `  ${note}`)], ...list, [plain("")]];
}

/** `  M src/a.ts +10 −2`, toned; any other text as it is. */
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
