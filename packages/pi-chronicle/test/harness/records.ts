// Splits a byte stream into the JSON records of pi's RPC and JSON modes: one per LF and nothing else (U+2028 may occur inside).
import { StringDecoder } from "node:string_decoder";

/** A record as pi writes it; tests narrow what they need. */
export type WireRecord = { type: string } & Record<string, unknown>;

/** Returns a sink for chunks that calls `accept` for every complete record and `refuse` for a line that is no JSON object. */
export function recordSplitter(
	accept: (record: WireRecord) => void,
	refuse: (line: string) => void,
): (chunk: Buffer) => void {
	const decoder = new StringDecoder("utf8");
	let rest = "";
	return (chunk) => {
		const lines = (rest + decoder.write(chunk)).split("\n");
		rest = lines.pop() ?? "";
		for (const line of lines) {
			const text = line.endsWith("\r") ? line.slice(0, -1) : line;
			if (text === "") continue;
			const record = parseRecord(text);
			if (record) accept(record);
			else refuse(text);
		}
	};
}

function parseRecord(text: string): WireRecord | undefined {
	try {
		const value: unknown = JSON.parse(text);
		return typeof value === "object" && value !== null && "type" in value ? (value as WireRecord) : undefined;
	} catch {
		return undefined;
	}
}
