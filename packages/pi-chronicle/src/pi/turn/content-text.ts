// The text in the content of pi's messages and tool results.

/** The text parts of `content` as pi stores it, one per line; a string is returned as it is, anything else is empty. */
export function contentText(content: unknown): string {
	if (typeof content === "string") return content;
	if (!Array.isArray(content)) return "";
	return content.flatMap((part) => (part?.type === "text" ? [String(part.text ?? "")] : [])).join("\n");
}
