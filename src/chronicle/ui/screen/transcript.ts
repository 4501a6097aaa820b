// A worker's conversation as lines: messages, calls and results. Reads at most the last 256 KB of pi's session file, so that a long
// conversation opens immediately; skips a torn last line.
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { dim, type Line, type StyledText } from "../../../tui/index.ts";

const tailBytes = 256 * 1024;
/** Maximum characters shown of a tool's arguments. */
const argumentLength = 500;
/** Maximum lines shown of one tool result. */
const resultLines = 6;

/** The lines of the session file at `path`, oldest first; one sentence if it cannot be read. */
export function readTranscript(path: string | undefined): Line[] {
	if (path === undefined) return [[dim("No conversation yet.")]];
	let text: string;
	let cut = false;
	try {
		const file = openSync(path, "r");
		try {
			const { size } = fstatSync(file);
			const start = Math.max(0, size - tailBytes);
			const bytes = Buffer.alloc(size - start);
			readSync(file, bytes, 0, bytes.length, start);
			text = bytes.toString("utf8");
			cut = start > 0;
		} finally {
			closeSync(file);
		}
	} catch {
		return [[dim("The conversation cannot be read: its session file is missing or locked.")]];
	}
	const records = text.split("\n");
	const lines = (cut ? records.slice(1) : records).flatMap(recordLines);
	return cut ? [[dim("… earlier entries are in the session file")], ...lines] : lines;
}

function recordLines(record: string): Line[] {
	let entry: { type?: unknown; message?: Record<string, unknown>; content?: unknown };
	try {
		entry = JSON.parse(record);
	} catch {
		return [];
	}
	if (entry?.type === "custom_message") return spoken("·", textOf(entry.content), "dim");
	if (entry?.type !== "message" || entry.message === undefined) return [];
	const { role, content, toolName, isError } = entry.message;
	if (role === "user") return spoken("»", textOf(content), "plain");
	if (role === "toolResult") return result(String(toolName), textOf(content), isError === true);
	if (role === "assistant" && Array.isArray(content)) return content.flatMap(partLines);
	return [];
}

function partLines(part: { type?: unknown; text?: unknown; name?: unknown; arguments?: unknown }): Line[] {
	if (part.type === "text") return spoken("●", String(part.text ?? ""), "plain");
	if (part.type !== "toolCall") return [];
	return [[{ text: `▸ ${String(part.name)} `, tone: "accent" }, dim(argumentWords(part.arguments))]];
}

function spoken(mark: string, text: string, tone: StyledText["tone"]): Line[] {
	return text
		.trim()
		.split("\n")
		.map((line, index) => [index === 0 ? { text: `${mark} `, tone: "accent" } : dim("  "), { text: line, tone }]);
}

/** The arguments of a tool: the first without its name, the others with theirs. */
function argumentWords(given: unknown): string {
	const entries = Object.entries(typeof given === "object" && given !== null ? given : {});
	const words = entries.map(([key, value], index) => {
		const text = typeof value === "string" ? value : JSON.stringify(value);
		return index === 0 && typeof value === "string" ? text : `${key}=${text}`;
	});
	return words.join(" ").slice(0, argumentLength);
}

function result(tool: string, text: string, failed: boolean): Line[] {
	const all = text.trimEnd().split("\n");
	const lines: Line[] = all
		.slice(0, resultLines)
		.map((line) => [failed ? { text: `  ${line}`, tone: "error" } : dim(`  ${line}`)]);
	if (all.length > resultLines) lines.push([dim(`  … ${all.length - resultLines} more lines of ${tool}`)]);
	return lines;
}

function textOf(content: unknown): string {
	if (typeof content === "string") return content;
	if (!Array.isArray(content)) return "";
	return content.map((part) => (part?.type === "text" ? String(part.text) : "")).join("\n");
}
