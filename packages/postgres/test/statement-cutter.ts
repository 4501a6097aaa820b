// A proxy before a Postgres that loses connections at chosen statements: before the server has read the statement, or after it has done it.
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { closeLater } from "../../pi-chronicle/test/harness/lifetime.ts";

export interface StatementCutter {
	readonly url: string;
	/** From now on statements are counted from 1, and lost as `isLost` says. */
	arm(): void;
	disarm(): void;
	/** Number of statements since it was armed. */
	count(): number;
	/** The texts of those that were lost since. */
	readonly lost: readonly string[];
}

/**
 * `isLost`: whether the connection is lost at the n-th statement, from 1. The same one is lost twice at most, so that what is repeated gets
 * through; those that commit differ by the statement before.
 */
export async function openStatementCutter(
	url: string,
	when: "before" | "after",
	isLost: (n: number) => boolean,
): Promise<StatementCutter> {
	const { port, hostname } = new URL(url);
	const lost: string[] = [];
	let isArmed = false;
	let count = 0;
	const sockets = new Set<Socket>();
	const keep = (socket: Socket): Socket => {
		sockets.add(socket);
		return socket.on("error", () => {}).on("close", () => sockets.delete(socket));
	};
	const server = createServer((near) => {
		keep(near);
		const far = keep(connect(Number(port), hostname));
		const end = (): void => {
			near.destroy();
			far.destroy();
		};
		let isAwaited = false;
		let before = "";
		const onMessage = (message: Buffer): void => {
			const text = isArmed ? statementOf(message) : undefined;
			if (text !== undefined) {
				const name = text === "COMMIT" ? `${before}; COMMIT` : text;
				before = text;
				count += 1;
				if (isLost(count) && lost.filter((one) => one === name).length < 2) {
					lost.push(name);
					if (when === "before") end();
					isAwaited = true;
				}
			}
			if (!far.destroyed) far.write(message);
		};
		near.on("data", readMessages(onMessage)).on("close", end);
		far
			.on("data", (data) => {
				if (isAwaited) end();
				else near.write(data);
			})
			.on("close", end);
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	closeLater(() => {
		for (const socket of sockets) socket.destroy();
		server.close();
	});
	const through = new URL(url);
	through.port = String((server.address() as AddressInfo).port);
	return {
		url: through.href,
		arm() {
			isArmed = true;
			count = 0;
			lost.length = 0;
		},
		disarm() {
			isArmed = false;
		},
		count: () => count,
		lost,
	};
}

/** The text of a message that begins a statement (`Q`: simple, `P`: with parameters). */
function statementOf(message: Buffer): string | undefined {
	const type = String.fromCharCode(message[0] ?? 0);
	if (type === "Q") return message.toString("utf8", 5, message.length - 1);
	// Behind the name of the statement, which ends with a zero.
	return type === "P" ? message.toString("utf8", message.indexOf(0, 5) + 1, message.length - 3) : undefined;
}

/** Splits what a client sends into messages: the first one has no type. */
function readMessages(onMessage: (message: Buffer) => void): (data: Buffer) => void {
	let rest = Buffer.alloc(0);
	let isFirst = true;
	return (data) => {
		rest = Buffer.concat([rest, data]);
		for (;;) {
			const head = isFirst ? 0 : 1;
			const size = rest.length < head + 4 ? Number.POSITIVE_INFINITY : head + rest.readUInt32BE(head);
			if (rest.length < size) return;
			const message = rest.subarray(0, size);
			rest = rest.subarray(size);
			onMessage(message);
			isFirst = false;
		}
	};
}
