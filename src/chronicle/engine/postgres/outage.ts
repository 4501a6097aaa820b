// Errors of the database that pass.

const outages = new Set([
	"ECONNREFUSED",
	"ECONNRESET",
	"EPIPE",
	"ETIMEDOUT",
	"EHOSTUNREACH",
	"ENETUNREACH",
	"EAI_AGAIN",
	"ENOTFOUND",
]);

/** Whether an error means that the database is temporarily unreachable, so that the statement may succeed later. */
export function isOutage(error: unknown): boolean {
	const { code = "", message = "" } = error as { code?: string; message?: string };
	// Classes 08 and 57P: connection lost, shutdown, starting up; 53300: too many connections; 40001, 40P01: try again; 25006: a standby that
	// is not promoted yet; 25P03: the transaction was silent for too long.
	if (outages.has(code) || /^(?:08...|57P0.|53300|40001|40P01|25006|25P03)$/.test(code)) return true;
	return /connection terminated|timeout exceeded|query read timeout|not queryable|ended unexpectedly/i.test(message);
}
