// Loads the package of engines, which is installed apart. Nothing of it is loaded before an engine is named.
// Its version is this package's: the two share code.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { errorMessage } from "@pi-chronicle/core/definition";
import type { Result } from "@pi-chronicle/core/ports";
import { attempt } from "../disk/index.ts";
import { packageVersion } from "../pi/index.ts";
import { globalModules, installCommand } from "./installed-apart.ts";

export type Engine = typeof import("@pi-chronicle/postgres");

const PACKAGE = "@pi-chronicle/postgres";

/** Loads it from next to this package, or from npm's global folder; else explains how to install it. */
export async function loadEngine(): Promise<Result<Engine>> {
	const beside = attempt(() => createRequire(import.meta.url).resolve(`${PACKAGE}/package.json`));
	const manifest = beside ?? (await globalManifest());
	if (manifest === undefined) return missing("which is not installed");
	const version = packageVersion(dirname(manifest));
	if (version !== packageVersion()) return missing(`and ${version} is installed in ${dirname(manifest)}`);
	try {
		return { ok: true, value: await import(pathToFileURL(createRequire(manifest).resolve(PACKAGE)).href) };
	} catch (error) {
		return missing(`which cannot be loaded: ${errorMessage(error)}`);
	}
}

/** Path of its package.json in npm's global folder. */
async function globalManifest(): Promise<string | undefined> {
	const modules = await globalModules();
	const manifest = modules && join(modules, PACKAGE, "package.json");
	return manifest !== undefined && existsSync(manifest) ? manifest : undefined;
}

function missing(why: string): Result<never> {
	return {
		ok: false,
		failure: {
			reason: "no_package",
			message: `An engine needs the package ${PACKAGE} ${packageVersion()}, ${why}.`,
			remedy: `Install it with \`${installCommand([`${PACKAGE}@${packageVersion()}`])}\`.`,
		},
	};
}
