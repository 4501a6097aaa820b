// The engine of a chaos test: a Postgres, a git remote, three hosts as processes of their own behind a proxy each, one of them on a small disk where
// that is possible; and the faults that all of them meet.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
	closeSync,
	existsSync,
	mkdirSync,
	openSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	writeSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { openFolder } from "../../../pi-chronicle/test/harness/folder.ts";
import { closeLater } from "../../../pi-chronicle/test/harness/lifetime.ts";
import { type Cluster, startPostgres } from "../../../pi-chronicle/test/harness/postgres.ts";
import { needsSmallDisk, onSmallDisk } from "../../../pi-chronicle/test/harness/small-disk.ts";
import type { Database } from "../../src/index.ts";
import { connect } from "../connect.ts";
import { type Link, openLink } from "../link.ts";
import { openEngine } from "../open-engine.ts";
import { openSharedRepository } from "../shared-repository.ts";
import { type Fault, type HostName, hostNames } from "./schedule.ts";
import type { ScriptedHostOptions } from "./scripted-host.ts";

const program = fileURLToPath(new URL("scripted-host.ts", import.meta.url));
const diskBytes = 64_000_000;
/** Milliseconds each way between a user's machine and the database. */
const farMs = 15;

export interface World {
	readonly cluster: Cluster;
	/** An undisturbed connection. */
	readonly database: Database;
	/** Two users' connections, from machines at 30 ms a round trip. */
	readonly users: readonly [Database, Database];
	/** A repository with the remote as `origin`. */
	readonly cwd: string;
	readonly root: string;
	readonly remote: string;
	/** Where the remote is at any time. */
	readonly home: () => string;
	readonly hosts: ReadonlyMap<HostName, Host>;
	/** Brings a fault about; resolves once it is over. */
	meet(fault: Fault): Promise<void>;
	/** Names of the folders that a host keeps for runs, and of the refs in its mirror. */
	keptBy(host: HostName): readonly string[];
	/** Hosts that ended although nobody had stopped them, with their logs. */
	readonly faults: readonly string[];
}

/** Opens the engine with its three hosts. */
export async function openWorld(work: Pick<ScriptedHostOptions, "leaseMs" | "slots" | "workMs">): Promise<World> {
	const root = openFolder();
	const { remote, cwd, git } = openSharedRepository(root, "log.txt", "begun\n");
	git("remote", "add", "origin", remote);
	git("push", "-q", "origin", "HEAD:refs/heads/main");
	const { cluster, database } = await openEngine(await startPostgres());
	const far = await openLink(cluster.url, farMs);
	const users = [await connect(far.url), await connect(far.url)] as const;
	const faults: string[] = [];
	const hosts = new Map<HostName, Host>();
	const small = !needsSmallDisk().skip;
	for (const name of hostNames) {
		const link = await openLink(cluster.url);
		const data = join(root, "hosts", name);
		mkdirSync(data, { recursive: true });
		const options = { url: link.url, name, data, remote, home: root, ...work };
		hosts.set(
			name,
			new Host({ ...options, link, isSmall: small && name === "c", onFault: (text) => faults.push(text) }),
		);
	}
	closeLater(async () => {
		for (const host of hosts.values()) await host.kill();
	});
	const away = `${remote}.away`;
	let isDatabaseDown = false;
	let isRemoteAway = false;
	return {
		...{ cluster, database, users, cwd, root, remote, hosts, faults },
		home: () => (existsSync(remote) ? remote : away),
		keptBy: (name) => hosts.get(name)?.kept() ?? [],
		async meet(fault) {
			if (fault.kind === "kill the database") {
				if (isDatabaseDown) return;
				isDatabaseDown = true;
				cluster.kill();
				await sleep(fault.ms);
				await startAgain(cluster);
				isDatabaseDown = false;
			} else if (fault.kind === "take the remote away") {
				if (isRemoteAway) return;
				isRemoteAway = true;
				renameSync(remote, away);
				await sleep(fault.ms);
				renameSync(away, remote);
				isRemoteAway = false;
			} else await hosts.get(fault.host)?.meet(fault);
		},
	};
}

/** Starts a server that was killed, as soon as the rest of its processes have ended. */
async function startAgain(cluster: Cluster): Promise<void> {
	for (let tries = 0; ; tries += 1) {
		try {
			return cluster.start();
		} catch (error) {
			if (tries > 50) throw error;
			await sleep(200);
		}
	}
}

