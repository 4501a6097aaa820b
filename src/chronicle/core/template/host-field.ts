// The labels that a host must offer to do a state.
import { custom, type Node, quoted, type ReadContext, wrongType } from "../../../definition/index.ts";

const label = /^[a-z0-9][a-z0-9_-]{0,39}$/;
const wanted = "a list of labels";

export const hostField = custom<readonly string[], { about: string; shown: string; empty: "error" }>(
	{
		about:
			'Labels that a host of an [engine](engine.md) must offer to run this state, such as `["gpu"]`. Without an engine, every state runs on this machine.',
		shown: "none",
		empty: "error",
	},
	"list of labels",
	{ type: "array", items: { type: "string", pattern: label.source }, uniqueItems: true },
	// Ledgers of versions without this field may contain any value here: use what is valid.
	(node, reading) => (reading.source.file === "" ? labelsIn(node) : readHost(node, reading)),
);

/** The valid labels in a value that an earlier version accepted. */
function labelsIn(node: Node): readonly string[] {
	if (node.kind !== "list") return [];
	const values = node.items.map((item) => (item.kind === "scalar" ? item.value : undefined));
	return [...new Set(values.filter((value) => typeof value === "string" && label.test(value)))] as string[];
}

function readHost(node: Node, reading: ReadContext): readonly string[] | undefined {
	if (node.kind !== "list") {
		const example = suggested(node).map((name) => `"${name}"`);
		return wrongType(node, reading, wanted, `Write \`[${example.length > 0 ? example.join(", ") : '"gpu"'}]\`.`);
	}
	const found = new Set<string>();
	let wrong = false;
	for (const item of node.items) {
		const name = readLabel(item, reading);
		if (name === undefined) wrong = true;
		else if (found.has(name))
			reading.report.warn(reading.source.place(item.start), {
				code: "named-twice",
				message: `\`${reading.path}\` names ${quoted(name)} twice.`,
				remedy: "Keep one of the two.",
			});
		else found.add(name);
	}
	return wrong ? undefined : [...found];
}

function readLabel(item: Node, reading: ReadContext): string | undefined {
	if (item.kind !== "scalar" || typeof item.value !== "string")
		return wrongType(item, { ...reading, path: `${reading.path}[]` }, "a label, as a string", "Put it in quotes.");
	if (label.test(item.value)) return item.value;
	const [near] = suggested(item);
	reading.report.error(reading.source.place(item.start), {
		code: "bad-value",
		message: `\`${reading.path}\` has ${quoted(item.value)}; a label is up to 40 lower-case letters, digits, - and _.${near === undefined ? "" : ` Did you mean \`${near}\`?`}`,
		remedy: near === undefined ? "Choose another label." : `Write \`"${near}"\`.`,
	});
	return undefined;
}

/** The labels that a value of another shape most likely means. */
function suggested(node: Node): string[] {
	if (node.kind === "list") return node.items.flatMap(suggested);
	if (node.kind === "map") return [...node.entries.values()].flatMap(({ value }) => suggested(value));
	const words = typeof node.value === "string" ? node.value.split(",") : [];
	return words.map((word) => word.trim().toLowerCase().replace(/\s+/g, "-")).filter((word) => label.test(word));
}
