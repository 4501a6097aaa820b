// Packs each package as npm publishes it, and examines the tarballs.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "pi-chronicle-shape-"));
try {
	const options = { stdio: ["ignore", "ignore", "inherit"] };
	execFileSync("npm", ["pack", "--workspaces", "--loglevel=error", `--pack-destination=${folder}`], options);
	for (const name of readdirSync(folder))
		execFileSync("publint", ["--strict", join(folder, name)], { stdio: "inherit" });
} finally {
	rmSync(folder, { recursive: true, force: true });
}
