// A separate Postgres for a test file: one cluster in a temporary folder, on the loopback address. As root it runs as the user `postgres`,
// because Postgres refuses root.
import { spawnSync } from "node:child_process";
import {
	appendFileSync,
	chmodSync,
	existsSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	realpathSync,
	rmSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
}

function run(program: string, args: readonly string[]): void {
	const path = serverProgram(program) ?? program;
	const root = process.getuid?.() === 0;
	const [command, all] = root ? ["setpriv", [...asPostgres, path, ...args]] : [path, [...args]];
	const done = spawnSync(command, all, { encoding: "utf8", cwd: "/", stdio: ["ignore", "ignore", "pipe"] });
	if (done.status !== 0) throw new Error(`${program} failed: ${done.stderr}`);
}

/** Starts a cluster; it is removed when what opened it ends (see lifetime.ts). */
export async function startPostgres({ tls = false }: ClusterOptions = {}): Promise<Cluster> {
	const folder = mkdtempSync(join(tmpdir(), "chronicle-postgres-"));
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
	const settings = (own: number): string =>
		`-p ${own} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${folder} -c max_connections=200${secured}`;
	const urlOf = (own: number): string => `postgres://postgres@127.0.0.1:${own}/postgres`;
	const stopIn = (place: string, mode: "fast" | "immediate"): void =>
		run("pg_ctl", ["-D", place, "-w", "-m", mode, "stop"]);
	const logOf = (place: string): string => `${place}.log`;
	const startIn = (place: string, own: number): void =>
		run("pg_ctl", ["-D", place, "-w", "-l", logOf(place), "-o", settings(own), "start"]);
	const copy = join(folder, "standby");
	const cluster: Cluster = {
		url: urlOf(port),
		certificate,
		key,
		log: logOf(data),
		stop: (mode) => stopIn(data, mode),
		kill: () => process.kill(Number(readFileSync(join(data, "postmaster.pid"), "utf8").split("\n", 1)[0]), "SIGKILL"),
		start: () => startIn(data, port),
		async addStandby() {
			const own = await freePort();
			const primary = `host=127.0.0.1 port=${port} user=postgres application_name=standby`;
			run("pg_basebackup", ["-D", copy, "-X", "stream", "-c", "fast", "-R", "-d", primary]);
			startIn(copy, own);
			appendFileSync(join(data, "postgresql.auto.conf"), "synchronous_standby_names = 'standby'\n");
			run("pg_ctl", ["-D", data, "reload"]);
			return { url: urlOf(own), promote: () => run("pg_ctl", ["-D", copy, "-w", "promote"]) };
		},
	};
	cluster.start();
	closeLater(() => {
		for (const place of [copy, data]) if (existsSync(join(place, "postmaster.pid"))) stopIn(place, "immediate");
		rmSync(folder, { recursive: true, force: true });
	});
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
