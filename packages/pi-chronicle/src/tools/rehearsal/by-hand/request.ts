// A request as its player reads it: only what is new in its conversation, and what the rest is called. Pure.
// Nothing is left out that was not shown before: what is missing is named with the request that shows it.
import type { DeclaredTool, PostedRequest, WaitingRequest } from "./mailbox.ts";

/** A message of a conversation, without what a model does not see. */
export interface SeenMessage {
	readonly role: "user" | "assistant" | "tool";
	/** Of a tool's result. */
	readonly tool?: string;
	readonly failed?: true;
	readonly text: string;
	/** Calls of the model. */
	readonly calls?: readonly { readonly tool: string; readonly input: unknown }[];
}

/** One request to the player. */
export interface HandRequest {
	/** In the rehearsal, from 1. */
	readonly number: number;
	/** Name in the mailbox. */
	readonly name: string;
	/** Name of the conversation, unique in the rehearsal. */
	readonly conversation: string;
	/** Number of this request in its conversation, from 1. */
	readonly turn: number;
	readonly place: string;
	/** The system prompt if it is new here, else the number of the request that shows it. */
	readonly system: string | number;
	/** Every declared tool, or the number of the request that shows it; the number alone if all are as in that request. */
	readonly tools: readonly (DeclaredTool | { readonly name: string; readonly shown: number })[] | number;
	/** Number of messages that the player knows: shown before and unchanged, or its own. */
	readonly earlier: number;
	/** Earlier messages were changed or dropped, so all are shown again. */
	readonly rewritten: boolean;
	/** The new messages; the player's own last answer, which comes first, is left out. */
	readonly messages: readonly SeenMessage[];
	readonly posted: PostedRequest;
}

interface Conversation {
	readonly name: string;
	turns: number;
	shown: readonly string[];
	tools: string;
	toolsAt: number;
}

/** Numbers the requests of a rehearsal and finds out what is new in each. */
export interface RequestDesk {
	receive(waiting: WaitingRequest): HandRequest;
	/** The next number, for a question to the user. */
	takeNumber(): number;
}

export function openRequestDesk(): RequestDesk {
	let number = 0;
	const conversations = new Map<string, Conversation>();
	const names = new Map<string, number>();
	const systems = new Map<string, number>();
	const tools = new Map<string, number>();
	const open = (session: string, name: string): Conversation => {
		const known = conversations.get(session);
		if (known) return known;
		const count = (names.get(name) ?? 0) + 1;
		names.set(name, count);
		const fresh = { name: count === 1 ? name : `${name} (${count})`, turns: 0, shown: [], tools: "", toolsAt: 0 };
		conversations.set(session, fresh);
		return fresh;
	};
	return {
		takeNumber: () => ++number,
		receive({ name, request }) {
			number += 1;
			const isSummary = request.tools.length === 0;
			const session = isSummary ? `${name} summary` : request.session;
			const conversation = open(
				session,
				isSummary ? `${conversationName(request)}: text only` : conversationName(request),
			);
			conversation.turns += 1;
			const messages = request.messages.map(seen);
			const texts = messages.map((message) => JSON.stringify(message));
			const kept = conversation.shown.every((text, at) => texts[at] === text);
			const answered =
				conversation.turns > 1 && kept && messages[conversation.shown.length]?.role === "assistant" ? 1 : 0;
			const earlier = kept ? conversation.shown.length + answered : 0;
			const declared = JSON.stringify(request.tools);
			const sameTools = conversation.tools === declared ? conversation.toolsAt : undefined;
			conversation.shown = texts;
			conversation.tools = declared;
			conversation.toolsAt = sameTools ?? number;
			return {
				number,
				name,
				conversation: conversation.name,
				turn: conversation.turns,
				place: request.place,
				system: firstSeen(systems, request.system, number) ?? request.system,
				tools:
					sameTools ??
					request.tools.map((tool) => {
						const shown = firstSeen(tools, JSON.stringify(tool), number);
						return shown === undefined ? tool : { name: tool.name, shown };
					}),
				earlier,
				rewritten: !kept,
				messages: messages.slice(earlier),
				posted: request,
			};
		},
	};
}

/** A workflow lives in one session; every worker has its own. */
function conversationName({ place, run }: PostedRequest): string {
	return run === undefined ? "session" : place;
}

/** The number of the request that has the text already; `undefined` if it is new, and then noted. */
function firstSeen(known: Map<string, number>, text: string, number: number): number | undefined {
	const before = known.get(text);
	if (before === undefined) known.set(text, number);
	return before;
}

interface RawMessage {
	readonly role?: string;
	readonly content?: unknown;
	readonly toolName?: string;
	readonly isError?: boolean;
}

interface RawPart {
	readonly type?: string;
	readonly text?: string;
	readonly name?: string;
	readonly arguments?: unknown;
}

function seen(raw: unknown): SeenMessage {
	const { role, content, toolName, isError } = (raw ?? {}) as RawMessage;
	const parts: readonly RawPart[] =
		typeof content === "string" ? [{ type: "text", text: content }] : Array.isArray(content) ? content : [];
	const text = parts
		.flatMap(({ type, text = "" }) => (type === "text" ? [text] : type === "image" ? ["[image]"] : []))
		.join("\n");
	if (role === "toolResult")
		return { role: "tool", tool: String(toolName), ...(isError === true ? { failed: true } : {}), text };
	if (role !== "assistant") return { role: "user", text };
	const calls = parts
		.filter(({ type }) => type === "toolCall")
		.map(({ name = "", arguments: input }) => ({ tool: name, input }));
	return { role: "assistant", text, ...(calls.length > 0 ? { calls } : {}) };
}

/** The text of a tool's declaration, as its size counts. */
export function declarationText({ name, description, parameters }: DeclaredTool): string {
	return `${name}\n${description}\n${JSON.stringify(parameters)}`;
}

/** The text of a message, as its size counts. */
export function messageText({ text, calls = [] }: SeenMessage): string {
	return [text, ...calls.map(({ tool, input }) => `${tool} ${JSON.stringify(input)}`)].filter(Boolean).join("\n");
}

/** All messages of a request, the earlier ones included. */
export function allMessages({ posted }: HandRequest): readonly SeenMessage[] {
	return posted.messages.map(seen);
}
