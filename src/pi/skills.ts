// The package's own skills. Only users call them, so only sessions with a screen get them: reading one costs some milliseconds at start.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { packageRoot } from "./own-package.ts";

/** Adds the skills of the package to sessions with a screen (terminal and RPC); a copy without them, as rehearsals use, adds none. */
export function offerSkills(pi: ExtensionAPI): void {
	pi.on("resources_discover", (_event, ctx) => {
		if (!ctx.hasUI) return undefined;
		const folder = join(packageRoot(), "skills");
		return existsSync(folder) ? { skillPaths: [folder] } : undefined;
	});
}
