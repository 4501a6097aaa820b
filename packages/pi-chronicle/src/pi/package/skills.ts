// The package's own skills. Only users call them, so only sessions with a screen get them; reading a skill costs a few milliseconds at
// startup.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { packageRoot } from "./own-package.ts";

/** Adds the package's skills to sessions with a screen (terminal and RPC). A copy without skills, as in rehearsals, adds none. */
export function offerSkills(pi: ExtensionAPI): void {
	pi.on("resources_discover", (_event, ctx) => {
		if (!ctx.hasUI) return undefined;
		const folder = join(packageRoot(), "skills");
		return existsSync(folder) ? { skillPaths: [folder] } : undefined;
	});
}
