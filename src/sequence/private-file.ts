// A session that holds a recording holds what was typed: nobody else on the machine may read it. pi writes its files with the modes that the
// user's umask allows.
import { chmodSync } from "node:fs";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";

/** The mode of every file that keeps what a user typed. */
const privateMode = 0o600;

/** Takes everybody else's rights from the session's file, where it is on disk already. */
export function protectSession({ sessionManager }: Pick<ExtensionContext, "sessionManager">): void {
	const file = sessionManager.getSessionFile();
	if (file === undefined) return;
	try {
		chmodSync(file, privateMode);
	} catch {
		// Not written yet, or on a file system without modes.
	}
}
