// Converts between trees with source positions and plain JSON data: the ledger keeps a template as data.
// Keys such as `__proto__` are ordinary keys, in both directions.
import type { MapEntry, Node } from "./node.ts";

/** The data of a tree. What JSON cannot represent (NaN, infinities) becomes `null`. */
export function plainOf(node: Node): unknown {
	switch (node.kind) {
		case "scalar":
			return typeof node.value === "number" && !Number.isFinite(node.value) ? null : node.value;
		case "list":
			return node.items.map(plainOf);
		case "map":
			return Object.fromEntries([...node.entries].map(([key, entry]) => [key, plainOf(entry.value)]));
	}
}

/**
 * The approximate length of a tree's data in characters. Aliases share nodes in the tree, but the data repeats them: shared nodes count every
 * time and are visited once.
 */
export function sizeOf(node: Node, known = new Map<Node, number>()): number {
	const before = known.get(node);
	if (before !== undefined) return before;
	let size = 8;
	if (node.kind === "scalar") size += node.written.length;
	else if (node.kind === "list") for (const item of node.items) size += sizeOf(item, known);
	else for (const [key, { value }] of node.entries) size += key.length + sizeOf(value, known);
	known.set(node, size);
	return size;
}

/** A tree without source positions for JSON data. */
export function nodeOf(data: unknown): Node {
	const at = { start: 0, end: 0 };
	if (Array.isArray(data)) return { kind: "list", items: data.map(nodeOf), ...at };
	if (typeof data === "object" && data !== null) {
		const entries = new Map<string, MapEntry>();
		for (const [key, value] of Object.entries(data)) entries.set(key, { keyStart: 0, value: nodeOf(value) });
		return { kind: "map", entries, ...at };
	}
	const value = typeof data === "string" || typeof data === "number" || typeof data === "boolean" ? data : null;
	return { kind: "scalar", value, written: String(value), ...at };
}
