// The package as users install it: packed from the working tree and installed into an empty folder, or a checkout with runtime dependencies
// only, as pi installs it from git.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
	copyCheckout,
	installRuntimeDependencies,
	installTarball,
	linkDependencies,
	pack,
} from "../packages/pi-chronicle/test/harness/package-copy.ts";

const installed: { root?: string } = {};

/** Root folder of the installed package; removed when this process exits. */
export function installedPackage(): string {
	if (installed.root !== undefined) return installed.root;
	const base = mkdtempSync(join(tmpdir(), "chronicle-bench-"));
	process.on("exit", () => rmSync(base, { recursive: true, force: true }));
	const source = join(base, "source");
	copyCheckout(source);
	linkDependencies(source);
	const tarball = pack(source);
	installed.root = installTarball(tarball, join(base, "installed"));
	return installed.root;
}

/** Root folder of a checkout without development dependencies; removed when this process exits. */
export function clonedCheckout(): string {
	const root = mkdtempSync(join(tmpdir(), "chronicle-bench-"));
	process.on("exit", () => rmSync(root, { recursive: true, force: true }));
	copyCheckout(root);
	installRuntimeDependencies(root);
	return root;
}
