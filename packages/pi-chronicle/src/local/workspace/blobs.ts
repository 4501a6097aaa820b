import type { Store } from "./store.ts";

/** The contents of `objects`, by object; omits objects that are not blobs. */
export async function readBlobs(
	store: Pick<Store, "git">,
	objects: readonly string[],
): Promise<ReadonlyMap<string, Buffer>> {
	const contents = new Map<string, Buffer>();
	if (objects.length === 0) return contents;
	const read = await store.git(["cat-file", "--batch"], { input: Buffer.from(`${objects.join("\n")}\n`) });
	// `object type size LF content LF`, or `object missing LF`.
	for (let at = 0; at < read.output.length; ) {
		const end = read.output.indexOf(0x0a, at);
		if (end < 0) break;
		const [object = "", type, size] = read.output.subarray(at, end).toString("latin1").split(" ");
		at = end + 1;
		if (size === undefined) continue;
		if (type === "blob") contents.set(object, read.output.subarray(at, at + Number(size)));
		at += Number(size) + 1;
	}
	return contents;
}

/** Writes a blob and returns its object name. */
export async function writeBlob(store: Pick<Store, "git">, content: Buffer): Promise<string> {
	const written = await store.git(["hash-object", "-w", "--stdin"], { input: content, where: "own" });
	return written.output.toString("latin1").trim();
}
