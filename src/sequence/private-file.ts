// Makes the file of a session with a recording private, because it contains text that the user typed. pi writes its files with the modes
// that the user's umask allows.
import { chmodSync } from "node:fs";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";

/** The mode of every file that contains a user's typed text. */
const privateMode = 0o600;

/** Removes all other users' permissions on the session's file, if it is on disk already. */
export function protectSession({ sessionManager }: Pick<ExtensionContext, "sessionManager">): void {
	const file = sessionManager.getSessionFile();
	if (file === undefined) return;
	try {
		chmodSync(file, privateMode);
	} catch {
		// Not written yet, or on a file system without modes.
	}
}
