// Reads from the answers of the model's provider when it can be tried again: pi's error messages leave the headers of refused requests out.
// Node publishes the answers of `fetch` on a diagnostics channel; pi reports those of providers that use other clients.
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { resetInHeaders, tellHost } from "../../../pi/index.ts";
import { PROVIDER_RESET, type ProviderReset } from "./protocol.ts";

const channel = "undici:request:headers";

/** Tells the host the moment that the provider has named with each request that it refuses. */
export function reportResets(pi: ExtensionAPI): void {
	let origin: string | undefined;
	let reset: number | undefined;
	const see = (status: number, headers: Readonly<Record<string, string>>): void => {
		if (status === 429 || status >= 500) reset = resetInHeaders(headers, Date.now()) ?? reset;
	};
	const onAnswer = (message: unknown): void => {
		const answer = readAnswer(message);
		if (answer && answer.origin === origin) see(answer.status, answer.headers);
	};
	subscribe(channel, onAnswer);
	pi.on("session_shutdown", () => void unsubscribe(channel, onAnswer));
	pi.on("after_provider_response", ({ status, headers }) => see(status, lowerCased(headers)));
	pi.on("before_provider_request", (_event, ctx) => {
		origin = originOf(ctx);
		reset = undefined;
	});
	pi.on("message_end", ({ message }, ctx) => {
		if (message.role !== "assistant" || message.stopReason !== "error" || reset === undefined) return;
		tellHost(ctx, PROVIDER_RESET, { at: reset } satisfies ProviderReset);
		reset = undefined;
	});
}

function originOf({ model }: ExtensionContext): string | undefined {
	try {
		return model && new URL(model.baseUrl).origin;
	} catch {
		return undefined;
	}
}

interface ModelAnswer {
	readonly origin: string;
	readonly status: number;
	readonly headers: Readonly<Record<string, string>>;
}

/** The answer in a message of the channel. Its headers are a list of names and values, as bytes or text. */
function readAnswer(message: unknown): ModelAnswer | undefined {
	const { request, response } = message as {
		request?: { origin?: unknown };
		response?: { statusCode?: unknown; headers?: unknown };
	};
	if (typeof response?.statusCode !== "number" || !Array.isArray(response.headers)) return undefined;
	const raw = response.headers.map(String);
	const headers = Object.fromEntries(
		raw.flatMap((name, index) => (index % 2 === 0 ? [[name.toLowerCase(), raw[index + 1] ?? ""]] : [])),
	);
	return { origin: String(request?.origin), status: response.statusCode, headers };
}

function lowerCased(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
	return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
