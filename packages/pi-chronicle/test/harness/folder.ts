// A temporary folder that is removed when the test or the file ends: for tests that need the disk and no pi.
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { closeLater } from "./lifetime.ts";
import { type Files, writeFiles } from "./project.ts";

/** Makes a folder that holds `files` and returns its real path. */
export function openFolder(files: Files = {}): string {
	const folder = realpathSync(mkdtempSync(join(tmpdir(), "chronicle-test-")));
	writeFiles(folder, files);
	closeLater(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
	return folder;
}
