// Errors of the database: repeats work until an outage has passed, and explains each error to the user.
import { setTimeout as sleep } from "node:timers/promises";
import type { Failure, Result, StoreFailure } from "@pi-chronicle/core/ports";
import { FailureError } from "pi-chronicle/local";

const outages =
	/^(?:ECONN(?:REFUSED|RESET|ABORTED)|EPIPE|ETIMEDOUT|E(?:HOST|NET)(?:UNREACH|DOWN)|EADDRNOTAVAIL|EAI_AGAIN|EAI_FAIL|ENOTFOUND)$/;

/** Whether an error or a failure means that the database is temporarily unreachable, so that the statement may succeed later. */
export function isOutage(error: unknown): boolean {
	const failure = error instanceof FailureError ? error.failure : error;
	const { code = "", message = "", reason } = failure as { code?: string; message?: string; reason?: string };
	if (reason === "database_away") return true;
	// Classes 08 and 57P: connection lost, shutdown, starting up; 53100, 53300: disk full, too many connections; 40001, 40P01: try again; 57014: not
	// done in time; 25006: a standby that is not promoted yet; 25P03: the transaction was silent for too long.
	if (outages.test(code) || /^(?:08...|57P0.|57014|53[13]00|40001|40P01|25006|25P03)$/.test(code)) return true;
	return /connection terminated|timeout exceeded|query read timeout|not queryable|ended unexpectedly/i.test(message);
}

/** Milliseconds for which a sender finds out whether the database has recorded what was sent when the connection was lost. */
export const unsureMs = 10_000;

/** Milliseconds for which a host repeats a statement while the database is out of reach. */
export const outageMs = 60_000;

/** Repeats `work` while the database is out of reach, for `ms` milliseconds after the first failure: that alone can take as long as a statement may. */
export async function throughOutage<T>(ms: number, work: () => Promise<T>): Promise<T> {
	for (let until: number | undefined; ; await sleep(200)) {
		try {
			return await work();
		} catch (error) {
			until ??= performance.now() + ms;
			if (!isOutage(error) || performance.now() >= until) throw error;
		}
	}
}

/** The result of `work` on a store, repeated in the same way. Throws the failure when the database does not answer: its caller gives the run back. */
export function untilReached<T>(
	ms: number,
	work: () => Promise<Result<T, StoreFailure>>,
): Promise<Result<T, StoreFailure>> {
	return throughOutage(ms, async () => {
		const done = await work();
		if (done.ok || (done.failure.reason !== "io" && done.failure.reason !== "database_away")) return done;
		throw new FailureError(done.failure);
	});
}

/** What errors mean, by code and message; `{name}`, `{shell}` and `{message}` stand for the database, the prefix of commands, and the error. */
const rules: readonly (readonly [code: RegExp, message: RegExp, what: string, remedy: string])[] = [
	[
		/^08P01$/,
		/unsupported startup parameter/,
		"The database {name} is behind a PgBouncer that refused the connection: {message}",
		"Set ignore_startup_parameters = statement_timeout in PgBouncer, or connect to Postgres itself.",
	],
	[
		/^53100$/,
		/^/,
		"The database {name} has no space left",
		"Free some space there, then resume the run: nothing that was recorded is lost.",
	],
	[
		/^25006$/,
		/^/,
		"The database {name} is read-only: {message}",
		"Name the address of the primary, or promote this standby.",
	],
	[
		/^42501$/,
		/permission denied for database/,
		"This database user may not create or change the engine's tables in {name}: {message}",
		"Run engine init as the owner of the tables; for a new engine, as a user who may create schemas (GRANT CREATE ON DATABASE … TO …, as the database's owner) and roles.",
	],
	[
		/^42501$/,
		/^/,
		"This database user lacks a privilege on {name}: {message}",
		"Use one with the role that this takes (GRANT chronicle_submitter TO …: runs, commands and its own schedules; chronicle_worker: hosts; chronicle_operator: remove, priorities above 0, limit and drain; the owner of the tables: init), and give it the project as the owner: {shell}engine init --project … --members ….",
	],
	[
		/^/,
		/^Queue \S+ does not exist$/,
		"The engine lacks a queue, so no host takes runs from it: {message}",
		"Create it: {shell}engine init --project … --queues ….",
	],
	[
		/^/,
		/client password must be a string/,
		"The database {name} asks for a password",
		"Set PGPASSWORD, or add a line for it to ~/.pgpass, which only you may read (mode 0600).",
	],
	[
		/^28000$/,
		/no encryption|client certificate/,
		"The database {name} refused the connection: {message}",
		"Name TLS in the address: ?sslmode=verify-full, with sslrootcert, sslcert and sslkey where it needs them.",
	],
	[
		/^(?:28P01|28000|3D000)$/,
		/^/,
		"The database {name} refused the connection: {message}",
		"Check user, password and database in the address.",
	],
	[
		/CERT|^UNABLE_TO|^ERR_(?:TLS|SSL|OSSL)/,
		/^/,
		"The TLS connection to the database {name} failed: {message}",
		"Name the authority of its certificate: ?sslmode=verify-full&sslrootcert=<file> in the address, or PGSSLROOTCERT. The host in the address must be one of the certificate.",
	],
	[
		/^ENOENT$/,
		/open '/,
		"A file that the address of the database {name} names cannot be read: {message}",
		"Check sslrootcert, sslcert and sslkey, and PGSSLROOTCERT, PGSSLCERT and PGSSLKEY.",
	],
];

/** What an error of the database means to the user. */
export function databaseFailure(
	error: unknown,
	{ name, shell }: { readonly name: string; readonly shell: string },
): Failure & { readonly reason: "io" | "database_away" } {
	const { code = "", message: said } = error as { code?: string; message: string };
	const reason = isOutage(error) ? "database_away" : "io";
	if (error instanceof FailureError) return { ...error.failure, reason };
	const message = said || code;
	const rule = rules.find(([codes, messages]) => codes.test(code) && messages.test(said));
	const [what, remedy] = rule ? [rule[2], rule[3]] : unexplained(error, code);
	const words = { name, shell, message };
	const fill = (text: string): string =>
		text.replace(/\{(name|shell|message)\}/g, (_, word: keyof typeof words) => words[word]);
	return { reason, message: `${fill(what)}.`, remedy: fill(remedy) };
}

/** What an error means that no rule names. */
function unexplained(error: unknown, code: string): readonly [what: string, remedy: string] {
	if (isOutage(error))
		return ["The database {name} cannot be reached: {message}", "Check that it runs and the network, then try again."];
	const shown = code === "" ? "" : ` (${code})`;
	return [`The database {name} refused a statement: {message}${shown}`, "Run {shell}engine doctor."];
}
