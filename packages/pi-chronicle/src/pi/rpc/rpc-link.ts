// A link to one pi in RPC mode: commands out, events and dialogs in. It implements pi's protocol and knows nothing of chronicles.
// Records are split on LF only; streaming updates are dropped unread (they still count as activity); every command gets an answer:
// from pi, or a failure after the process has ended; prompts are sent only over the pipe, never on the command line.
import { attempt } from "../../disk/index.ts";
import type { Child } from "../../process/index.ts";
import { splitRecords } from "../../process/index.ts";

/** A record from pi other than a response or a dialog: an event of docs/json.md, or a fire-and-forget interface request. */
export type RpcRecord = { readonly type: string; readonly [field: string]: unknown };

export type RpcDialog =
	| {
			readonly kind: "select";
			readonly id: string;
			readonly title: string;
			readonly options: readonly string[];
	  }
	| {
			readonly kind: "confirm";
			readonly id: string;
			readonly title: string;
			readonly message: string;
	  }
	| {
			readonly kind: "input";
			readonly id: string;
			readonly title: string;
			readonly placeholder: string;
	  }
	| {
			readonly kind: "editor";
			readonly id: string;
			readonly title: string;
			readonly prefill: string;
	  };

/** `undefined` dismisses the dialog. A `confirm` takes a boolean, the others text. */
export type RpcAnswer = string | boolean | undefined;

export type RpcResponse =
	| { readonly ok: true; readonly data: unknown }
	| { readonly ok: false; readonly error: string };

export interface RpcListener {
	/** Called for every chunk of output: the process is alive, whatever the content. */
	activity(): void;
	event(record: RpcRecord): void;
	dialog(dialog: RpcDialog): void;
	/** A record above the size limit was dropped; `head` is its start. */
	oversized(head: string, bytes: number): void;
}

export interface RpcLink {
	/** Sends a command and resolves with its response, or with a failure when the process ends. */
	send(command: { readonly type: string; readonly [field: string]: unknown }): Promise<RpcResponse>;
	answer(dialog: RpcDialog, answer: RpcAnswer): Promise<boolean>;
}

/** Record types that are never read, because they repeat or are parts of `message_end` and `tool_execution_end`. */
const UNREAD = new Set(
	"message_update message_start tool_execution_update turn_start turn_end agent_end bash_execution_update".split(" "),
);

/** Links to a child that runs pi in RPC mode. Call it before the first await after the start. */
export function linkRpc(child: Child, listener: RpcListener): RpcLink {
	const waiting = new Map<string, (response: RpcResponse) => void>();
	let last = 0;

	const splitter = splitRecords({
		wants: (head) => {
			const type = /^\{"type":"([a-z_]+)"/.exec(head.toString("latin1"))?.[1];
			return type === undefined || !UNREAD.has(type);
		},
		record(text) {
			const record = parseRecord(text);
			if (!record) return;
			if (record.type === "response") {
				const { id } = record;
				const resolve = typeof id === "string" ? waiting.get(id) : undefined;
				if (typeof id === "string") waiting.delete(id);
				resolve?.(responseOf(record));
				return;
			}
			const dialog = record.type === "extension_ui_request" ? dialogOf(record) : undefined;
			if (dialog) listener.dialog(dialog);
			else listener.event(record);
		},
		oversized: (head, bytes) => listener.oversized(head, bytes),
	});
	child.onOutput((chunk) => {
		listener.activity();
		splitter.push(chunk);
	});
	void child.exited.then(() => {
		splitter.end();
		for (const resolve of waiting.values()) resolve({ ok: false, error: "The process has ended." });
		waiting.clear();
	});

	return {
		async send(command) {
			last += 1;
			const id = `c${last}`;
			const response = new Promise<RpcResponse>((resolve) => waiting.set(id, resolve));
			if (!(await child.write(`${JSON.stringify({ ...command, id })}\n`))) {
				waiting.get(id)?.({ ok: false, error: "The process has ended." });
				waiting.delete(id);
			}
			return response;
		},
		answer: (dialog, answer) =>
			child.write(
				`${JSON.stringify({ type: "extension_ui_response", id: dialog.id, ...answerFields(dialog, answer) })}\n`,
			),
	};
}

function parseRecord(text: string): RpcRecord | undefined {
	const value: unknown = attempt(() => JSON.parse(text));
	const isRecord = typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
	return isRecord ? (value as RpcRecord) : undefined;
}

function responseOf(record: RpcRecord): RpcResponse {
	if (record.success === true) return { ok: true, data: record.data };
	return { ok: false, error: typeof record.error === "string" ? record.error : "pi refused the command." };
}

function dialogOf(record: RpcRecord): RpcDialog | undefined {
	const text = (field: string): string => (typeof record[field] === "string" ? record[field] : "");
	const id = text("id");
	switch (record.method) {
		case "select": {
			const options = Array.isArray(record.options)
				? record.options.filter((option) => typeof option === "string")
				: [];
			return { kind: "select", id, title: text("title"), options };
		}
		case "confirm":
			return { kind: "confirm", id, title: text("title"), message: text("message") };
		case "input":
			return { kind: "input", id, title: text("title"), placeholder: text("placeholder") };
		case "editor":
			return { kind: "editor", id, title: text("title"), prefill: text("prefill") };
		default:
			return undefined;
	}
}

function answerFields(dialog: RpcDialog, answer: RpcAnswer): object {
	if (answer === undefined) return { cancelled: true };
	if (dialog.kind === "confirm") return { confirmed: answer === true };
	return { value: String(answer) };
}
