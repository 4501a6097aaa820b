// Reads one text file safely. Anything but a regular text file of reasonable size becomes a diagnostic.
// Pipes, devices, and sockets are never opened; at most `maxBytes` + 1 bytes are read, regardless of the reported file size;
// the exported functions never throw.
import { isUtf8 } from "node:buffer";
import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from "node:fs";
import type { Diagnostic } from "./diagnostic.ts";
import { systemWords } from "./error-message.ts";
import type { Problem } from "./report.ts";
import { openSource, type Source } from "./source.ts";

export type SourceRead =
	| { readonly kind: "text"; readonly source: Source }
	| { readonly kind: "absent" }
	| { readonly kind: "problem"; readonly diagnostic: Diagnostic };

export interface ReadOptions {
	/** In bytes; default 1 MB. */
	readonly maxBytes?: number;
	/** Whether to follow a symbolic link in the last part of the path; default `follow`. */
	readonly links?: "follow" | "refuse";
}

const defaultMaxBytes = 1_000_000;

/** Reads `file` (an absolute path) as UTF-8 text. `absent`: the file does not exist, or a parent is not a directory. */
export function readSource(file: string, options: ReadOptions = {}): SourceRead {
	try {
		const found = decodeText(file, options);
		if (found === undefined) return { kind: "absent" };
		if (typeof found === "string") return { kind: "text", source: openSource(file, found) };
		return { kind: "problem", diagnostic: { file, line: 1, column: 1, severity: "error", ...found } };
	} catch (error) {
		const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
		if (code === "ENOENT" || code === "ENOTDIR") return { kind: "absent" };
		return { kind: "problem", diagnostic: { file, line: 1, column: 1, severity: "error", ...refusedFile(code) } };
	}
}

type PlacedProblem = Problem & { readonly line?: number; readonly column?: number };

/** The text of a file, a problem with it, or `undefined` if it does not exist. Throws errors of the file system. */
function decodeText(
	file: string,
	{ maxBytes = defaultMaxBytes, links = "follow" }: ReadOptions,
): string | PlacedProblem | undefined {
	const stats = statSync(file, { throwIfNoEntry: false });
	if (!stats) return undefined;
	const unsuitable = notAFile(stats);
	if (unsuitable) return unsuitable;
	const follow = links === "refuse" ? (constants.O_NOFOLLOW ?? 0) : 0;
	const handle = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | follow);
	try {
		const opened = fstatSync(handle);
		const swapped = notAFile(opened);
		if (swapped) return swapped;
		const bytes = readUpTo(handle, maxBytes + 1, opened.size);
		if (bytes.length > maxBytes) return tooLarge(Math.max(opened.size, bytes.length), maxBytes);
		return notText(bytes) ?? bytes.toString("utf8");
	} finally {
		closeSync(handle);
	}
}

function readUpTo(handle: number, max: number, expected: number): Buffer {
	let bytes = Buffer.allocUnsafe(Math.min(max, Math.max(expected, 0) + 1));
	let length = 0;
	for (;;) {
		const count = readSync(handle, bytes, length, bytes.length - length, null);
		length += count;
		if (count === 0 || length === max) return bytes.subarray(0, length);
		if (length === bytes.length) {
			const wider = Buffer.allocUnsafe(Math.min(max, bytes.length * 2));
			bytes.copy(wider, 0, 0, length);
			bytes = wider;
		}
	}
}

function notAFile(stats: Stats): Problem | undefined {
	if (stats.isFile()) return undefined;
	if (stats.isDirectory())
		return {
			code: "is-a-directory",
			message: "This is a folder; a file is expected.",
			remedy: "Name a file inside it, or replace the folder with a file.",
		};
	return {
		code: "not-a-file",
		message: "This is a pipe, a device or a socket, not a file, so it is not opened.",
		remedy: "Replace it with a regular text file.",
	};
}

function tooLarge(size: number, maxBytes: number): Problem {
	return {
		code: "too-large",
		message: `The file is ${Math.ceil(size / 1000).toLocaleString("en-US")} kB; the limit is ${Math.floor(maxBytes / 1000).toLocaleString("en-US")} kB.`,
		remedy: "Shorten it, or move long material to a file that the agent reads when it needs it.",
	};
}

/** The problem with the bytes as UTF-8 text, and its place; `undefined` if they are valid. */
function notText(bytes: Buffer): (Problem & { line: number; column: number }) | undefined {
	const first = bytes.length < 2 ? 0 : bytes.readUInt16BE(0);
	if (first === 0xfffe || first === 0xfeff)
		return {
			...placeInBytes(bytes, 0),
			code: "utf-16",
			message: "The file is saved as UTF-16.",
			remedy: "Save it as UTF-8.",
		};
	const zero = bytes.indexOf(0);
	if (zero !== -1)
		return {
			...placeInBytes(bytes, zero),
			code: "binary",
			message: `The file is not text: byte ${zero + 1} is zero.`,
			remedy: "Replace it with a UTF-8 text file.",
		};
	if (isUtf8(bytes)) return undefined;
	const place = placeInBytes(bytes, firstInvalid(bytes));
	return {
		...place,
		code: "not-utf-8",
		message: `The file is not valid UTF-8; the first invalid byte is in line ${place.line}.`,
		remedy: "Save it as UTF-8; if the file is truncated, restore it.",
	};
}

/** Line and column of a byte; the bytes before it on its line must be valid UTF-8. */
function placeInBytes(bytes: Buffer, offset: number): { line: number; column: number } {
	const lineStart = offset === 0 ? 0 : bytes.lastIndexOf(10, offset - 1) + 1;
	return { line: 1 + countLines(bytes, offset), column: 1 + bytes.toString("utf8", lineStart, offset).length };
}

/** Offset of the first byte that is not valid UTF-8: bisects for the longest valid prefix. */
function firstInvalid(bytes: Buffer): number {
	let valid = 0;
	let invalid = bytes.length;
	while (invalid - valid > 1) {
		let middle = (valid + invalid) >> 1;
		while (middle > valid && ((bytes[middle] ?? 0) & 0xc0) === 0x80) middle -= 1;
		if (middle === valid) return valid;
		if (isUtf8(bytes.subarray(valid, middle))) valid = middle;
		else invalid = middle;
	}
	return valid;
}

function countLines(bytes: Buffer, end: number): number {
	let count = 0;
	for (let at = bytes.indexOf(10); at !== -1 && at < end; at = bytes.indexOf(10, at + 1)) count += 1;
	return count;
}

function refusedFile(code: string): Problem {
	switch (code) {
		case "EACCES":
		case "EPERM":
			return {
				code: "unreadable",
				message: "Permission denied.",
				remedy: "Change the permissions of the file or of the folders above it.",
			};
		case "ELOOP":
			return {
				code: "link-loop",
				message: "This is a link to itself, or a link where none is allowed.",
				remedy: "Point the link at a file, or replace it with one.",
			};
		default:
			return {
				code: "unreadable",
				message: `The file cannot be read (${systemWords(code)}).`,
				remedy: "Check that you can open it.",
			};
	}
}
