// This host's note about a run's folder: whether it was the last host that worked there.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { PostgresLedger } from "./held.ts";

/** A host's note about a run's folder. */
export interface Marker {
	/** The fence under which this host worked in it last. */
	readonly fence: number;
	/** The folder that the run works in, below the root of its working folder. */
	readonly folder: string;
}

const name = "segment.json";

/** The note in the run's private folder; `undefined`: this host has never worked on the run. */
export async function readMarker(folder: string): Promise<Marker | undefined> {
	await mkdir(folder, { recursive: true, mode: 0o700 });
	return readFile(join(folder, name), "utf8").then(
		(text) => JSON.parse(text) as Marker,
		() => undefined,
	);
}

/** Notes that this holder works there from now on. */
export async function writeMarker({ folder: place, fence }: PostgresLedger, folder: string): Promise<void> {
	await writeFile(join(place, name), JSON.stringify({ fence, folder } satisfies Marker), { mode: 0o600 });
}
