// A network link that can be cut: connections through it hang, as in a partition, until it is restored.
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { closeLater } from "../../pi-chronicle/test/harness/lifetime.ts";

export interface Link {
	/** The address that it leads to, through the link. */
	readonly url: string;
	/** From now on nothing gets through, and nothing is closed. */
	cut(): void;
	/** Nothing gets through the connections that are there, and none is closed, as after a failure of a router; new ones get through. */
	freeze(): void;
	/** Connections that were cut are closed, as all others, and new ones get through. */
	mend(): void;
	/** The same, and from now on it leads to the host and port of `url`. */
	lead(url: string): void;
}

/** Opens a link to the host and port of `url`; `delayMs`: how long everything takes, each way. */
export async function openLink(url: string, delayMs = 0): Promise<Link> {
	let target = new URL(url);
	const sockets = new Set<Socket>();
	let isCut = false;
	let generation = 0;
	const keep = (socket: Socket): Socket => {
		sockets.add(socket);
		socket.on("error", () => {});
		socket.on("close", () => sockets.delete(socket));
		return socket;
	};
	const late = (work: () => void): void => void (delayMs > 0 ? setTimeout(work, delayMs).unref() : work());
	const server = createServer((near) => {
		keep(near);
		if (isCut) return void near.pause();
		const own = generation;
		const isDead = (): boolean => isCut || own !== generation;
		const far = keep(connect(Number(target.port), target.hostname));
		near.on("data", (data) => late(() => void (isDead() || far.write(data))));
		far.on("data", (data) => late(() => void (isDead() || near.write(data))));
		near.on("close", () => late(() => void (isDead() || far.destroy())));
		far.on("close", () => late(() => void (isDead() || near.destroy())));
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const closeAll = (): void => {
		for (const socket of sockets) socket.destroy();
	};
	closeLater(() => {
		closeAll();
		server.close();
	});
	const through = new URL(url);
	through.port = String((server.address() as AddressInfo).port);
	const mend = (): void => {
		closeAll();
		isCut = false;
	};
	return {
		url: through.href,
		cut() {
			isCut = true;
		},
		freeze() {
			generation += 1;
		},
		mend,
		lead(other) {
			target = new URL(other);
			mend();
		},
	};
}
