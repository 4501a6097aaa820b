// How much of a request this package wrote: declarations of its tools, its lines of the system prompt, the results of its tools, and user
// messages, which all come from it. What the user, a definition or the model wrote is taken out of these. Pure.
import { allMessages, declarationText, type HandRequest, messageText, type SeenMessage } from "./request.ts";

/** Characters of a request. */
export interface Share {
	readonly all: number;
	/** Written by this package. */
	readonly own: number;
}

/** Shorter pieces of foreign text are not looked for: they would be found by chance. */
const shortest = 12;

/** Measures requests. `foreign`: texts of others that may occur in this package's messages: the task, instructions. */
export class OwnText {
	private readonly pieces = new Set<string>();
	private sorted: readonly string[] | undefined;

	constructor(foreign: readonly string[]) {
		for (const text of foreign) this.add(text);
	}

	/** Adds a foreign text: words of the user, or of the model. It may be quoted as JSON. */
	add(text: string): void {
		for (const form of [text, JSON.stringify(text).slice(1, -1)])
			for (const piece of piecesOf(form)) this.pieces.add(piece);
		this.sorted = undefined;
	}

	/** Adds every text of an answer of the model. */
	addAnswer(value: unknown): void {
		if (typeof value === "string") this.add(value);
		else if (typeof value === "object" && value !== null) for (const each of Object.values(value)) this.addAnswer(each);
	}

	measure(request: HandRequest): Share {
		const { system, tools, ownLines, ownTools } = request.posted;
		const own = new Set(ownTools);
		const declared = tools.map((tool) => ({ own: own.has(tool.name), size: declarationText(tool).length }));
		const systemLines = system.split("\n");
		const ours = systemLines.filter((line) => isOwnLine(line, ownLines, ownTools));
		const messages = allMessages(request).map((message) => ({
			size: messageText(message).length,
			own: this.ownOf(message, own),
		}));
		const total = (sizes: readonly number[]): number => sizes.reduce((sum, size) => sum + size, 0);
		return {
			all: system.length + total(declared.map(({ size }) => size)) + total(messages.map(({ size }) => size)),
			own:
				total(ours.map((line) => line.length + 1)) +
				total(declared.flatMap((tool) => (tool.own ? [tool.size] : []))) +
				total(messages.map((message) => message.own)),
		};
	}

	private ownOf(message: SeenMessage, ownTools: ReadonlySet<string>): number {
		if (message.role === "assistant") return 0;
		if (message.role === "tool" && !ownTools.has(message.tool ?? "")) return 0;
		const text = oneLineText(message.text);
		this.sorted ??= [...this.pieces].sort((a, b) => b.length - a.length);
		let rest = text;
		for (const piece of this.sorted) rest = rest.replaceAll(piece, "");
		return rest.length - this.quotedBeginnings(rest);
	}

	/** Characters of foreign pieces of which only the beginning is in `text`, with an ellipsis. */
	private quotedBeginnings(text: string): number {
		const before = text.split("…").slice(0, -1);
		const lengths = before.map((quoting) =>
			Math.max(0, ...[...this.pieces].map((piece) => sharedLength(quoting.trimEnd(), piece))),
		);
		return lengths.reduce((sum, length) => sum + length, 0);
	}
}

/** The length of the longest beginning of `piece` that `text` ends with; 0 if it is short. */
function sharedLength(text: string, piece: string): number {
	for (let length = Math.min(piece.length, text.length); length >= shortest; length--)
		if (text.endsWith(piece.slice(0, length))) return length;
	return 0;
}

function isOwnLine(line: string, ownLines: readonly string[], ownTools: readonly string[]): boolean {
	const text = line.replace(/^[-*]\s+/, "").trim();
	return text !== "" && (ownLines.includes(text) || ownTools.some((name) => text.startsWith(`${name}: `)));
}

/** A text whole, and its lines and sentences, between placeholders. */
function piecesOf(text: string): string[] {
	const lines = text.split(/\n|\{[^{}\n]*\}/);
	const sentences = lines.flatMap((line) => oneLineText(line).split(/(?<=[.;:!?]) /));
	return [text, ...lines, ...sentences].map(oneLineText).filter((piece) => piece.length >= shortest);
}

function oneLineText(text: string): string {
	return text.replace(/\s+/g, " ").trim();
}
