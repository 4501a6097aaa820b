// The extension that a chronicle's worker process loads instead of extension.ts.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

export default function worker(pi: ExtensionAPI): void | Promise<void> {
	// Set only in the processes of a rehearsal; no other worker ever learns of the understudy.
	const callSheet = process.env.PI_CHRONICLE_REHEARSAL;
	if (callSheet) return import("./rehearsal/index.ts").then(({ joinRehearsal }) => joinRehearsal(pi, callSheet));
}
