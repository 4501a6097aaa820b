// What writes the generated sections of the documents: one function per name, which takes its facts from the code that acts on
// them. A section stands between `<!-- generated:NAME -->` and `<!-- /generated -->`; `node scripts/docs.mjs --write` fills it.

/** Makes the Markdown of one section. */
export type Generator = () => string | Promise<string>;

/** All generated sections, by name. Each name must be used by a document. */
export const references: Readonly<Record<string, Generator>> = {};

/** A Markdown table; cells may not hold line breaks, pipes are escaped. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
	const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
	return [line(head), `|${head.map(() => "---").join("|")}|`, ...rows.map(line)].join("\n");
}
