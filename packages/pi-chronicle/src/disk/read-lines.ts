// Reads a file line by line, in bytes and with offsets. Time and memory are linear in the longest line.
import { open } from "node:fs/promises";

interface FileLine {
	/** Without its LF. */
	readonly bytes: Buffer;
	/** Offset in the file. */
	readonly at: number;
}

export interface LineBatch {
	readonly lines: readonly FileLine[];
	/** Bytes of the file read so far, the beginning of an unfinished line included. */
	readonly end: number;
}

const chunkBytes = 1 << 16;

/** Yields the lines from byte `from` on, as they are read. An incomplete last line is omitted. Throws disk errors. */
export async function* readLines(path: string, from = 0): AsyncGenerator<LineBatch> {
	const file = await open(path, "r");
	try {
		let unfinished: Buffer[] = [];
		let lineAt = from;
		for (let end = from; ; ) {
			const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes, end);
			if (bytesRead === 0) return;
			end += bytesRead;
			const lines: FileLine[] = [];
			const chunk = buffer.subarray(0, bytesRead);
			let begin = 0;
			for (let lf = chunk.indexOf(10); lf !== -1; lf = chunk.indexOf(10, begin)) {
				const rest = chunk.subarray(begin, lf);
				const bytes = unfinished.length === 0 ? rest : Buffer.concat([...unfinished, rest]);
				lines.push({ bytes, at: lineAt });
				unfinished = [];
				lineAt += bytes.length + 1;
				begin = lf + 1;
			}
			if (begin < bytesRead) unfinished.push(chunk.subarray(begin));
			yield { lines, end };
		}
	} finally {
		await file.close();
	}
}
