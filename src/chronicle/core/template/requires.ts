// The version of this program that a template needs.
import { satisfies } from "compare-versions";
import { custom, type Node, quoted, type ReadContext, wrongType } from "../../../definition/index.ts";

/** The version of the template format: that of the package. */
const FORMAT_VERSION = "0.2.0";

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
		message: `The template requires pi-chronicle ${quoted(range)}, but this is ${FORMAT_VERSION}.`,
		remedy: "Install a version in that range, or change the template.",
	});
	return undefined;
}

/** `undefined` if the range cannot be read. */
function isMet(range: string): boolean | undefined {
	try {
		return satisfies(FORMAT_VERSION, range);
	} catch {
		return undefined;
	}
}
