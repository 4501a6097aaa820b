// One request as the scripted model received it, with the parts that tests use already extracted.
import type { IncomingHttpHeaders } from "node:http";

/** A message of a chat-completions request, as far as tests look into it. */
export interface ChatMessage {
	role: "system" | "developer" | "user" | "assistant" | "tool";
	content?: string | { type: string; text?: string }[] | null;
	tool_calls?: { id: string; function: { name: string; arguments: string } }[];
	tool_call_id?: string;
}

/** The parts of a chat-completions request body that tests use. */
export interface ChatBody {
	model: string;
	messages: ChatMessage[];
	tools?: { type: string; function: { name: string; description?: string; parameters?: unknown } }[];
	stream?: boolean;
	[key: string]: unknown;
}

/** A tool's result as the model sees it. */
export interface SeenResult {
	id: string;
	/** Name of the tool, from the call that it answers. */
	tool: string;
	text: string;
}

export interface ModelRequest {
	/** 1 for the first request the server got. */
	number: number;
	/** Milliseconds since the epoch. */
	at: number;
	headers: IncomingHttpHeaders;
	/** Length of the body as sent. */
	bytes: number;
	body: ChatBody;
	model: string;
	messages: ChatMessage[];
	/** Text of all system messages. */
	system: string;
	/** Texts of the user messages, oldest first; what extensions inject as custom messages is among them. */
	users: string[];
	lastUser: string;
	/** Names of the declared tools. */
	tools: string[];
	/** Results of tools, oldest first. */
	results: SeenResult[];
	lastResult: SeenResult | undefined;
	/** True when the model is asked right after results of tools, not after a message of the user. */
	afterResults: boolean;
	/** True once the client has gone away before the reply was complete. */
	aborted: boolean;
}

/** Takes a request apart; throws when the body is no JSON. */
export function readRequest(number: number, headers: IncomingHttpHeaders, raw: Buffer): ModelRequest {
	const body = JSON.parse(raw.toString("utf8")) as ChatBody;
	const { messages } = body;
	const names = new Map(messages.flatMap((message) => (message.tool_calls ?? []).map((c) => [c.id, c.function.name])));
	const users = messages.filter(({ role }) => role === "user").map(textOf);
	const results = messages
		.filter(({ role }) => role === "tool")
		.map((message) => {
			const id = message.tool_call_id ?? "";
			return { id, tool: names.get(id) ?? "", text: textOf(message) };
		});
	return {
		number,
		at: Date.now(),
		headers,
		bytes: raw.length,
		body,
		model: body.model,
		messages,
		system: messages
			.filter(({ role }) => role === "system" || role === "developer")
			.map(textOf)
			.join("\n"),
		users,
		lastUser: users.at(-1) ?? "",
		tools: (body.tools ?? []).map((tool) => tool.function.name),
		results,
		lastResult: results.at(-1),
		afterResults: messages.at(-1)?.role === "tool",
		aborted: false,
	};
}

/** The text of a message, its blocks joined. */
function textOf({ content }: ChatMessage): string {
	if (typeof content === "string") return content;
	return (content ?? []).map((block) => block.text ?? "").join("");
}
