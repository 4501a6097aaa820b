// Keeps the end of a process's output. Text is decoded once all of it is there: a chunk may end in the middle of a character.

export class ByteTail {
	readonly #max: number;
	#chunks: Buffer[] = [];
	#length = 0;
	#isCut = false;

	/** `max`: bytes that are kept, from the end. */
	constructor(max: number) {
		this.#max = max;
	}

	add(chunk: Buffer): void {
		this.#chunks.push(chunk);
		this.#length += chunk.length;
		for (let [first] = this.#chunks; first && this.#length - first.length >= this.#max; [first] = this.#chunks) {
			this.#chunks.shift();
			this.#length -= first.length;
			this.#isCut = true;
		}
	}

	/** What is kept, as UTF-8; a character that was cut at the beginning is left out. */
	text(): string {
		const bytes = Buffer.concat(this.#chunks).subarray(-this.#max);
		let start = 0;
		if (this.#isCut || bytes.length < this.#length) while (start < 3 && isContinuation(bytes[start])) start += 1;
		return bytes.toString("utf8", start);
	}
}

function isContinuation(byte: number | undefined): boolean {
	return byte !== undefined && (byte & 0b1100_0000) === 0b1000_0000;
}
