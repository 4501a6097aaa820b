// Asked before anything is imported that could be missing: whether this Node and this checkout can run. It imports nothing but Node's own
// modules and is plain JavaScript, so that an old Node in a fresh clone can read it.
// As a program (`node scripts/installed.mjs`) it also asks for the development tools, and exits with 2 where something is missing.
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
/** The packages without which nothing runs; what an engine needs is asked for where one is named. */
const parts = ["footprint", "core", "pi-chronicle"];

/** Says what is missing and how to get it; `undefined` if nothing is. `tools`: packages that are needed besides the dependencies. */
export function whatIsMissing(tools = []) {
	const absent = parts
		.map((name) => join(root, "packages", name))
		.flatMap((folder) => needs(folder).filter((name) => !isInstalled(folder, name)));
	const missing = [...new Set([...absent, ...tools.filter((name) => !isInstalled(root, name))])];
	if (missing.length > 0)
		return `pi-chronicle runs from its sources here, and packages that it needs are not installed (${missing.join(", ")}): run npm ci in ${root}`;
	const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
	if (major > 22 || (major === 22 && minor >= 19)) return undefined;
	return `pi-chronicle needs Node 22.19 or newer, as pi does; this is ${process.version}. Use its npm scripts, which bring their Node along, or update Node (https://nodejs.org).`;
}

/** For the files that pi loads: throws what is missing, which pi shows before it exits; with 2, as the command does. */
export function assertInstalled() {
	const missing = whatIsMissing();
	if (missing === undefined) return;
	process.once("exit", (code) => {
		if (code === 1) process.exitCode = 2;
	});
	throw new Error(missing);
}

function needs(folder) {
	const manifest = join(folder, "package.json");
	return existsSync(manifest) ? Object.keys(JSON.parse(readFileSync(manifest, "utf8")).dependencies ?? {}) : [];
}

/** Whether Node finds the package `name` from `folder`. */
function isInstalled(folder, name) {
	if (existsSync(join(folder, "node_modules", name, "package.json"))) return true;
	return dirname(folder) !== folder && isInstalled(dirname(folder), name);
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
	const missing = whatIsMissing(process.argv.slice(2));
	if (missing) console.error(missing);
	process.exitCode = missing ? 2 : 0;
}
