// The name of a project's folders below pi's agent folder: readable, and unique for the project's real path.
import { createHash } from "node:crypto";
import { basename, join } from "node:path";
import { deepestRealPath } from "../../../disk/index.ts";
import { logCopiesRoot } from "../ledger/index.ts";

/** `my-app-1f2e3d4c`. `cwd`: the project's folder. */
export function projectFolderName(cwd: string): string {
	const real = deepestRealPath(cwd);
	const name = basename(real)
		.normalize("NFKD")
		.toLowerCase()
		.replace(/[^a-z0-9]+/g, "-")
		.replace(/^-+|-+$/g, "")
		.slice(0, 20)
		.replace(/-$/, "");
	const hash = createHash("sha256").update(real).digest("hex").slice(0, 8);
	return name === "" ? hash : `${name}-${hash}`;
}

/** The folder of the copies of a project's logs. `cwd`: the project's folder. */
export function logCopiesFolder(agentFolder: string, cwd: string): string {
	return join(logCopiesRoot(agentFolder), projectFolderName(cwd));
}
