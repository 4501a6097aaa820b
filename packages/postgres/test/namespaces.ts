// Network namespaces as the machines of hosts: each has one link to this machine, over which it reaches what listens on the loopback address here.
// A link that is cut loses every packet, so connections hang, as in a partition.
import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { connect, createServer } from "node:net";
import { type Child, startChild } from "../../pi-chronicle/src/process/index.ts";
import { closeLater } from "../../pi-chronicle/test/harness/lifetime.ts";
import { findProgram, type Needs, needs } from "../../pi-chronicle/test/harness/needs.ts";

export interface Namespace {
	/** This machine's address on its link. */
	readonly gateway: string;
	/** Starts a program there. */
	start(command: readonly string[], place: { readonly cwd: string; readonly env: NodeJS.ProcessEnv }): Child;
	/** Lets it reach a port of this machine's loopback address: at `gateway`, and at its own loopback address. */
	reach(port: number): Promise<void>;
	cut(): void;
	mend(): void;
}

function ip(...args: readonly string[]): void {
	const done = spawnSync("ip", args, { encoding: "utf8" });
	if (done.status !== 0) throw new Error(`ip ${args.join(" ")}: ${done.stderr}`);
}

/** Options of a test that makes namespaces. */
export function needsNamespaces(): Needs {
	return needs("Linux, root, and network namespaces (ip netns)", canMakeNamespaces());
}

function canMakeNamespaces(): boolean {
	if (process.platform !== "linux" || process.getuid?.() !== 0 || findProgram("ip") === undefined) return false;
	const name = `chronicle-try-${process.pid}`;
	const link = `chrtry${process.pid}`;
	try {
		ip("netns", "add", name);
		ip("link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", name);
		return true;
	} catch {
		return false;
	} finally {
		spawnSync("ip", ["netns", "del", name]);
	}
}

/** A program for Node that passes connections to its loopback address on to another address. */
const passOn = `
const [host, port] = process.argv.slice(1);
require("node:net").createServer((near) => {
	const far = require("node:net").connect(Number(port), host);
	near.pipe(far).pipe(near);
	for (const socket of [near, far]) socket.on("error", () => { near.destroy(); far.destroy(); });
}).listen(Number(port), "127.0.0.1", () => console.log("listening"));`;

/** Makes a namespace; it is removed when what opened it ends. */
export function openNamespace(): Namespace {
	const number = randomInt(16_000);
	const [name, link] = [`chronicle-${process.pid}-${number}`, `chr${number}`];
	const net = `10.${128 + (number >> 7)}.${(number & 127) * 2}`;
	const gateway = `${net}.1`;
	closeLater(() => void spawnSync("ip", ["netns", "del", name]));
	ip("netns", "add", name);
	ip("link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", name);
	ip("addr", "add", `${gateway}/30`, "dev", link);
	ip("link", "set", link, "up");
	ip("-n", name, "addr", "add", `${net}.2/30`, "dev", "eth0");
	for (const device of ["lo", "eth0"]) ip("-n", name, "link", "set", device, "up");
	const start: Namespace["start"] = (command, { cwd, env }) => {
		const child = startChild({ command: "ip", args: ["netns", "exec", name, ...command], cwd, env });
		child.endInput();
		closeLater(async () => {
			await child.kill();
		});
		return child;
	};
	return {
		gateway,
		start,
		async reach(port) {
			await listenAt(gateway, port);
			const child = start([process.execPath, "-e", passOn, gateway, String(port)], { cwd: "/", env: process.env });
			await new Promise<void>((resolve, reject) => {
				child.onOutput(() => resolve());
				void child.exited.then(() => reject(new Error(child.stderr())));
			});
		},
		cut: () => ip("link", "set", link, "down"),
		mend: () => ip("link", "set", link, "up"),
	};
}

/** Passes connections to `address` on to the loopback address. */
async function listenAt(address: string, port: number): Promise<void> {
	const server = createServer((near) => {
		const far = connect(port, "127.0.0.1");
		near.pipe(far).pipe(near);
		for (const socket of [near, far])
			socket.on("error", () => {
				near.destroy();
				far.destroy();
			});
	});
	await new Promise<void>((resolve, reject) => {
		server.once("error", reject);
		server.listen(port, address, resolve);
	});
	closeLater(() => void server.close());
}
