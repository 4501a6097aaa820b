// This host's note about a run's folder: whether it was the last host that worked there.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isNumber, object, optional } from "@pi-chronicle/core/definition";
import { isFolderBelow, isObjectName, parseUntrusted, type RunSnapshot } from "pi-chronicle/local";
import type { PostgresLedger } from "./held.ts";

export interface Marker {
	/** The fence under which this host worked in it last. */
	readonly fence: number;
	/** The folder that the run works in, below the root of its working folder. */
	readonly folder: string;
	/** The snapshot that the run was at when all of it was on the remote. */
	readonly published?: Pick<RunSnapshot, "tree" | "parent">;
}

const isMarker = object<Marker>({
	fence: isNumber,
	folder: isFolderBelow,
	published: optional(
		object<Pick<RunSnapshot, "tree" | "parent">>({ tree: isObjectName, parent: optional(isObjectName) }),
	),
});

const name = "segment.json";

/** The note in the run's private folder; `undefined`: this host has never worked on the run. */
export async function readMarker(folder: string): Promise<Marker | undefined> {
	await mkdir(folder, { recursive: true, mode: 0o700 });
	return readFile(join(folder, name), "utf8").then(
		(text) => parseUntrusted(text, isMarker),
		() => undefined,
	);
}

/** Notes that this holder works there from now on; `published`: and has published everything. */
export async function writeMarker(
	{ folder: place, fence }: PostgresLedger,
	folder: string,
	published?: RunSnapshot,
): Promise<void> {
	const { tree, parent } = published ?? {};
	const marker: Marker = { fence, folder, ...(tree === undefined ? {} : { published: { tree, parent } }) };
	await writeFile(join(place, name), JSON.stringify(marker), { mode: 0o600 });
}
