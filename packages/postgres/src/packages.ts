// The two packages that an engine needs. They are optional peers: they are imported when an engine is named, and their versions are checked then.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import type { Result } from "@pi-chronicle/core/ports";
import { attempt, packageRoot } from "pi-chronicle/local";

export type Pg = typeof import("pg").default;
export type Boss = typeof import("pg-boss");

/** The oldest version of each that works; a newer one of the same major version does, too. */
export const ENGINE_PACKAGES = { pg: "8.16.0", "pg-boss": "12.38.0" } as const;

const install = `npm install ${Object.entries(ENGINE_PACKAGES)
	.map(([name, oldest]) => `${name}@${oldest.split(".", 1)[0]}`)
	.join(" ")}`;

/** The folder whose `node_modules` hold this package, else the package itself. */
function installFolder(): string {
	const root = packageRoot();
	const parent = dirname(root);
	return basename(parent) === "node_modules" ? dirname(parent) : root;
}

/** Loads the two packages, or explains how to install them. */
export async function loadPackages(): Promise<Result<{ readonly pg: Pg; readonly boss: Boss }>> {
	const wrong = Object.entries(ENGINE_PACKAGES).flatMap(([name, oldest]) => {
		const version = versionOf(name);
		return version === undefined || isNewEnough(version, oldest)
			? []
			: [`${name} ${version} (needed: ${oldest} or a newer ${oldest.split(".", 1)[0]})`];
	});
	if (wrong.length > 0) return missing(`, and the wrong versions are installed: ${wrong.join(", ")}`);
	try {
		const [pg, boss] = await Promise.all([import("pg"), import("pg-boss")]);
		return { ok: true, value: { pg: pg.default, boss } };
	} catch (error) {
		const name = /'(pg(?:-boss)?)'/.exec((error as Error).message)?.[1];
		return missing(name === undefined ? `: ${(error as Error).message}` : `, and ${name} is not installed`);
	}
}

function missing(why: string): Result<never> {
	return {
		ok: false,
		failure: {
			reason: "no_package",
			message: `An engine needs the packages pg and pg-boss${why}.`,
			remedy: `Install them next to pi-chronicle, in ${installFolder()}: ${install} (add -g if it is installed globally).`,
		},
	};
}

/** Whether `version` has the major version of `oldest`, and is not older. */
export function isNewEnough(version: string, oldest: string): boolean {
	const [major = 0, minor = 0, patch = 0] = version.split(/[.+-]/).map(Number);
	const [wantedMajor = 0, wantedMinor = 0, wantedPatch = 0] = oldest.split(".").map(Number);
	return major === wantedMajor && (minor > wantedMinor || (minor === wantedMinor && patch >= wantedPatch));
}

/** The version of a package that would be loaded; `undefined`: there is none, or it does not say. */
function versionOf(name: string): string | undefined {
	let folder = attempt(() => dirname(createRequire(import.meta.url).resolve(name)));
	for (; folder !== undefined && folder !== dirname(folder); folder = dirname(folder)) {
		const text = attempt(() => readFileSync(join(folder ?? "", "package.json"), "utf8"));
		const read =
			text === undefined ? undefined : (attempt(() => JSON.parse(text)) as { name?: unknown; version?: unknown });
		if (read?.name === name) return typeof read.version === "string" ? read.version : undefined;
	}
	return undefined;
}
