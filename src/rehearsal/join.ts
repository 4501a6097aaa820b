// The way into a rehearsal for a process of pi. Apart from player.ts, so that what only conducts a rehearsal never loads pi's model library.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

/** Joins the rehearsal that the call sheet at `path` (absolute) belongs to: the understudy becomes a model of this pi. */
export async function joinRehearsal(pi: ExtensionAPI, path: string): Promise<void> {
	const { takePart } = await import("./player.ts");
	takePart(pi, path);
}
