// TLS to an engine's database: the options of the address apply to every connection, including the one that listens.
import { dirname, join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { needsProgram } from "../../pi-chronicle/test/harness/needs.ts";
import { makeCertificate, needsPostgres, startPostgres } from "../../pi-chronicle/test/harness/postgres.ts";
import { openDatabase } from "../src/database.ts";
import { databaseFailure } from "../src/index.ts";
import { connect } from "./connect.ts";

describe("TLS to the database", needsPostgres, () => {
	it("is used, and the server's certificate checked, as the address says", needsProgram("openssl"), async () => {
		const { url, certificate, key } = await startPostgres({ tls: true });
		const other = join(dirname(certificate), "other.crt");
		makeCertificate(other, join(dirname(certificate), "other.key"));
		const open = (options: string) => connect(`${url.replace("127.0.0.1", "localhost")}?${options}`);
		const plain = await open("sslmode=disable");
		const secure = await open(`sslmode=verify-full&sslrootcert=${certificate}`);
		await secure.listen(() => {});
		await secure.query("SELECT 1");
		const sessions = await plain.query<{ name: string; ssl: boolean }>(
			`SELECT a.application_name AS name, s.ssl FROM pg_stat_ssl s JOIN pg_stat_activity a USING (pid)
			WHERE a.application_name LIKE 'pi-chronicle%' ORDER BY 1, 2`,
		);
		expect(sessions.rows).toEqual([
			{ name: "pi-chronicle", ssl: false },
			{ name: "pi-chronicle", ssl: true },
			{ name: "pi-chronicle listener", ssl: true },
		]);
		const deceived = await open(`sslmode=verify-full&sslrootcert=${other}`);
		const error = await deceived.query("SELECT 1").catch((thrown: unknown) => thrown);
		expect(databaseFailure(error, { name: "db", shell: "pi-chronicle " })).toMatchObject({
			message: expect.stringMatching(/^The TLS connection to the database db failed: .*(self-signed|unable to verify)/),
			remedy: expect.stringContaining("sslrootcert"),
		});

		// A client's certificate, by the address or by the environment.
		const presented = async (options: string) => {
			const { rows } = await (await open(options)).query<{ dn: string | null }>(
				"SELECT client_dn AS dn FROM pg_stat_ssl WHERE pid = pg_backend_pid()",
			);
			return rows[0]?.dn;
		};
		const full = `sslmode=verify-full&sslrootcert=${certificate}`;
		expect(await presented(full)).toBe(null);
		expect(await presented(`${full}&sslcert=${certificate}&sslkey=${key}`)).toBe("/CN=localhost");
		vi.stubEnv("PGSSLMODE", "verify-full");
		vi.stubEnv("PGSSLROOTCERT", certificate);
		vi.stubEnv("PGSSLCERT", certificate);
		vi.stubEnv("PGSSLKEY", key);
		expect(await presented("")).toBe("/CN=localhost");
		expect(await presented("sslmode=disable")).toBe(null);
		vi.stubEnv("PGSSLROOTCERT", other);
		await expect(presented("")).rejects.toThrow(/self-signed|unable to verify/);
		expect(await presented(full)).toBe("/CN=localhost");
		vi.unstubAllEnvs();
	});
});

describe("an error of the database", () => {
	it.each([
		[{ code: "28P01", message: "password authentication failed" }, "refused the connection", "user, password"],
		[
			{ message: "SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string" },
			"asks for a password",
			"PGPASSWORD",
		],
		[
			{ code: "28000", message: "no pg_hba.conf entry for host, no encryption" },
			"no encryption",
			"sslmode=verify-full",
		],
		[{ code: "28000", message: "connection requires a valid client certificate" }, "client certificate", "sslcert"],
		[{ code: "3D000", message: 'database "x" does not exist' }, "refused the connection", "database in the address"],
		[{ code: "ECONNREFUSED", message: "" }, "cannot be reached: ECONNREFUSED", "network"],
		[{ code: "ENOENT", message: "ENOENT: no such file, open '/ca.pem'" }, "/ca.pem", "sslrootcert"],
		[
			{ code: "ERR_TLS_CERT_ALTNAME_INVALID", message: "IP is not in the list" },
			"TLS connection",
			"host in the address",
		],
		[
			{ code: "08P01", message: "unsupported startup parameter: statement_timeout" },
			"PgBouncer",
			"ignore_startup_parameters",
		],
		[{ code: "25006", message: "cannot execute UPDATE in a read-only transaction" }, "is read-only", "primary"],
		[{ code: "42501", message: "permission denied" }, "lacks a privilege", "--members"],
		[{ code: "53100", message: "disk full" }, "no space left", "Free some space"],
		[{ code: "XX000", message: "internal" }, "refused a statement: internal (XX000)", "engine doctor"],
	])("%j is explained with what to do", (error, what, remedy) => {
		expect(databaseFailure(error, { name: "db/x", shell: "pi-chronicle " })).toMatchObject({
			message: expect.stringContaining(what),
			remedy: expect.stringContaining(remedy),
		});
	});
});

describe("an address", () => {
	it.each([
		["postgres://a:1,b:2/db", "not the URL of one Postgres server"],
		["postgres://ann:p,w@a,b/db", "not the URL of one Postgres server"],
		["postgresql://a,b?target_session_attrs=read-write", "not the URL of one Postgres server"],
		["mysql://a/db", "not the URL of one Postgres server"],
		["a,b", "not the URL of one Postgres server"],
		["postgres://ann:p,w@a/db,c?options=x,y", undefined],
	])("%s is refused where it cannot be used", async (url, wanted) => {
		const opened = await openDatabase(url);
		if (opened.ok) await opened.value.close();
		expect(opened.ok ? undefined : opened.failure.message).toEqual(wanted && expect.stringContaining(wanted));
	});
});
