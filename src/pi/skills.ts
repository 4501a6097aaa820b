// The package's own skills. A user calls them, the model never does, so they are offered where there is a user: reading one costs every
// start of pi some milliseconds, and a start that only prints would pay for nothing.
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
