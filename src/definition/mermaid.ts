// Escapes user text for Mermaid charts.
import { singleLine } from "./format.ts";

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "`": "'" };

/** Escapes text for a quoted label. Quotes and markup characters become entities that both pi's renderer and Mermaid support. */
export function mermaidLabel(text: string): string {
	return singleLine(text).replace(/[&<>"`]/g, (character) => entities[character] ?? character);
}
