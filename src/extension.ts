// The pi extension. It is small and asks for one of pi's packages, so pi has to load it; start.ts asks for none, so pi leaves that to
// Node, which is faster. What start.ts imports later may need pi's packages again.
import { type ExtensionAPI, getAgentDir } from "@earendil-works/pi-coding-agent";

const start = await import("./start.ts");

export default function chronicle(pi: ExtensionAPI): void | Promise<void> {
	return start.startSession(pi, getAgentDir());
}
