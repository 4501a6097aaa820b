// Compiles every source into the folder named as argument: types taken out, imports led past the indexes, what is imported later imported by
// what the package's root gives to `loadWith`, as in the bundle. See compiled-sources.ts.
// Node must not find pi's packages from there, else it would load them a second time, for half a second; so packages of their names
// lie beside the files whose one module does not exist: Node gives up there, and pi supplies its own.
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { stripTypeScriptTypes } from "node:module";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { directImporter } from "./direct-imports.mjs";
import { linkModules } from "./link-modules.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const source = join(root, "packages");
const compiled = ["footprint", "core", "postgres", "pi-chronicle"].map((name) => join(source, name, "src"));
const entries = join(source, "pi-chronicle", "src");
const target = resolve(process.argv[2]);
const rewrite = directImporter();
const staticImport = /((?:^|; )(?:import|export)\b[^"'();]*?(?:\bfrom\s*)?)"([./][^"]*\.ts)"/gm;
const laterImport = /\bimport\("(\.[^"]*\.ts)"\)/g;
const loader = join(target, "load-later.mjs");

const { peerDependencies } = JSON.parse(await readFile(join(root, "packages", "pi-chronicle", "package.json"), "utf8"));
// The other peers are an engine's, and Node finds them.
for (const name of Object.keys(peerDependencies).filter((name) => /^(@earendil-works\/|typebox$)/.test(name))) {
	const folder = join(target, "node_modules", name);
	await mkdir(folder, { recursive: true });
	await writeFile(join(folder, "package.json"), JSON.stringify({ name, exports: "./supplied-by-pi.mjs" }));
}
await writeFile(
	loader,
	`let load = (url) => import(url);
const loaded = new Map();
// Called anew by each /reload.
export const loadWith = (by) => { load = by; loaded.clear(); };
// What fails to load is tried again when it is next asked for.
export const loadLater = (url) => {
	if (!loaded.has(url)) loaded.set(url, load(url).catch((error) => { loaded.delete(url); throw error; }));
	return loaded.get(url);
};
`,
);
for (const folder of compiled)
	for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
		if (entry.isFile() && entry.name.endsWith(".ts")) await compile(join(entry.parentPath, entry.name));
// What every pi loads.
for (const entry of ["start.ts", "worker-start.ts"]) await linkModules(compiledPath(join(entries, entry)), [loader]);

async function compile(path) {
	const file = compiledPath(path);
	const direct = await rewrite(path, await readFile(path, "utf8"));
	const to = (from) => specifier(file, compiledPath(resolve(dirname(path), from)));
	const code = stripTypeScriptTypes(direct)
		.replaceAll(staticImport, (_all, head, from) => `${head}"${to(from)}"`)
		.replaceAll(laterImport, (_all, from) => `loadLater(new URL("${to(from)}", import.meta.url).href)`);
	const imports = code.includes("loadLater(new URL") ? `import { loadLater } from "${specifier(file, loader)}";` : "";
	const entry = dirname(path) === entries ? `export { loadWith } from "${specifier(file, loader)}";\n` : "";
	await mkdir(dirname(file), { recursive: true });
	await writeFile(file, imports + code + entry);
}

function compiledPath(path) {
	return join(target, relative(source, path).replace(/\.ts$/, ".mjs"));
}

function specifier(from, to) {
	const path = relative(dirname(from), to).split(sep).join("/");
	return path.startsWith(".") ? path : `./${path}`;
}
