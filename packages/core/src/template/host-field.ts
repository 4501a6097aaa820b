// Fields about where a template can run: the version of the package, the sandbox, and the labels that a host must offer to do a state.

import { satisfies } from "compare-versions";
import { custom, type Node, quoted, type ReadContext, sandboxField, wrongType } from "../definition/index.ts";

/** Versions whose templates run here unchanged, oldest first. The last is the release that this package is, or is on the way to. */
const formatVersions = ["0.2.0", "0.3.0"] as const;

/** A range of versions as npm writes it: `>=0.2`, `^0.2.0`. A template that needs another version does not load. */
export const requiresField = custom<string, { about: string }>(
	{
		about:
			"Versions of pi-chronicle that can run the template, such as `>=0.2`; other versions refuse it. Set it in templates with child runs, which versions before 0.2 do not support.",
	},
	"range of versions",
	{ type: "string", pattern: "\\S" },
	readRequires,
);

function readRequires(node: Node, reading: ReadContext): string | undefined {
	const range = node.kind === "scalar" && typeof node.value === "string" ? node.value.trim() : "";
	const met = range === "" ? undefined : isMet(range);
	if (met === undefined) return wrongType(node, reading, "a range of versions", 'Write it in quotes: `">=0.2"`.');
	if (met) return range;
	reading.report.error(reading.source.place(node.start), {
		code: "other-version",
		message: `The template requires pi-chronicle ${quoted(range)}, but this is ${formatVersions.at(-1)}.`,
		remedy: "Install a version in that range, or change the template.",
	});
	return undefined;
}

/** `undefined` if the range cannot be read. */
function isMet(range: string): boolean | undefined {
	try {
		return formatVersions.some((version) => satisfies(version, range));
	} catch {
		return undefined;
	}
}

export const stateSandbox = sandboxField({
	about: "How the worker's shell commands are [contained](workers.md#sandbox), instead of `sandbox` of the template.",
	shown: "that of the template",
});

export const templateSandbox = sandboxField({
	about:
		"How workers' shell commands are [contained](workers.md#sandbox): `default` where a sandbox works, `off`, `required`: no worker starts without one; or an object of `use` (one of these), `network` (`open`, `off`, or a list of hosts) and `write` (further paths that commands may write).",
	shown: "the setting `sandbox`",
});

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
