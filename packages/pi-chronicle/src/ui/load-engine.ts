// Loads the package of engines, which is installed apart. Nothing of it is loaded before an engine is named.
// Its version is this package's: the two share code.
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { errorMessage } from "@pi-chronicle/core/definition";
import type { Result } from "@pi-chronicle/core/ports";
import { attempt } from "../disk/index.ts";
import { packageRoot, packageVersion } from "../pi/index.ts";

export type Engine = typeof import("@pi-chronicle/postgres");

const PACKAGE = "@pi-chronicle/postgres";

/** Loads it from next to this package, or from npm's global folder; else explains how to install it. */
export async function loadEngine(): Promise<Result<Engine>> {
	const beside = attempt(() => createRequire(import.meta.url).resolve(`${PACKAGE}/package.json`));
	const manifest = beside ?? (await globalManifest());
	if (manifest === undefined) return missing("which is not installed");
	const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { readonly version?: unknown };
	if (version !== packageVersion()) return missing(`and ${version} is installed in ${dirname(manifest)}`);
	try {
		return { ok: true, value: await import(pathToFileURL(createRequire(manifest).resolve(PACKAGE)).href) };
	} catch (error) {
		return missing(`which cannot be loaded: ${errorMessage(error)}`);
	}
}

/** Path of its package.json in npm's global folder. */
async function globalManifest(): Promise<string | undefined> {
	const options = { timeout: 10_000, shell: process.platform === "win32" };
	const asked = await promisify(execFile)("npm", ["root", "-g"], options).catch(() => undefined);
	const manifest = asked && join(asked.stdout.trim(), PACKAGE, "package.json");
	return manifest !== undefined && existsSync(manifest) ? manifest : undefined;
}

function missing(why: string): Result<never> {
	return {
		ok: false,
		failure: {
			reason: "no_package",
			message: `An engine needs the package ${PACKAGE} ${packageVersion()}, ${why}.`,
			remedy: `Install it with \`npm install ${place()} ${PACKAGE}@${packageVersion()}\`.`,
		},
	};
}

/** Where npm installs it next to this package. */
function place(): string {
	const parent = dirname(packageRoot());
	const isInstalled = basename(parent) === "node_modules" && basename(dirname(parent)) !== "lib";
	return isInstalled ? `--prefix '${dirname(parent)}'` : "-g";
}
