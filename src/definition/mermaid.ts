// Text that somebody wrote, inside of a Mermaid chart.
import { singleLine } from "./format.ts";

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "`": "'" };

/** Text for a quoted label: what would end it or be read as markup becomes an entity that pi's renderer and Mermaid's own know. */
export function mermaidLabel(text: string): string {
	return singleLine(text).replace(/[&<>"`]/g, (character) => entities[character] ?? character);
}
