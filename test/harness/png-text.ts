// The text of a PNG, in a chunk `iTXt`: what the picture shows, for those who cannot see it and for tests that compare it.
// Format: https://www.w3.org/TR/png-3/#11iTXt
import { crc32 } from "node:zlib";

const signatureBytes = 8;
/** Length, type and checksum of a chunk. */
const frameBytes = 12;
const keyword = "Description";

/** The picture with `text` in it, before its end. */
export function pngWithText(png: Buffer, text: string): Buffer {
	const end = png.length - frameBytes;
	return Buffer.concat([png.subarray(0, end), chunkOf(text), png.subarray(end)]);
}

function chunkOf(text: string): Buffer {
	// Keyword, not compressed, no language, no translated keyword.
	const body = Buffer.from(`iTXt${keyword}\0\0\0\0\0${text}`);
	const length = Buffer.alloc(4);
	length.writeUInt32BE(body.length - 4);
	const sum = Buffer.alloc(4);
	sum.writeUInt32BE(crc32(body));
	return Buffer.concat([length, body, sum]);
}

/** The text of a picture; `undefined` if it has none. */
export function textOfPng(png: Buffer): string | undefined {
	for (let at = signatureBytes; at + frameBytes <= png.length; ) {
		const length = png.readUInt32BE(at);
		const body = png.subarray(at + 8, at + 8 + length);
		if (png.toString("latin1", at + 4, at + 8) === "iTXt") return body.subarray(keyword.length + 5).toString();
		at += length + frameBytes;
	}
	return undefined;
}
