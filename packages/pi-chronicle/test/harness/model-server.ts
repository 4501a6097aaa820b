// A scripted model behind OpenAI's chat-completions protocol on 127.0.0.1: streams replies from a script, logs every request.
// Invariants: 1. every request is logged before it is answered; 2. a request that the script has no reply for is answered with
// HTTP 400 (which pi does not retry) and makes `close()` throw, so that no test passes by accident.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { closeLater } from "./lifetime.ts";
import { type ModelRequest, readRequest } from "./model-request.ts";
import { patient } from "./patience.ts";
import { type Reply, say } from "./reply.ts";

/** A reply, a text for `say(text)`, or a function that decides when asked; `undefined` means: no reply for this. */
export type Answer = Reply | string | ((request: ModelRequest) => MaybeReply | Promise<MaybeReply>);
type MaybeReply = Reply | string | undefined;

/**
 * What the model answers: a list, taken one by one; a function asked every time; or, for several processes at once, scripts
 * keyed by a marker: the first key that occurs in a user or system message of the request owns it. Keys that start with
 * `model:` own the requests to that model instead; `*` owns the rest.
 */
export type Script = readonly Answer[] | ((request: ModelRequest) => MaybeReply | Promise<MaybeReply>) | KeyedScript;
export interface KeyedScript {
	[marker: string]: Script;
}

export interface ModelServer {
	/** Base address without `/v1`. */
	url: string;
	/** Every request, oldest first. */
	requests: ModelRequest[];
	/** The newest request; throws when there is none. */
	last(): ModelRequest;
	/** Requests whose system or user text contains `marker`, oldest first: those of one process among several. */
	about(marker: string): ModelRequest[];
	/** Replies that list scripts still hold. */
	remaining(): number;
	/** Puts more replies at the end of the list script (or of the list under `marker`). */
	add(answers: readonly Answer[], marker?: string): void;
	/** Resolves with the first request, past or future, that `wanted` accepts; throws after `ms`. */
	waitForRequest(wanted: number | ((request: ModelRequest) => boolean), ms?: number): Promise<ModelRequest>;
	/** Ends the server and every open connection; throws when the model was asked more than the script could answer. */
	close(): Promise<void>;
	/** Allows requests without a reply: `close()` does not throw about them. */
	lenient(): void;
}

/** Starts a server that plays `script`. */
export async function openModelServer(script: Script = []): Promise<ModelServer> {
	const requests: ModelRequest[] = [];
	const surplus: ModelRequest[] = [];
	const listeners = new Set<(request: ModelRequest) => void>();
	const play = new Play(script);
	let strict = true;

	const http = createServer(async (incoming, response) => {
		try {
			if (incoming.method !== "POST" || !incoming.url?.endsWith("/chat/completions")) {
				sendError(response, 404, `Nothing at ${incoming.method} ${incoming.url}`);
				return;
			}
			const raw = await bodyOf(incoming);
			const request = readRequest(requests.length + 1, incoming.headers, raw);
			requests.push(request);
			response.on("close", () => {
				request.aborted = !response.writableFinished;
			});
			for (const listener of listeners) listener(request);
			const reply = await play.next(request);
			if (reply === undefined) {
				surplus.push(request);
				sendError(response, 400, `The script has no reply for request ${request.number}`);
			} else {
				await sendReply(response, request, typeof reply === "string" ? say(reply) : reply);
			}
		} catch (error) {
			if (!response.headersSent) sendError(response, 400, `The script failed: ${error}`);
			else response.destroy();
			surplus.push(requests.at(-1) as ModelRequest);
		}
	});
	http.keepAliveTimeout = 1_000;
	await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
	const { port } = http.address() as AddressInfo;

	const close = closeLater(async () => {
		http.closeAllConnections();
		await new Promise((resolve) => http.close(resolve));
		if (strict && surplus.length > 0) {
			const list = surplus.map((request) => `  ${describe(request)}`).join("\n");
			throw new Error(`The model was asked ${surplus.length} time(s) without a scripted reply:\n${list}`);
		}
	});
	return {
		url: `http://127.0.0.1:${port}`,
		requests,
		last: () => {
			const request = requests.at(-1);
			if (!request) throw new Error("The model was not asked yet.");
			return request;
		},
		about: (marker) => requests.filter(({ system, users }) => [system, ...users].some((text) => text.includes(marker))),
		remaining: () => play.remaining(),
		add: (answers, marker) => play.add(answers, marker),
		waitForRequest: (wanted, ms = 10_000) =>
			new Promise((resolve, reject) => {
				const accepts = typeof wanted === "number" ? (one: ModelRequest) => one.number === wanted : wanted;
				const past = requests.find(accepts);
				if (past) return resolve(past);
				const timer = setTimeout(() => {
					listeners.delete(look);
					const list = requests.map((request) => `  ${describe(request)}`).join("\n");
					reject(new Error(`No such request within ${patient(ms)} ms. ${requests.length} so far:\n${list}`));
				}, patient(ms));
				const look = (request: ModelRequest) => {
					if (!accepts(request)) return;
					clearTimeout(timer);
					listeners.delete(look);
					resolve(request);
				};
				listeners.add(look);
			}),
		close,
		lenient: () => {
			strict = false;
		},
	};
}

/** A script being played: copies of its lists, so that a script constant can be used by several tests. */
class Play {
	private readonly list: Answer[] | undefined;
	private readonly keyed: [string, Play][] = [];
	private readonly answer: Answer | undefined;

