// TLS to an engine's database: the options of the address hold for every connection, the one that listens included.
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { needsProgram } from "../../../harness/needs.ts";
import { makeCertificate, needsPostgres, startPostgres } from "../../../harness/postgres.ts";
import { connect } from "./connect.ts";

describe("TLS to the database", needsPostgres, () => {
	it("is used, and the server's certificate checked, as the address says", needsProgram("openssl"), async () => {
		const { url, certificate } = await startPostgres({ tls: true });
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
		await expect(deceived.query("SELECT 1")).rejects.toThrow(/self-signed certificate|unable to verify/);
	});
});
