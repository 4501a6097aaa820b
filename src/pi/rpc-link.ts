// A link to one pi in RPC mode: commands out, events and dialogs in. It knows pi's protocol and nothing of chronicles.
// L1 records split on LF alone; L2 streaming updates are dropped unread (they still count as activity); L3 every command is answered:
// by pi, or with a failure once the process has ended; L4 prompts go over the pipe only, never on the command line.
import type { Child } from "../process/index.ts";
import { splitRecords } from "../process/index.ts";

/** A record from pi that is neither a response nor a dialog: an event of docs/json.md, or a fire-and-forget interface request. */
export type RpcRecord = { readonly type: string; readonly [field: string]: unknown };

export type RpcDialog =
	| {
			readonly kind: "select";
			readonly id: string;
			readonly title: string;
			readonly options: readonly string[];
			readonly timeoutMs: number | undefined;
	  }
	| {
			readonly kind: "confirm";
			readonly id: string;
			readonly title: string;
			readonly message: string;
			readonly timeoutMs: number | undefined;
	  }
	| {
			readonly kind: "input";
			readonly id: string;
			readonly title: string;
			readonly placeholder: string;
			readonly timeoutMs: number | undefined;
	  }
	| {
			readonly kind: "editor";
			readonly id: string;
			readonly title: string;
			readonly prefill: string;
			readonly timeoutMs: undefined;
	  };

/** `undefined` dismisses the dialog. A `confirm` takes a boolean, the others text. */
export type RpcAnswer = string | boolean | undefined;

export type RpcResponse =
	| { readonly ok: true; readonly data: unknown }
	| { readonly ok: false; readonly error: string };

export interface RpcListener {
	/** Any byte arrived: the process is alive, whatever it says. */
	activity(): void;
	event(record: RpcRecord): void;
	dialog(dialog: RpcDialog): void;
	/** A record above the cap was lost; `head` is its beginning. */
	oversized(head: string, bytes: number): void;
}

export interface RpcLink {
	/** Sends a command and resolves with its response; the process's end answers with a failure. */
	send(command: { readonly type: string; readonly [field: string]: unknown }): Promise<RpcResponse>;
	answer(dialog: RpcDialog, answer: RpcAnswer): Promise<boolean>;
}

/** Types that are never read: they repeat what `message_end` and `tool_execution_end` say, or are parts of it. */
const UNREAD = new Set([
	"message_update",
	"message_start",
	"tool_execution_update",
	"turn_start",
	"turn_end",
	"agent_end",
	"bash_execution_update",
]);

/** Links to a child that runs pi in RPC mode. Listen before the first await. */
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
	try {
		const value: unknown = JSON.parse(text);
		if (typeof value === "object" && value !== null && "type" in value && typeof value.type === "string") {
			return value as RpcRecord;
		}
	} catch {}
	return undefined;
}

function responseOf(record: RpcRecord): RpcResponse {
	if (record.success === true) return { ok: true, data: record.data };
	return { ok: false, error: typeof record.error === "string" ? record.error : "pi refused the command." };
}

function dialogOf(record: RpcRecord): RpcDialog | undefined {
	const text = (field: string): string => (typeof record[field] === "string" ? record[field] : "");
	const id = text("id");
	const timeoutMs = typeof record.timeout === "number" ? record.timeout : undefined;
	switch (record.method) {
		case "select": {
			const options = Array.isArray(record.options)
				? record.options.filter((option) => typeof option === "string")
				: [];
			return { kind: "select", id, title: text("title"), options, timeoutMs };
		}
		case "confirm":
			return { kind: "confirm", id, title: text("title"), message: text("message"), timeoutMs };
		case "input":
			return { kind: "input", id, title: text("title"), placeholder: text("placeholder"), timeoutMs };
		case "editor":
			return { kind: "editor", id, title: text("title"), prefill: text("prefill"), timeoutMs: undefined };
		default:
			return undefined;
	}
}

function answerFields(dialog: RpcDialog, answer: RpcAnswer): object {
	if (answer === undefined) return { cancelled: true };
	if (dialog.kind === "confirm") return { confirmed: answer === true };
	return { value: String(answer) };
}
