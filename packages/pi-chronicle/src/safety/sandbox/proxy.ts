// A proxy that lets commands in a sandbox reach only some hosts. It listens on a socket in a private folder, to which the relay in the sandbox
// leads, or on a port of the loopback.
// A host that is not allowed is never connected to; each refused host is named to the caller.
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";

export interface HostProxy {
	/** The port, if it listens on one. */
	readonly port: number | undefined;
	close(): void;
}

export interface ProxyOptions {
	/** Path of the socket to create; absent: a free port of the loopback. */
	readonly socket?: string;
	/** Whether a command may reach the host; a name in lower case. May ask the user. */
	allows(host: string): Promise<boolean>;
}

/** Opens the proxy. */
export async function openProxy({ socket, allows }: ProxyOptions): Promise<HostProxy> {
	const server = createServer((from, to) => void forward(from, to, allows));
	server.on("connect", (from: IncomingMessage, near: Duplex, head: Buffer) => void tunnel(from, near, head, allows));
	await new Promise<void>((resolve, reject) => {
		server.once("error", reject);
		if (socket === undefined) server.listen(0, "127.0.0.1", resolve);
		else server.listen(socket, resolve);
	});
	server.unref();
	const address = server.address();
	return {
		port: typeof address === "object" ? address?.port : undefined,
		close: () => {
			server.close();
			server.closeAllConnections();
		},
	};
}

/** Whether a list of hosts names one; `*.example.org` names all below `example.org`. */
export function namesHost(list: readonly string[], host: string): boolean {
	return list.some((entry) => {
		const name = entry.toLowerCase();
		return name.startsWith("*.") ? host.endsWith(name.slice(1)) : host === name;
	});
}

function refusedHost(host: string): string {
	return `The sandbox does not allow the host ${host}.\n`;
}

async function tunnel(
	from: IncomingMessage,
	near: Duplex,
	head: Buffer,
	allows: ProxyOptions["allows"],
): Promise<void> {
	near.on("error", () => near.destroy());
	const [, host = "", port = "443"] = /^\[?([^\]]*?)\]?(?::(\d+))?$/.exec(from.url ?? "") ?? [];
	if (!(await allowed(host, allows))) {
		const text = refusedHost(host);
		near.end(
			`HTTP/1.1 403 Host not allowed: ${host}\r\nContent-Length: ${text.length}\r\nConnection: close\r\n\r\n${text}`,
		);
		return;
	}
	const far: Socket = connect(Number(port), host, () => {
		near.write("HTTP/1.1 200 Connection established\r\n\r\n");
		far.write(head);
		near.pipe(far).pipe(near);
	});
	far.on("error", () => near.end("HTTP/1.1 502 Bad gateway\r\n\r\n"));
	near.on("close", () => far.destroy());
}

async function forward(from: IncomingMessage, to: ServerResponse, allows: ProxyOptions["allows"]): Promise<void> {
	const url = URL.canParse(from.url ?? "") ? new URL(from.url ?? "") : undefined;
	if (url?.protocol !== "http:") return void to.writeHead(400).end("Only http: and CONNECT.\n");
	if (!(await allowed(url.hostname, allows))) return void to.writeHead(403).end(refusedHost(url.hostname));
	const { "proxy-connection": _, ...headers } = from.headers;
	const far = request(url, { method: from.method ?? "GET", headers }, (answer) => {
		to.writeHead(answer.statusCode ?? 502, answer.headers);
		answer.pipe(to);
	});
	far.on("error", () => (to.headersSent ? to.destroy() : to.writeHead(502).end()));
	from.pipe(far);
}

async function allowed(host: string, allows: ProxyOptions["allows"]): Promise<boolean> {
	if (host === "") return false;
	try {
		return await allows(host.toLowerCase());
	} catch {
		return false;
	}
}
