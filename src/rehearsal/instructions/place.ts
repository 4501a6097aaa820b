// Finds words of an instruction in the file that they come from.
import { readFileSync } from "node:fs";
import { type Node, openSource, type Place, parseJson, parseYaml, type Source } from "../../definition/index.ts";

/** A file with definitions, parsed only when something has to be found in it. */
export interface Placed {
	/** The place of `words` below the node at `path`, or of that node, or of the file's beginning. */
	find(words: string, path: readonly string[]): Place;
}

export function openPlaces(file: string): Placed {
	let read: { readonly source: Source; readonly root: Node | undefined } | undefined;
	return {
		find(words, path) {
			read ??= readDefinition(file);
			const { source, root } = read;
			const from = offsetAt(root, path);
			const pattern = new RegExp(words.split(/\s+/).map(escapeText).join(String.raw`(?:\s|\\n)+`));
			const at = pattern.exec(source.text.slice(from))?.index;
			return source.place(from + (at ?? 0));
		},
	};
}

function readDefinition(file: string): { readonly source: Source; readonly root: Node | undefined } {
	const source = openSource(file, readText(file));
	if (/\.json$/i.test(file)) return { source, root: parseJson(source).root };
	return { source, root: /\.ya?ml$/i.test(file) ? parseYaml(source).root : undefined };
}

function readText(file: string): string {
	try {
		return readFileSync(file, "utf8");
	} catch {
		return "";
	}
}

/** Offset of the node at `path`, or of the last one on the way to it that exists. */
function offsetAt(root: Node | undefined, path: readonly string[]): number {
	let node = root;
	for (const key of path) {
		const next = node?.kind === "map" ? node.entries.get(key)?.value : undefined;
		if (!next) break;
		node = next;
	}
	return node?.start ?? 0;
}

function escapeText(text: string): string {
	return text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
