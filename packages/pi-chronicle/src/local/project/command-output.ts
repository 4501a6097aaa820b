// The output of a state's command: the whole in a file while it runs, the end for the next worker, stdout for its data.
// Nothing unredacted is written or returned; memory and the file are bounded, however much is printed.
import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { StringDecoder } from "node:string_decoder";
import { stripVTControlCharacters } from "node:util";
import { ByteTail } from "../../process/index.ts";
import { redactSecrets } from "../../safety/index.ts";

/** Bytes of the file: the beginning of the output, and the end of one that is longer. */
const beginningBytes = 4 * 1024 * 1024;
const endBytes = 512 * 1024;
/** Characters after which output is redacted and written, even in the middle of a line. */
const blockLength = 64 * 1024;
/** Bytes of stdout that can be data: the report of a test program on thousands of tests. */
export const dataBytes = 4 * 1024 * 1024;
/** Bytes that redaction may need before a cut. */
const margin = 4096;

export class CommandOutput {
	/** Bytes printed so far. */
	bytes = 0;
	readonly #tailBytes: number;
	readonly #tail: ByteTail;
	readonly #end = new ByteTail(endBytes);
	readonly #stdout = new ByteTail(dataBytes);
	#stdoutBytes = 0;
	readonly #decoder = new StringDecoder("utf8");
	readonly #file: number;
	/** Decoded text that is not in the file yet. */
	#pending = "";
	#written = 0;
	/** Bytes that are only in `#end`, and may be left out. */
	#skipped = 0;

	/** `file`: absolute path; created, readable by the user alone. Throws disk errors. */
	constructor(file: string, tailBytes: number) {
		this.#tailBytes = tailBytes;
		this.#tail = new ByteTail(tailBytes + margin);
		mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
		this.#file = openSync(file, "w", 0o600);
	}

	add(chunk: Buffer, from: "stdout" | "stderr"): void {
		this.bytes += chunk.length;
		this.#tail.add(chunk);
		if (from === "stdout") {
			this.#stdout.add(chunk);
			this.#stdoutBytes += chunk.length;
		}
		if (this.#written >= beginningBytes) {
			this.#skipped += chunk.length;
			this.#end.add(chunk);
			return;
		}
		this.#pending += this.#decoder.write(chunk);
		this.#flush(false);
	}

	/** Writes the rest, and closes the file. A full disk costs the file, not the outcome. */
	close(): void {
		this.#pending += this.#decoder.end();
		this.#flush(true);
		if (this.#skipped > endBytes) this.#write(`\n[${this.#skipped - endBytes} bytes are left out here]\n`);
		if (this.#skipped > 0) this.#write(redactSecrets(this.#end.text()));
		try {
			closeSync(this.#file);
		} catch {}
	}

	/** The end of the output: whole lines as far as possible, without colors. */
	tail(): { readonly text: string; readonly isCut: boolean } {
		const text = redactSecrets(stripVTControlCharacters(this.#tail.text()).replaceAll("\r\n", "\n"));
		const kept = lastBytes(text, this.#tailBytes);
		if (kept.length === text.length && this.bytes <= this.#tailBytes + margin)
			return { text: kept.trimEnd(), isCut: false };
		const line = kept.indexOf("\n");
		const lines = line >= 0 && line < kept.length / 2 ? kept.slice(line + 1) : kept;
		return { text: lines.trimEnd(), isCut: true };
	}

	/** stdout, or `undefined` if it is too long to be kept; and its last line. */
	stdout(): { readonly whole: string | undefined; readonly lastLine: string } {
		const text = this.#stdout.text().replace(/^\ufeff/, "");
		const lastLine = text.trimEnd().split("\n").at(-1) ?? "";
		return { whole: this.#stdoutBytes > dataBytes ? undefined : text, lastLine };
	}

	#flush(isLast: boolean): void {
		const line = this.#pending.lastIndexOf("\n") + 1;
		const isLong = this.#pending.length >= blockLength;
		// A private key is recognized only as a whole.
		const isOpen = /-----BEGIN [^\n]*$|-----BEGIN (?![\s\S]*-----END )/.test(this.#pending.slice(-blockLength));
		if (!isLast && (line === 0 || isOpen) && !isLong) return;
		const at = isLast || line === 0 ? this.#pending.length : line;
		this.#write(redactSecrets(this.#pending.slice(0, at)));
		this.#pending = this.#pending.slice(at);
	}

	#write(text: string): void {
		try {
			this.#written += writeSync(this.#file, text);
		} catch {
			this.#written += Buffer.byteLength(text);
		}
	}
}

/** The last `bytes` bytes of a text, from a character on. */
function lastBytes(text: string, bytes: number): string {
	if (Buffer.byteLength(text) <= bytes) return text;
	const tail = new ByteTail(bytes);
	tail.add(Buffer.from(text));
	return tail.text();
}
