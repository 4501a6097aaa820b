// What a host says while it works: one line of JSON per entry, or plain text for a terminal. No entry has a secret in known form, or the value of a
// variable with a secret name.
import type { Redact } from "pi-chronicle/local";

export interface LogFields {
	/** Default: `info`. */
	readonly level?: "info" | "warn" | "error";
	readonly project?: string;
	readonly run?: string;
	readonly visit?: number;
	readonly attempt?: number;
}

/** Adds an entry; `message` is one sentence. */
export type HostLog = (message: string, fields?: LogFields) => void;

export interface LogOptions {
	readonly host: string;
	readonly hostId: string;
	readonly format: "json" | "text";
	readonly redact: Redact;
	readonly write: (line: string) => void;
	readonly now?: () => number;
}

/** Opens the log of a host. */
export function openHostLog({ host, hostId, format, redact, write, now = Date.now }: LogOptions): HostLog {
	return (message, { level = "info", ...about } = {}) => {
		const clean = redact(message);
		if (format === "text") return write(logText(clean, about));
		const time = new Date(now()).toISOString();
		write(JSON.stringify({ time, level, message: clean, host, host_id: hostId, ...about }));
	};
}

/** An entry as text. */
export function logText(message: string, { run }: Pick<LogFields, "run">): string {
	return run === undefined ? message : `Run ${run.slice(0, 8)}: ${message}`;
}

/** A report of entries about the same subject. */
export function withFields(report: HostLog, subject: () => LogFields): HostLog {
	return (message, fields) => report(message, { ...subject(), ...fields });
}
