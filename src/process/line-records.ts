// Splits a byte stream into LF-ended records. Not a line reader: U+2028 and U+2029 are data, and a record may be binary until kept.
// R1 bytes of a dropped record are never decoded or joined; R2 no record holds more than `cap` bytes of memory.

/** 16 MiB: above the largest message pi writes in practice (images are base64 text within a record). */
export const RECORD_CAP = 16 * 1024 * 1024;

/** How much of a record is looked at before it is decided whether to keep it. */
const HEAD_BYTES = 512;

export interface RecordSink {
	/** Decides by the first bytes (at least 512, or the whole record where it is shorter) whether the record is wanted. */
	wants(head: Buffer): boolean;
	/** One whole record without its LF and without a CR before it. */
	record(text: string): void;
	/** A wanted record was longer than the cap and is lost; `head` are its first bytes as text, `bytes` its length. */
	oversized(head: string, bytes: number): void;
}

export interface RecordSplitter {
	push(chunk: Buffer): void;
	/** Delivers what came after the last LF, if anything. */
	end(): void;
}

/** Opens a splitter that holds at most `cap` bytes of one record. */
export function splitRecords(sink: RecordSink, cap: number = RECORD_CAP): RecordSplitter {
	let parts: Buffer[] = [];
	let kept = 0;
	let length = 0;
	let state: "undecided" | "keeping" | "dropping" | "oversized" = "undecided";
	let head = Buffer.alloc(0);

	const decide = (): void => {
		if (state !== "undecided") return;
		head = Buffer.concat(parts).subarray(0, HEAD_BYTES);
		state = sink.wants(head) ? "keeping" : "dropping";
		if (state === "dropping") parts = [];
	};
	const take = (bytes: Buffer): void => {
		if (bytes.length === 0) return;
		length += bytes.length;
		if (state === "dropping" || state === "oversized") return;
		parts.push(bytes);
		kept += bytes.length;
		if (kept >= HEAD_BYTES) decide();
		if (state === "keeping" && kept > cap) {
			state = "oversized";
			parts = [];
		}
	};
	const finish = (): void => {
		if (length > 0) {
			decide();
			if (state === "oversized") sink.oversized(head.toString("utf8"), length);
			if (state === "keeping") {
				const text = (parts.length === 1 ? (parts[0] ?? head) : Buffer.concat(parts)).toString("utf8");
				sink.record(text.endsWith("\r") ? text.slice(0, -1) : text);
			}
		}
		parts = [];
		kept = 0;
		length = 0;
		state = "undecided";
	};

	return {
		push(chunk) {
			let from = 0;
			for (;;) {
				const at = chunk.indexOf(0x0a, from);
				if (at === -1) break;
				take(chunk.subarray(from, at));
				finish();
				from = at + 1;
			}
			take(chunk.subarray(from));
		},
		end: finish,
	};
}
