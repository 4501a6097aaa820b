// Pictures of pages for the documents, as WebP: a third of a PNG's size. Each contains its text in a separate chunk, for readers who
// cannot see it and for tests that compare it. Format: https://developers.google.com/speed/webp/docs/riff_container
import type { Page } from "playwright-core";

const headBytes = 12;
/** Unknown to readers, which ignore such chunks. */
const textChunk = "DESC";

export interface Clip {
	/** CSS pixels, from the page's top left corner. */
	readonly x: number;
	readonly y: number;
	readonly width: number;
	readonly height: number;
}

/** Draws a part of a page, at one pixel for each CSS pixel, with `text` in it. */
export async function drawWebp(page: Page, clip: Clip, text: string): Promise<Buffer> {
	const whole = { x: clip.x, y: clip.y, width: Math.round(clip.width), height: Math.round(clip.height) };
	const session = await page.context().newCDPSession(page);
	const { data } = await session.send("Page.captureScreenshot", {
		format: "webp",
		quality: 57,
		clip: { ...whole, scale: 1 },
		captureBeyondViewport: true,
	});
	await session.detach();
	const picture = Buffer.from(data, "base64");
	const chunks = chunksOf(picture).filter(({ name }) => name.startsWith("VP8") && name !== "VP8X");
	return webpOf([{ name: "VP8X", body: extension(whole) }, ...chunks, { name: textChunk, body: Buffer.from(text) }]);
}

/** The text of a picture; `undefined` if it has none. */
export function textOfWebp(picture: Buffer): string | undefined {
	return chunksOf(picture)
		.find(({ name }) => name === textChunk)
		?.body.toString();
}

interface Chunk {
	readonly name: string;
	readonly body: Buffer;
}

function chunksOf(picture: Buffer): Chunk[] {
	const chunks: Chunk[] = [];
	for (let at = headBytes; at + 8 <= picture.length; ) {
		const length = picture.readUInt32LE(at + 4);
		chunks.push({ name: picture.toString("latin1", at, at + 4), body: picture.subarray(at + 8, at + 8 + length) });
		at += 8 + length + (length % 2);
	}
	return chunks;
}

function webpOf(chunks: readonly Chunk[]): Buffer {
	const parts = chunks.flatMap(({ name, body }) => [
		Buffer.from(name, "latin1"),
		lengthOf(body.length),
		body,
		Buffer.alloc(body.length % 2),
	]);
	const content = Buffer.concat([Buffer.from("WEBP", "latin1"), ...parts]);
	return Buffer.concat([Buffer.from("RIFF", "latin1"), lengthOf(content.length), content]);
}

/** The header of an extended file without animation, transparency or metadata. */
function extension({ width, height }: Clip): Buffer {
	const body = Buffer.alloc(10);
	body.writeUIntLE(width - 1, 4, 3);
	body.writeUIntLE(height - 1, 7, 3);
	return body;
}

function lengthOf(bytes: number): Buffer {
	const length = Buffer.alloc(4);
	length.writeUInt32LE(bytes);
	return length;
}
