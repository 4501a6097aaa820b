// Makes the file of a session with a recording private, because it contains text that the user typed. pi writes its files with the modes
// that the user's umask allows.
import { chmodSync } from "node:fs";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { attempt } from "../disk/index.ts";

/** Removes all other users' permissions on the session's file, if it is on disk already and its file system has modes. */
export function protectSession({ sessionManager }: Pick<ExtensionContext, "sessionManager">): void {
	const file = sessionManager.getSessionFile();
	if (file !== undefined) attempt(() => chmodSync(file, 0o600));
}
