// A wrapper around git on PATH, for tests of what happens while git runs.
import { spawnSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openFolder } from "../../harness/folder.ts";
import { closeLater } from "../../harness/lifetime.ts";

const { PATH = "" } = process.env;

/** Puts a `git` before the real one, until the test ends, that runs `script` first; `$@` are git's own arguments, `$real` is git. */
export function wrapGit(script: string): void {
	const folder = openFolder();
	const real = spawnSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).stdout.trim();
	writeFileSync(join(folder, "git"), `#!/bin/sh\nreal=${real}\n${script}\nexec $real "$@"\n`);
	chmodSync(join(folder, "git"), 0o755);
	process.env.PATH = `${folder}:${PATH}`;
	closeLater(unwrapGit);
}

/** Lets the real git be found again. */
export function unwrapGit(): void {
	process.env.PATH = PATH;
}
