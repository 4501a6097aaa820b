// Packages that are installed apart from this one, for who uses them: where they are looked for, and the command that installs them.
import { execFile } from "node:child_process";
import { basename, dirname } from "node:path";
import { promisify } from "node:util";
import { packageRoot } from "../pi/index.ts";

/** npm's global folder; `undefined`: npm does not say. */
export async function globalModules(): Promise<string | undefined> {
	const options = { timeout: 10_000, shell: process.platform === "win32" };
	const asked = await promisify(execFile)("npm", ["root", "-g"], options).catch(() => undefined);
	return asked?.stdout.trim() || undefined;
}

/** Installs the packages, as `name@version`, next to this one. */
export function installCommand(packages: readonly string[]): string {
	const parent = dirname(packageRoot());
	const isInstalled = basename(parent) === "node_modules" && basename(dirname(parent)) !== "lib";
	return `npm install ${isInstalled ? `--prefix '${dirname(parent)}'` : "-g"} ${packages.join(" ")}`;
}
