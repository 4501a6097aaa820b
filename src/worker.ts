// The extension that a chronicle's worker process loads instead of extension.ts.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

export default function worker(_pi: ExtensionAPI): void {}
