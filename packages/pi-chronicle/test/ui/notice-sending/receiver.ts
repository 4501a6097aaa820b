// A receiver of webhooks on loopback.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { closeLater } from "../../harness/lifetime.ts";

interface Received {
	readonly path: string;
	readonly headers: IncomingHttpHeaders;
	readonly body: string;
}

export interface Receiver {
	readonly url: string;
	readonly received: readonly Received[];
	/** Notices by their key: what a receiver counts that heeds it. */
	keys(): string[];
}

/** Opens one. `answer` ends the response; `count` is the number of the request, from 1. */
export async function openReceiver(
	answer: (response: ServerResponse, count: number) => void = (response) => response.end("thanks"),
): Promise<Receiver> {
	const received: Received[] = [];
	const server = createServer((request, response) => {
		let body = "";
		request.setEncoding("utf8");
		request.on("data", (part: string) => {
			body += part;
		});
		request.on("end", () => {
			received.push({ path: request.url ?? "", headers: request.headers, body });
			answer(response, received.length);
		});
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	closeLater(async () => {
		server.closeAllConnections();
		await new Promise((resolve) => server.close(resolve));
	});
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
		received,
		keys: () => [...new Set(received.map(({ headers }) => String(headers["idempotency-key"])))],
	};
}
