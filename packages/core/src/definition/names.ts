// Reads lists of names in all common notations: `a, b` · `[a, b]` · `["a", "b"]` · one `- a` per line.
import { type Common, type Field, field, type Given, type ReadContext, wrongType } from "./field.ts";
import { describeNode, type Node } from "./node.ts";

/** A name and its offset. */
export interface PlacedName {
	readonly text: string;
	readonly start: number;
}

interface NamesOptions extends Common<readonly string[]> {
	/** `refused`: a single word without brackets, dash, or comma is an error; default: a list with one name. */
	readonly lone?: "refused";
}

/** A field with a list of non-blank names. */
export function names<const O extends NamesOptions>(options: O): Field<Given<readonly string[], O>> {
	return field<readonly string[], O>(options, "list of names", namesSchema, (node, reading) =>
		readNames(node, reading, options.lone)?.map((word) => word.text),
	);
}

const namesSchema = {
	anyOf: [{ type: "array", items: { type: ["string", "number", "boolean"] } }, { type: "string" }],
};

/** Reads a list of names with their offsets. Numbers and booleans keep their written form. */
export function readNames(
	node: Node,
	reading: ReadContext,
	lone: "accepted" | "refused" = "accepted",
): PlacedName[] | undefined {
	if (node.kind === "list") return readNameItems(node.items, reading);
	const value = node.kind === "scalar" ? node.value : undefined;
	if (typeof value === "string" && value.includes(",")) return splitNames(value, node.start);
	if (typeof value === "string" && value.trim() !== "" && lone === "accepted")
		return [{ text: value.trim(), start: node.start }];
	const example = typeof value === "string" && value.trim() !== "" ? value.trim() : "name";
	const key = reading.path.split(".").at(-1) ?? reading.path;
	return wrongType(node, reading, "a list of names", `Write \`${key}: [${example}]\`.`);
}

function splitNames(text: string, start: number): PlacedName[] {
	const found: PlacedName[] = [];
	for (const part of text.matchAll(/[^,]+/g)) {
		const word = part[0].trim();
		if (word !== "")
			found.push({ text: word, start: start + part.index + part[0].length - part[0].trimStart().length });
	}
	return found;
}

function readNameItems(items: readonly Node[], reading: ReadContext): PlacedName[] | undefined {
	const found: PlacedName[] = [];
	let wrong = false;
	for (const item of items) {
		const written = item.kind === "scalar" && item.value !== null ? String(item.written).trim() : "";
		const word = item.kind === "scalar" && typeof item.value === "string" ? item.value.trim() : written;
		if (word !== "") found.push({ text: word, start: item.start });
		else {
			wrong = true;
			reading.report.error(reading.source.place(item.start), {
				code: "wrong-type",
				message: `An entry of \`${reading.path}\` is ${describeNode(item)}; a name is expected.`,
				remedy: "Write one name per entry; a name with a colon needs quotes.",
			});
		}
	}
	return wrong ? undefined : found;
}
