// The package as people install it: packed from the working tree and its tarball installed into an empty folder, or a checkout with the runtime
// dependencies alone, as pi installs it from git.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
	copyCheckout,
	installRuntimeDependencies,
	installTarball,
	linkDependencies,
	pack,
} from "../test/harness/package-copy.ts";

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

/** Root folder of a checkout without development tools; it is removed when this process ends. */
export function clonedCheckout(): string {
	const root = mkdtempSync(join(tmpdir(), "chronicle-bench-"));
	process.on("exit", () => rmSync(root, { recursive: true, force: true }));
	copyCheckout(root);
	installRuntimeDependencies(root);
	return root;
}
