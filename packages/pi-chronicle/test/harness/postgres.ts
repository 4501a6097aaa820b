// Postgres for tests: a database in the cluster that the test files of this process share, or a cluster of its own for a test that stops it or needs
// other settings. On the loopback address, in a temporary folder; as root, as the user `postgres`, because Postgres refuses root.
import { spawnSync } from "node:child_process";
import {
	appendFileSync,
	chmodSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	realpathSync,
	rmSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { closeLater } from "./lifetime.ts";
import { findProgram, type Needs, needsProgram } from "./needs.ts";

/** Debian keeps the server's programs out of the PATH, and has wrappers of the client's there. */
function serverProgram(name: string): string | undefined {
	const folder = "/usr/lib/postgresql";
	const versions = existsSync(folder) ? readdirSync(folder).sort((a, b) => Number(b) - Number(a)) : [];
	const found =
		versions.map((version) => join(folder, version, "bin", name)).find((path) => existsSync(path)) ?? findProgram(name);
	// They look for each other beside themselves, which a link to one of them hides.
	return found === undefined ? undefined : realpathSync(found);
}

/** Options of a test or a group that needs a Postgres. */
export const needsPostgres: Needs = needsProgram("postgres", serverProgram("initdb") && serverProgram("pg_ctl"));

export interface Cluster {
	/** The address of the database `postgres`, as its owner. */
	readonly url: string;
	/** The certificate for `localhost` of a server that speaks TLS, self-signed, and its key; it also accepts clients that have them. */
	readonly certificate: string;
	readonly key: string;
	/** The file that the server logs to. */
	readonly log: string;
	stop(mode: "fast" | "immediate"): void;
	/** Kills the server's first process with SIGKILL; the others end soon after it. */
	kill(): void;
	start(): void;
	/** Adds a standby, once; from then on a commit waits until the standby has it. */
	addStandby(): Promise<Standby>;
}

/** A server that replicates a cluster by streaming. */
interface Standby {
	/** The address of the database `postgres` there; read-only until it is promoted. */
	readonly url: string;
	/** Makes it the primary. */
	promote(): void;
}

const asPostgres = ["--reuid=postgres", "--regid=postgres", "--clear-groups"];

export interface ClusterOptions {
	/** Whether the server offers TLS; needs the program `openssl`. */
	readonly tls?: boolean;
	/** Whether commits wait for the disk, as benchmarks need it; a killed server loses nothing without that. */
	readonly fsync?: boolean;
}

function run(program: string, args: readonly string[]): void {
	const path = serverProgram(program) ?? program;
	const root = process.getuid?.() === 0;
	const [command, all] = root ? ["setpriv", [...asPostgres, path, ...args]] : [path, [...args]];
	const done = spawnSync(command, all, { encoding: "utf8", cwd: "/", stdio: ["ignore", "ignore", "pipe"] });
	if (done.status !== 0) throw new Error(`${program} failed: ${done.stderr}`);
}

/** Starts a cluster; it is removed when what opened it ends (see lifetime.ts). */
export async function startPostgres(options: ClusterOptions = {}): Promise<Cluster> {
	const folder = mkdtempSync(join(tmpdir(), "chronicle-postgres-"));
	const cluster = await startIn(folder, options);
	closeLater(() => removeClusters(folder));
	return cluster;
}

/** Stops the clusters in a folder, and removes it. */
export function removeClusters(folder: string): void {
	for (const place of ["standby", "data"].map((name) => join(folder, name)))
		if (existsSync(join(place, "postmaster.pid")))
			try {
				run("pg_ctl", ["-D", place, "-w", "-m", "immediate", "stop"]);
			} catch {
				// It was killed.
			}
	rmSync(folder, { recursive: true, force: true });
}

/** By process: the cluster that its test files share. */
const shared: { cluster?: Promise<Cluster>; databases: number } = { databases: 0 };
const prepared = new Set<string>();
const refuse = (): never => {
	throw new Error("This cluster is shared: start one of your own with startPostgres.");
};

/**
 * Creates a database in the cluster that the test files of this process share; it is dropped when what opened it ends (see lifetime.ts).
 * `template`: the database that it is a copy of, which `prepare` makes the first time; default: an empty one.
 */
export async function openSharedDatabase(template?: {
	readonly name: string;
	prepare(url: string): Promise<void>;
}): Promise<Cluster> {
	const staged = process.env.CHRONICLE_STAGED;
	if (staged === undefined) {
		const own = await startPostgres();
		await template?.prepare(own.url);
		return own;
	}
	const folder = join(staged, `postgres-${process.pid}`);
	if (!existsSync(folder)) mkdirSync(folder);
	shared.cluster ??= startIn(folder, {});
	const cluster = await shared.cluster;
	const urlOf = (name: string): string => cluster.url.replace(/postgres$/, name);
	const admin = async (...statements: string[]): Promise<void> => {
		const client = new pg.Client(cluster.url);
		await client.connect();
		for (const text of statements) await client.query(text);
		await client.end();
	};
	const from = template?.name ?? "template0";
	if (template && !prepared.has(from)) {
		await admin(`CREATE DATABASE ${from}`);
		await template.prepare(urlOf(from));
		prepared.add(from);
	}
	shared.databases += 1;
	const name = `test_${shared.databases}`;
	await admin(`CREATE DATABASE ${name} TEMPLATE ${from}`);
	closeLater(() => admin(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
	return { ...cluster, url: urlOf(name), stop: refuse, kill: refuse, start: refuse, addStandby: refuse };
}

async function startIn(folder: string, { tls = false, fsync = false }: ClusterOptions): Promise<Cluster> {
	chmodSync(folder, 0o777);
	const data = join(folder, "data");
	const port = await freePort();
	run("initdb", ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]);
	const certificate = join(folder, "server.crt");
	const key = join(data, "server.key");
	if (tls) makeCertificate(certificate, key);
	const secured = tls
		? ` -c ssl=on -c ssl_cert_file=${certificate} -c ssl_key_file=${key} -c ssl_ca_file=${certificate}`
		: "";
	const speed = fsync ? "" : " -c fsync=off";
	const settings = (own: number): string =>
		`-p ${own}${speed} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${folder} -c max_connections=200${secured}`;
	const urlOf = (own: number): string => `postgres://postgres@127.0.0.1:${own}/postgres`;
	const stopIn = (place: string, mode: "fast" | "immediate"): void =>
		run("pg_ctl", ["-D", place, "-w", "-m", mode, "stop"]);
	const logOf = (place: string): string => `${place}.log`;
	const serve = (place: string, own: number): void =>
		run("pg_ctl", ["-D", place, "-w", "-l", logOf(place), "-o", settings(own), "start"]);
	const copy = join(folder, "standby");
	const cluster: Cluster = {
		url: urlOf(port),
		certificate,
		key,
		log: logOf(data),
		stop: (mode) => stopIn(data, mode),
		kill: () => process.kill(Number(readFileSync(join(data, "postmaster.pid"), "utf8").split("\n", 1)[0]), "SIGKILL"),
		start: () => serve(data, port),
		async addStandby() {
			const own = await freePort();
			const primary = `host=127.0.0.1 port=${port} user=postgres application_name=standby`;
			run("pg_basebackup", ["-D", copy, "-X", "stream", "-c", "fast", "-R", "-d", primary]);
			serve(copy, own);
			appendFileSync(join(data, "postgresql.auto.conf"), "synchronous_standby_names = 'standby'\n");
			run("pg_ctl", ["-D", data, "reload"]);
			return { url: urlOf(own), promote: () => run("pg_ctl", ["-D", copy, "-w", "promote"]) };
		},
	};
	cluster.start();
	return cluster;
}

/** Makes a self-signed certificate for `localhost`, as the user that the server runs as. */
export function makeCertificate(certificate: string, key: string): void {
	const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
	run("openssl", [
		"req",
		"-x509",
		"-newkey",
		"rsa:2048",
		"-nodes",
		"-days",
		"2",
		...names,
		"-keyout",
		key,
		"-out",
		certificate,
	]);
}

function freePort(): Promise<number> {
	return new Promise((resolve, reject) => {
		const server = createServer();
		server.on("error", reject);
		server.listen(0, "127.0.0.1", () => {
			const address = server.address();
			server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
		});
	});
}
