// `engine metrics`: the figures of an engine as OpenMetrics text, printed once, kept in a file, or served on loopback.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { errorMessage } from "@pi-chronicle/core/definition";
import { replaceFileSync } from "../../disk/index.ts";
import { exitCodes } from "../../pi/index.ts";
import { untilAborted } from "../../process/index.ts";
import { type CommandResponse, misuse, refused } from "../commands/index.ts";
import type { EngineCall } from "./engine-call.ts";

const openMetrics = "application/openmetrics-text; version=1.0.0; charset=utf-8";
/** Milliseconds between two versions of the file. */
const everyMs = 15_000;

export async function showMetrics(call: EngineCall): Promise<CommandResponse> {
	const { engine, database, parsed, rest } = call;
	const { port, file } = parsed.values;
	if (rest.length > 0 || (port !== undefined && file !== undefined)) return misuse("metrics takes --port or --file.");
	if (port !== undefined && !/^\d{1,5}$/.test(port)) return misuse("--port takes a number; 0: any free port.");
	const read = async (): Promise<string> => engine.metricsText(await engine.readStatus(database));
	if (port !== undefined) return serve(call, Number(port), read);
	if (file !== undefined) return keepFile(call, file, read);
	const text = await read();
	return { kind: "done", lines: text.trimEnd().split("\n"), data: { text } };
}

/** Serves the figures of now at `/metrics` until the command is stopped. */
async function serve(
	{ host, signal }: EngineCall,
	port: number,
	read: () => Promise<string>,
): Promise<CommandResponse> {
	const server = createServer((request, response) => {
		const reply = (status: number, type: string, text: string) =>
			response.writeHead(status, { "content-type": type, "cache-control": "no-store" }).end(text);
		if (request.method !== "GET" || request.url?.split("?", 1)[0] !== "/metrics") {
			reply(404, "text/plain; charset=utf-8", "Only GET /metrics is here.\n");
			return;
		}
		read().then(
			(text) => reply(200, openMetrics, text),
			(error: unknown) => reply(503, "text/plain; charset=utf-8", `${errorMessage(error)}\n`),
		);
	});
	const failed = await new Promise<Error | undefined>((resolve) => {
		server.once("error", resolve).listen(port, "127.0.0.1", () => resolve(undefined));
	});
	if (failed)
		return refused({
			code: "port",
			message: `Port ${port} cannot be used: ${errorMessage(failed)}.`,
			remedy: "Choose another.",
		});
	host.report(`http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`);
	await untilAborted(signal);
	server.closeAllConnections();
	server.close();
	return { kind: "silent", exitCode: exitCodes.done };
}

/** Replaces the file every 15 seconds until the command is stopped. While the figures cannot be read, the old file stays. */
async function keepFile(
	{ host, signal }: EngineCall,
	file: string,
	read: () => Promise<string>,
): Promise<CommandResponse> {
	for (let failing = false; !signal.aborted; ) {
		try {
			replaceFileSync(file, await read());
			failing = false;
		} catch (error) {
			if (!failing) host.warn(`${file} was not written: ${errorMessage(error)}`);
			failing = true;
		}
		await sleep(everyMs, undefined, { signal }).catch(() => {});
	}
	return { kind: "silent", exitCode: exitCodes.done };
}
