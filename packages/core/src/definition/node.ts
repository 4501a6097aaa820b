// The syntax tree of a file, with places: the common form of YAML, front matter, and JSON, before any fields are interpreted.
// Keys are unique within a map and may be any text, even `__proto__`, because maps are `Map`s; trees have no cycles and are at most
// `maxDepth` deep; a YAML alias shares its node.

interface At {
	/** Offsets into the source's text. */
	readonly start: number;
	readonly end: number;
}

export interface ScalarNode extends At {
	readonly kind: "scalar";
	readonly value: string | number | boolean | null;
	/** As written in the file, without quotes. */
	readonly written: string;
}

export interface ListNode extends At {
	readonly kind: "list";
	readonly items: readonly Node[];
}

export interface MapNode extends At {
	readonly kind: "map";
	readonly entries: ReadonlyMap<string, MapEntry>;
}

export interface MapEntry {
	/** Offset of the key. */
	readonly keyStart: number;
	readonly value: Node;
}

export type Node = ScalarNode | ListNode | MapNode;

export const maxDepth = 100;

/** Describes a node for messages: `a list`, `the number 1`, `nothing`, … */
export function describeNode(node: Node): string {
	switch (node.kind) {
		case "list":
			return node.items.length === 0 ? "an empty list" : "a list";
		case "map":
			return "an object";
		case "scalar":
			if (node.value === null) return "nothing";
			if (typeof node.value === "number") return `the number ${node.written}`;
			if (typeof node.value === "boolean") return `the boolean \`${node.written}\``;
			return node.value.trim() === "" ? "an empty string" : "a string";
	}
}
