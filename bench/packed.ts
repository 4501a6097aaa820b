// The package as people install it: packed from the working tree, its tarball installed into an empty folder. Made once per process.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { copyCheckout, installTarball, linkDependencies, pack } from "../test/harness/package-copy.ts";

const installed: { root?: string } = {};

/** Root folder of the installed package; it is removed when this process ends. */
export function installedPackage(): string {
	if (installed.root !== undefined) return installed.root;
	const base = mkdtempSync(join(tmpdir(), "chronicle-bench-"));
	process.on("exit", () => rmSync(base, { recursive: true, force: true }));
	const source = join(base, "source");
	copyCheckout(source);
	linkDependencies(source);
	const tarball = pack(source);
	installed.root = installTarball(tarball, join(base, "installed")).root;
	return installed.root;
}