interface HostParts extends ScriptedHostOptions {
	readonly link: Link;
	/** Whether its folder is a small disk, which is empty at each start. */
	readonly isSmall: boolean;
	readonly onFault: (text: string) => void;
}

type HostFault = Extract<Fault, { readonly host: HostName }>;

/** A host, which is started again whenever it has ended. */
class Host {
	readonly #parts: HostParts;
	readonly #log: string;
	#child: ChildProcess | undefined;
	/** Whether its end is wanted. */
	#isEnding = false;
	/** One fault of its process after another. */
	#queue: Promise<void> = Promise.resolve();

	constructor(parts: HostParts) {
		this.#parts = parts;
		this.#log = `${parts.data}.log`;
		this.start();
	}

	/** The last lines that it wrote. */
	log(count = 30): string {
		return readFileSync(this.#log, "utf8").trimEnd().split("\n").slice(-count).join("\n");
	}

	start(): void {
		const { link, isSmall, onFault, ...options } = this.#parts;
		this.#isEnding = false;
		const command = [process.execPath, "--disable-warning=ExperimentalWarning", program, JSON.stringify(options)];
		const [first = "", ...args] = isSmall ? onSmallDisk(options.data, diskBytes, command) : command;
		const log = openSync(this.#log, "a");
		const child = spawn(first, args, { cwd: options.home, stdio: ["ignore", log, log] });
		closeSync(log);
		this.#child = child;
		child.once("exit", (code, signal) => {
			if (this.#isEnding) return;
			onFault(`Host ${options.name} ended by itself (${code ?? signal}):\n${this.log()}`);
			this.start();
		});
	}

	async kill(): Promise<void> {
		await this.#end("SIGKILL");
	}

	/** Asks it to end once each run has reached its next state; gives its exit code. */
	drain(): Promise<number | null> {
		return this.#end("SIGTERM");
	}

	meet(fault: HostFault): Promise<void> {
		const { link, isSmall } = this.#parts;
		if (fault.kind === "freeze connections") link.freeze();
		else if (fault.kind === "break connections") link.mend();
		else if (fault.kind === "fill the disk of a host" && !isSmall) link.freeze();
		else {
			this.#queue = this.#queue.then(() => this.#undergo(fault));
			return this.#queue;
		}
		return Promise.resolve();
	}

	kept(): readonly string[] {
		const data = join(this.#seen, "app");
		const folders = ["work", "runs"].flatMap((kind) => {
			const folder = join(data, kind);
			return existsSync(folder) ? readdirSync(folder).map((name) => `${kind}/${name}`) : [];
		});
		const mirror = ["--git-dir", join(data, "mirror.git"), "for-each-ref", "--format=%(refname)", "refs/chronicle"];
		const refs = spawnSync("git", mirror, { encoding: "utf8" }).stdout.split("\n").filter(Boolean);
		return [...folders, ...refs];
	}

	async #undergo(fault: HostFault): Promise<void> {
		const { link } = this.#parts;
		switch (fault.kind) {
			case "kill a host":
				await this.kill();
				await sleep(fault.ms);
				return this.start();
			case "drain a host":
				await this.drain();
				return this.start();
			case "suspend a host":
				this.#child?.kill("SIGSTOP");
				await sleep(fault.ms);
				return void this.#child?.kill("SIGCONT");
			case "cut a host off":
				link.cut();
				await sleep(fault.ms);
				return link.mend();
			case "fill the disk of a host": {
				const filler = join(this.#seen, "filler");
				fill(filler);
				await sleep(fault.ms);
				return rmSync(filler, { force: true });
			}
			default:
		}
	}

	/** Its folder as it sees it. */
	get #seen(): string {
		const { data, isSmall } = this.#parts;
		return isSmall ? join(`/proc/${this.#child?.pid}/root`, data) : data;
	}

	#end(signal: NodeJS.Signals): Promise<number | null> {
		const child = this.#child;
		this.#isEnding = true;
		if (!child || child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child?.exitCode ?? null);
		return new Promise((resolve) => {
			child.once("exit", (code) => resolve(code));
			child.kill(signal);
		});
	}
}

/** Writes a file until the disk is full. */
function fill(path: string): void {
	const chunk = Buffer.alloc(1_000_000, 1);
	try {
		const file = openSync(path, "w");
		try {
			for (let written = 0; written < 2 * diskBytes; written += chunk.length) writeSync(file, chunk);
		} finally {
			closeSync(file);
		}
	} catch {
		// It is full.
	}
}
