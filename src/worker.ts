// The extension that a chronicle's worker process loads instead of extension.ts, and as small, for the same reason.
import { type ExtensionAPI, getAgentDir } from "@earendil-works/pi-coding-agent";

const start = await import("./worker-start.ts");

export default function worker(pi: ExtensionAPI): Promise<void> {
	return start.startWorker(pi, getAgentDir());
}