	constructor(script: Script) {
		if (typeof script === "function") this.answer = script;
		else if (isList(script)) this.list = [...script];
		else this.keyed = Object.entries(script).map(([marker, inner]) => [marker, new Play(inner)]);
	}

	async next(request: ModelRequest): Promise<MaybeReply> {
		const owner = this.owner(request);
		if (owner) return owner.next(request);
		const answer = this.list ? this.list.shift() : this.answer;
		return typeof answer === "function" ? answer(request) : answer;
	}

	remaining(): number {
		return (this.list?.length ?? 0) + this.keyed.reduce((sum, [, inner]) => sum + inner.remaining(), 0);
	}

	add(answers: readonly Answer[], marker: string | undefined): void {
		if (marker === undefined) {
			if (!this.list) throw new Error("Only a list script takes more replies.");
			this.list.push(...answers);
			return;
		}
		const inner = this.keyed.find(([key]) => key === marker)?.[1];
		if (inner) inner.add(answers, undefined);
		else this.keyed.push([marker, new Play(answers)]);
	}

	private owner(request: ModelRequest): Play | undefined {
		const text = `${request.system}\n${request.users.join("\n")}`;
		const owns = ([marker]: [string, Play]) =>
			marker.startsWith("model:") ? request.model === marker.slice("model:".length) : text.includes(marker);
		return (this.keyed.find(owns) ?? this.keyed.find(([marker]) => marker === "*"))?.[1];
	}
}

function isList(script: readonly Answer[] | KeyedScript): script is readonly Answer[] {
	return Array.isArray(script);
}

/** One line about a request, for error messages. */
function describe({ number, model, messages, lastUser, lastResult, afterResults }: ModelRequest): string {
	const last = afterResults ? `result of ${lastResult?.tool}: ${lastResult?.text}` : `user: ${lastUser}`;
	return `#${number} to ${model}, ${messages.length} messages, ${last.slice(0, 160).replaceAll("\n", "⏎")}`;
}

async function bodyOf(incoming: IncomingMessage): Promise<Buffer> {
	const chunks: Buffer[] = [];
	for await (const chunk of incoming) chunks.push(chunk as Buffer);
	return Buffer.concat(chunks);
}

function sendError(
	response: ServerResponse,
	status: number,
	message: string,
	headers: Record<string, string> = {},
): void {
	response.writeHead(status, { "content-type": "application/json", ...headers });
	response.end(JSON.stringify({ error: { message, type: "scripted", code: status } }));
}

/** Streams one reply as server-sent events (OpenAI's chat-completions streaming format). */
async function sendReply(response: ServerResponse, request: ModelRequest, reply: Reply): Promise<void> {
	if (reply.kind === "error") {
		sendError(response, reply.status, reply.message, reply.headers);
		return;
	}
	const start = () => response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
	const send = (delta: unknown, finish: string | null = null, rest: Record<string, unknown> = {}) =>
		response.write(`data: ${JSON.stringify(chunkOf(request, [{ index: 0, delta, finish_reason: finish }], rest))}\n\n`);

	if (reply.kind === "hang" || reply.kind === "drop") {
		start().flushHeaders();
		if (reply.text !== "") send({ role: "assistant", content: reply.text });
		if (reply.kind === "hang") return;
		await sleep(20);
		response.destroy();
		return;
	}

	if (reply.after) await reply.after;
	if (response.destroyed) return;
	start();
	const size = reply.chunk ?? Number.POSITIVE_INFINITY;
	const deltas: unknown[] = [
		...slices(reply.thinking ?? "", size).map((text) => ({ reasoning_content: text })),
		...slices(reply.text, size).map((text) => ({ content: text })),
		...reply.calls.flatMap((one, index) => {
			const [first = "", ...rest] = slices(typeof one.args === "string" ? one.args : JSON.stringify(one.args), size);
			const id = one.id ?? `call_${request.number}_${index + 1}`;
			return [
				{ tool_calls: [{ index, id, type: "function", function: { name: one.name, arguments: first } }] },
				...rest.map((text) => ({ tool_calls: [{ index, function: { arguments: text } }] })),
			];
		}),
	];
	send({ role: "assistant", content: "" });
	for (const delta of deltas) {
		if (reply.delay) await sleep(reply.delay);
		if (response.destroyed) return;
		send(delta);
	}
	send({}, reply.finish ?? (reply.calls.length > 0 ? "tool_calls" : "stop"));
	if (reply.usage === "none") return void response.end("data: [DONE]\n\n");
	const { input = 100, output = 10, cached = 0 } = reply.usage ?? {};
	const usage = {
		prompt_tokens: input,
		completion_tokens: output,
		total_tokens: input + output,
		prompt_tokens_details: { cached_tokens: cached },
	};
	response.write(`data: ${JSON.stringify(chunkOf(request, [], { usage }))}\n\n`);
	response.end("data: [DONE]\n\n");
}

function chunkOf(request: ModelRequest, choices: unknown[], rest: Record<string, unknown>): unknown {
	const base = { id: `reply-${request.number}`, object: "chat.completion.chunk", created: 0, model: request.model };
	return { ...base, choices, ...rest };
}

function slices(text: string, size: number): string[] {
	if (text === "") return [];
	if (text.length <= size) return [text];
	const parts: string[] = [];
	for (let at = 0; at < text.length; at += size) parts.push(text.slice(at, at + size));
	return parts;
}
