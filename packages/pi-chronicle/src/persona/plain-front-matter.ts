// Front matter that other programs accept although it is not YAML: `argument-hint: [a] | b`, descriptions with colons over several lines.
// Only a field that has no effect on what an agent may do is taken as text, and a lone `*`; every other mistake stays one.
import { openSource, parseYaml, type Source } from "@pi-chronicle/core/definition";

const effective =
	/^(?:name|tools|model|thinking|skills|readonly|.*(?:tools|permission|sandbox|mode|hooks|approval|deny).*)$/i;

/** The file with such fields in quotes; the same file if its front matter is YAML, or cannot be repaired. */
export function quoteTextFields(source: Source): Source {
	const { file, text } = source;
	const end = text.indexOf("\n---", 3);
	const start = text.indexOf("\n") + 1;
	if (!text.startsWith("---") || end < start || parseYaml(source, { start, end }).root) return source;
	const fields = text.slice(start, end).split(/\n(?=[A-Za-z][\w-]*:(?:[ \t]|\n|$))/);
	const quoted = fields.map((field) => (parseYaml(openSource(file, field)).root ? field : quoteField(field)));
	const plain = quoted.join("\n");
	return parseYaml(openSource(file, plain)).root
		? openSource(file, text.slice(0, start) + plain + text.slice(end))
		: source;
}

function quoteField(field: string): string {
	const [, key = "", value = ""] = /^([A-Za-z][\w-]*):\s*(.*)$/s.exec(field) ?? [];
	if (key === "" || (effective.test(key) && value.trim() !== "*")) return field;
	// As many lines as before, so that places stay right: a backslash at the end of a line joins it with the next.
	const lines = value.trim().split("\n");
	return `${key}: "${lines.map((line) => JSON.stringify(line.trim()).slice(1, -1)).join("\\n\\\n ")}"`;
}
