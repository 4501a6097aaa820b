// Copies of the package for its tests: the tree without ignored files, packed, installed; and the commands that pi offers with each.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import {
	copyCheckout,
	fixtureExtension,
	installTarball,
	linkDependencies,
	openBench,
	openFolder,
	pack,
} from "./harness/index.ts";

/** Paths of the copies: all lie below `base`, and `installed` is the package in its folder of `node_modules`. */
export interface PackageCopies {
	readonly base: string;
	readonly tree: string;
	readonly tarball: string;
	readonly installed: string;
}

/** Copies the tree, packs it, and installs the tarball. */
export function openPackageCopies(): PackageCopies {
	const base = openFolder();
	const tree = join(base, "tree");
	copyCheckout(tree);
	linkDependencies(tree);
	const tarball = pack(tree);
	return { base, tree, tarball, installed: installTarball(tarball, join(base, "empty")) };
}

/** What a start from sources says when it has to compile them. */
export const compiling = "pi-chronicle: compiling its sources, once after each change of them.\n";

/** Commands of the probe and of pi's own extensions, which load where pi discovers by itself. */
export const notOurs = new Set(["probe", "llama", "mcp"]);

/** Starts pi with `-e <path>` in `cwd` and returns the commands of this package that it offers; fails on any error. */
export async function offered(path: string, cwd?: string, says: unknown = ""): Promise<string[]> {
	const { rpc } = await openBench();
	const pi = await rpc({
		package: path,
		extensions: [fixtureExtension("probe")],
		...(cwd === undefined ? {} : { cwd }),
	});
	const report = await pi.probe();
	expect(pi.eventsOf("extension_error")).toEqual([]);
	expect(pi.stderr).toEqual(says);
	return report.commands.map(({ name }) => name).filter((name) => !notOurs.has(name));
}

/** Paths of all files below a folder, sorted. */
export function filesOf(folder: string): string[] {
	return readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
		.sort();
}
