// The protocol between the extension in a worker's pi and its host process, over pi's own interface requests: questions are input dialogs,
// notices are status texts. Both sides are in this file. Either a question is answered or the process ends, because pi shuts down without
// its host. No message reaches a user or a model.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { attempt } from "../../disk/index.ts";
import type { RpcDialog, RpcLink, RpcRecord } from "./rpc-link.ts";

/** The command that carries the host's orders to the extension: `/chronicle-worker stop`. */
export const HOST_COMMAND = "chronicle-worker";

/**
 * Host's side: sends an order to the extension behind `link`. `words` come from the host, never from a model, because pi runs them as a
 * command.
 */
export function orderExtension(link: RpcLink, words: string): void {
	void link.send({ type: "prompt", message: `/${HOST_COMMAND} ${words}` });
}

/** Makes the child session behind `link` readonly immediately. */
export function orderReadonly(link: RpcLink): void {
	void link.send({ type: "prompt", message: "/readonly on" });
}

const MARK = "chronicle-worker:";

export interface HostMessage {
	readonly topic: string;
	readonly payload: unknown;
}

/** Asks the host; resolves to its answer, or `undefined` if it declines or `signal` aborts. Only in RPC mode. */
export async function askHost(
	ctx: ExtensionContext,
	topic: string,
	payload: unknown,
	signal?: AbortSignal,
): Promise<unknown> {
	const answer = await ctx.ui.input(`${MARK}${topic}`, JSON.stringify(payload), signal ? { signal } : {});
	return answer === undefined ? undefined : parseJsonLine(answer);
}

/** Notifies the host; there is no answer. */
export function tellHost(ctx: ExtensionContext, topic: string, payload: unknown): void {
	ctx.ui.setStatus(`${MARK}${topic}`, JSON.stringify(payload));
}

/** Host's side: the question in a dialog; `undefined` for a dialog meant for the user. */
export function hostQuestion(dialog: RpcDialog): HostMessage | undefined {
	if (dialog.kind !== "input" || !dialog.title.startsWith(MARK)) return undefined;
	return { topic: dialog.title.slice(MARK.length), payload: parseJsonLine(dialog.placeholder) };
}

/** Host's side: encodes the answer to a question. */
export function hostAnswer(payload: unknown): string {
	return JSON.stringify(payload);
}

/** Host's side: the notice in a record; `undefined` for any other record. */
export function hostNotice(record: RpcRecord): HostMessage | undefined {
	const { statusKey, statusText } = record;
	if (record.type !== "extension_ui_request" || record.method !== "setStatus") return undefined;
	if (typeof statusKey !== "string" || !statusKey.startsWith(MARK) || typeof statusText !== "string") return undefined;
	return { topic: statusKey.slice(MARK.length), payload: parseJsonLine(statusText) };
}

function parseJsonLine(text: string): unknown {
	return attempt(() => JSON.parse(text));
}
