// A checkout's sources as JavaScript, compiled once for each state of the sources and kept in node_modules/.cache: pi's own loader would
// compile them at every start. No development tool is needed: Node takes the types out. A published package has no sources and no use for this.
// A folder of the cache is complete or absent: it is written under another name and renamed; one that another process may still load
// from is left alone for a day.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { errorMessage } from "../packages/core/src/definition/error-message.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const own = join(root, "packages", "pi-chronicle");
const cache = join(own, "node_modules", ".cache", "pi-chronicle");
const day = 24 * 3_600_000;

/**
 * The folder, as a URL that ends in a slash, with one `.mjs` for each source; what every pi loads is linked into one. Compiles where there is none yet and says so on standard error.
 * `undefined` where it cannot be made (a read-only checkout, a pi without Node): then the sources themselves have to be loaded.
 */
export function compiledSources(): URL | undefined {
	if (process.versions.bun !== undefined) return undefined;
	try {
		const folder = join(cache, stateOfSources());
		if (!existsSync(folder)) compile(folder);
		return pathToFileURL(join(folder, "pi-chronicle", "src") + sep);
	} catch (error) {
		process.stderr.write(
			`pi-chronicle: its sources could not be compiled, so each start takes longer: ${errorMessage(error)}\n`,
		);
		return undefined;
	}
}

/** A digest of names, sizes and times of all sources, and of what compiles them. */
function stateOfSources(): string {
	return createHash("sha256")
		.update(
			[...["footprint", "core", "postgres", "pi-chronicle"].map((name) => `packages/${name}/src`), "scripts"]
				.map(stateOf)
				.join(""),
		)
		.digest("hex")
		.slice(0, 16);
}

/** One line per source below `folder`. Each start pays for this: 'recursive' of `readdirSync` would take as long again. */
function stateOf(folder: string): string {
	let state = "";
	for (const entry of readdirSync(root + folder, { withFileTypes: true })) {
		const path = `${folder}/${entry.name}`;
		if (entry.isDirectory()) state += stateOf(path);
		else if (entry.isFile() && /\.m?[jt]s$/.test(path)) {
			const { size, mtimeMs } = statSync(root + path);
			state += `${path}\0${size}\0${mtimeMs}\n`;
		}
	}
	return state;
}

function compile(folder: string): void {
	process.stderr.write("pi-chronicle: compiling its sources, once after each change of them.\n");
	const draft = `${folder}.${process.pid}`;
	mkdirSync(draft, { recursive: true });
	try {
		const script = join(root, "scripts", "compile-sources.mjs");
		const done = spawnSync(process.execPath, ["--no-warnings", script, draft], { encoding: "utf8" });
		if (done.status !== 0) throw new Error(done.error?.message ?? done.stderr.trim().split("\n").at(-1));
		try {
			renameSync(draft, folder);
		} catch (error) {
			// Another process was faster.
			if (!existsSync(folder)) throw error;
		}
	} finally {
		rmSync(draft, { recursive: true, force: true });
	}
	for (const name of readdirSync(cache)) {
		const other = join(cache, name);
		if (other !== folder && Date.now() - statSync(other).mtimeMs > day) rmSync(other, { recursive: true, force: true });
	}
}
