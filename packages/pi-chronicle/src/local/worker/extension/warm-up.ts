// Preloads the dependencies of the first model request in a worker that waits for its adoption. Otherwise, pi loads them with that request, which
// doubles the time between adoption and request.
// No data leaves this process, except to itself; after a failure here, the first request loads them.
import { type AddressInfo, createServer } from "node:net";
import type { Api, Model } from "@earendil-works/pi-ai";
import { streamSimple } from "@earendil-works/pi-ai/compat";

/** Loads the provider of `model`, and the HTTP client. */
export async function warmUp(model: Model<Api>): Promise<void> {
	await loadProvider(model).catch(() => {});
	await loadHttpClient().catch(() => {});
}

/** A call that is aborted before it starts makes pi load the provider but sends nothing, not even a key. */
async function loadProvider(model: Model<Api>): Promise<void> {
	const context = { systemPrompt: "", messages: [] };
	await streamSimple(model, context, { signal: AbortSignal.abort(), apiKey: "none" }).result();
}

const proxies = ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"];

const answer = "HTTP/1.1 200 OK\r\ncontent-length: 1\r\nconnection: close\r\n\r\n.";

/** One exchange with this process itself; skipped if a proxy would receive it. */
async function loadHttpClient(): Promise<void> {
	if (proxies.some((name) => process.env[name])) return;
	// Not a server of `node:http`: after one, pi takes 100 ms longer to end.
	const server = createServer((socket) => {
		socket.on("error", () => {});
		socket.once("data", () => socket.end(answer));
	});
	try {
		await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, "127.0.0.1", resolve));
		const { port } = server.address() as AddressInfo;
		await (await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: "." })).text();
	} finally {
		server.close();
	}
}
