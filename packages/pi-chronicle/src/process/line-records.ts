// Splits a byte stream into records that end in LF. Not a line reader: U+2028 and U+2029 are data, and a record stays bytes until it is kept.
// The bytes of a dropped record are never decoded or joined; no record holds more than `cap` bytes of memory.

/** 16 MiB: above the largest message pi writes in practice (images are base64 text within a record). */
export const RECORD_CAP = 16 * 1024 * 1024;

/** Number of leading bytes that decide whether a record is kept. */
const HEAD_BYTES = 512;

export interface RecordSink {
	/** Decides from the first bytes (at least 512, or the whole record if it is shorter) whether the record is wanted. */
	wants(head: Buffer): boolean;
	/** One whole record without its LF and without a CR before it. */
	record(text: string): void;
	/** A wanted record was longer than the cap and is lost; `head` are its first bytes as text, `bytes` its length. */
	oversized(head: string, bytes: number): void;
}

export interface RecordSplitter {
	push(chunk: Buffer): void;
	/** Delivers the bytes after the last LF, if any. */
	end(): void;
}

/** The record that is being read. */
interface Current {
	parts: Buffer[];
	length: number;
	head: Buffer;
	fate: "undecided" | "kept" | "dropped" | "oversized";
}

/** Opens a splitter that holds at most `cap` bytes of one record. */
export function splitRecords(sink: RecordSink, cap: number = RECORD_CAP): RecordSplitter {
	let current = emptyRecord();
	const finish = (): void => {
		if (current.length > 0) deliverRecord(current, sink);
		current = emptyRecord();
	};
	return {
		push(chunk) {
			let from = 0;
			for (let at = chunk.indexOf(0x0a); at !== -1; at = chunk.indexOf(0x0a, from)) {
				append(current, chunk.subarray(from, at), sink, cap);
				finish();
				from = at + 1;
			}
			append(current, chunk.subarray(from), sink, cap);
		},
		end: finish,
	};
}

function emptyRecord(): Current {
	return { parts: [], length: 0, head: Buffer.alloc(0), fate: "undecided" };
}

function append(current: Current, bytes: Buffer, sink: RecordSink, cap: number): void {
	if (bytes.length === 0) return;
	current.length += bytes.length;
	if (current.fate === "dropped" || current.fate === "oversized") return;
	current.parts.push(bytes);
	if (current.length >= HEAD_BYTES) decideRecord(current, sink);
	if (current.fate === "kept" && current.length > cap) {
		current.fate = "oversized";
		current.parts = [];
	}
}

function decideRecord(current: Current, sink: RecordSink): void {
	if (current.fate !== "undecided") return;
	current.head = Buffer.concat(current.parts).subarray(0, HEAD_BYTES);
	current.fate = sink.wants(current.head) ? "kept" : "dropped";
	if (current.fate === "dropped") current.parts = [];
}

function deliverRecord(current: Current, sink: RecordSink): void {
	decideRecord(current, sink);
	if (current.fate === "oversized") sink.oversized(current.head.toString("utf8"), current.length);
	if (current.fate !== "kept") return;
	const text = Buffer.concat(current.parts).toString("utf8");
	sink.record(text.endsWith("\r") ? text.slice(0, -1) : text);
}
