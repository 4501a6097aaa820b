// What the scripted model may answer, as data, and the short functions that tests write scripts with.
import { assertHarmless } from "./harmless.ts";

/** Token counts of one reply, as a provider reports them; `cached` is the part of `input` read from the prompt cache. */
export interface ReplyUsage {
	input?: number;
	output?: number;
	cached?: number;
}

/** One call of a tool; `args` as text is sent as it is, valid JSON or not. */
export interface ReplyCall {
	name: string;
	args: Record<string, unknown> | string;
	/** Left out: made up, unique per server. */
	id?: string;
}

/** How a message is sent. */
export interface MessageOptions {
	/** `none`: the provider reports none. */
	usage?: ReplyUsage | "none";
	/** Text of a thinking block before the answer. */
	thinking?: string;
	/** Why the model stopped; left out: `tool_calls` when there are calls, else `stop`. `length` is a truncated answer. */
	finish?: "stop" | "length" | "tool_calls" | "content_filter";
	/** Characters per chunk of text and of arguments (default: all at once). */
	chunk?: number;
	/** Milliseconds between two chunks (default 0). */
	delay?: number;
	/** The answer begins only when this is fulfilled. */
	after?: Promise<unknown>;
}

export type Reply =
	| ({ kind: "message"; text: string; calls: ReplyCall[] } & MessageOptions)
	/** An HTTP error response. */
	| { kind: "error"; status: number; message: string; headers: Record<string, string> }
	/** Sends `text`, then nothing more, until the client or the server goes away. */
	| { kind: "hang"; text: string }
	/** Sends `text`, then cuts the connection. */
	| { kind: "drop"; text: string };

/** The model says `text`. */
export function say(text: string, options: MessageOptions = {}): Reply {
	return { kind: "message", text, calls: [], ...options };
}

/** The model calls one tool, and says nothing or `options.text` before it. */
export function call(
	name: string,
	args: ReplyCall["args"] = {},
	options: MessageOptions & { text?: string; id?: string } = {},
): Reply {
	const { text = "", id, ...rest } = options;
	assertHarmless(JSON.stringify(args));
	return { kind: "message", text, calls: [{ name, args, ...(id === undefined ? {} : { id }) }], ...rest };
}

/** The model calls several tools in one message. A pair is a name and its arguments. */
export function calls(
	list: ([name: string, args: ReplyCall["args"]] | ReplyCall)[],
	options: MessageOptions & { text?: string } = {},
): Reply {
	const { text = "", ...rest } = options;
	const each = list.map((one) => (Array.isArray(one) ? { name: one[0], args: one[1] } : one));
	assertHarmless(JSON.stringify(each));
	return { kind: "message", text, calls: each, ...rest };
}

/** The provider refuses with an HTTP status. pi retries 429 and 5xx by itself (setting `retry`). */
export function fail(
	status: number,
	message = `scripted failure ${status}`,
	headers: Record<string, string> = {},
): Reply {
	return { kind: "error", status, message, headers };
}

/** The provider accepts the request and never finishes it. */
export function hang(text = ""): Reply {
	return { kind: "hang", text };
}

/** The provider cuts the connection after `text`. */
export function drop(text = ""): Reply {
	return { kind: "drop", text };
}

/** A promise with its key outside: for `MessageOptions.after`, to hold a reply until the test has done something. */
export function gate(): { open: () => void; opened: Promise<void> } {
	let open: () => void = () => {};
	const opened = new Promise<void>((resolve) => {
		open = resolve;
	});
	return { open, opened };
}
