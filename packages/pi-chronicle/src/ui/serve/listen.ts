// The HTTP server under the page: Node's, with bounds on connections, headers and slow clients.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";

export interface Listening {
	readonly port: number;
	/** Ends it with all its connections. */
	close(): Promise<void>;
}

type Fetch = Parameters<typeof getRequestListener>[0];

const maxConnections = 200;
const options = {
	...{ maxHeaderSize: 16 * 1024, headersTimeout: 10_000, requestTimeout: 20_000, keepAliveTimeout: 5000 },
	connectionsCheckingInterval: 2000,
};
/** Milliseconds without a byte after which a connection is closed; a stream sends one more often. */
const idleMs = 60_000;

/** Listens on `host`; `port` 0: any free one. `open` makes the routes, once the port is known. Throws the system's error. */
export async function listen(host: string, port: number, open: (port: number) => Fetch): Promise<Listening> {
	const server = createServer(options);
	server.maxConnections = maxConnections;
	server.setTimeout(idleMs, (socket) => socket.destroy());
	await new Promise<void>((resolve, reject) => {
		server.once("error", reject);
		server.listen({ host, port }, resolve);
	});
	const { port: taken } = server.address() as AddressInfo;
	server.on("request", getRequestListener(open(taken)));
	return {
		port: taken,
		close: () =>
			new Promise((resolve) => {
				server.close(() => resolve());
				server.closeAllConnections();
			}),
	};
}
