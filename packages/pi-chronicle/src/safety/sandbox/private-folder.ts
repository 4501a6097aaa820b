// Private folders of processes that use a sandbox. All of them are in one folder per user: the sandbox hides it with one mount, however many
// processes were killed before they could remove theirs.
import { lstatSync, mkdirSync, mkdtempSync, rmdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { attempt, folderNames } from "../../disk/index.ts";

/** How the folder of each user begins; the layout hides these names. */
const start = "pi-chronicle-box-";

/** Milliseconds after which the folder of a process that is gone is removed: its number may be one of another container. */
const oldMs = 24 * 3_600_000;

/** Makes a folder below `base`, a temporary folder, which is removed when this process ends. */
export function makeBoxFolder(base: string): string {
	const uid = process.getuid?.();
	const all = join(base, `${start}${uid ?? "user"}`);
	attempt(() => mkdirSync(all, { mode: 0o700 }));
	const found = attempt(() => lstatSync(all));
	// Somebody else may have made it, to read what is put there.
	const isOwn = found?.isDirectory() === true && (uid === undefined || found.uid === uid);
	if (isOwn) {
		removeAbandoned(all, "");
		// Those of earlier versions, and of processes that could not use the folder of all: each costs a mount.
		removeAbandoned(base, start, basename(all));
	}
	// The last process of another moment may just have removed it.
	const within = isOwn ? attempt(() => mkdtempSync(join(all, `${process.pid}-`))) : undefined;
	const folder = within ?? mkdtempSync(join(base, start));
	process.once("exit", () => {
		rmSync(folder, { recursive: true, force: true });
		// Stays while another process has a folder in it.
		if (within !== undefined) attempt(() => rmdirSync(all));
	});
	return folder;
}

function removeAbandoned(all: string, prefix: string, except?: string): void {
	for (const name of folderNames(all)) {
		if (!name.startsWith(prefix) || name === except) continue;
		const pid = Number(/^(\d+)-/.exec(name)?.[1]);
		const folder = join(all, name);
		const isOld = (attempt(() => lstatSync(folder).mtimeMs) ?? Number.POSITIVE_INFINITY) < Date.now() - oldMs;
		if (isOld && !(pid > 0 && attempt(() => process.kill(pid, 0))))
			attempt(() => rmSync(folder, { recursive: true, force: true }));
	}
}
