// Bundles the package into dist/ (or the folder named as argument): one file for each entry with all that a start needs, and beside it what is
// imported later. pi's own packages stay outside: pi supplies them.
// An entry is one file, because pi tries each file of an extension twice; code that both an entry and a later file use is in both: modules
// keep no state, so two copies are as good as one; what is imported later is there once, for sessions, workers and the command line;
// what a start needs asks for none of pi's packages, so that pi leaves it to Node, which is faster; what is imported later is imported
// through extension.ts and worker.ts of the package's root, a few lines that pi loads.
import { createHash } from "node:crypto";
import { readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createRequire, isBuiltin } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { directImports } from "./direct-imports.mjs";
import { writeNotices } from "./notices.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const source = join(root, "packages", "pi-chronicle", "src");
const outdir = resolve(root, process.argv[2] ?? "packages/pi-chronicle/dist");
// For Node, `yaml` offers CommonJS only, which asks for `process` at run time; its other build is the same code as modules.
const yaml = join(createRequire(import.meta.url).resolve("yaml/package.json"), "..", "browser", "index.js");
/** Not bundled: what pi supplies. */
const outside = /^(@earendil-works\/|typebox(\/|$))/;

const options = {
	absWorkingDir: root,
	outExtension: { ".js": ".mjs" },
	bundle: true,
	format: "esm",
	platform: "node",
	target: "node22.19",
	alias: { yaml },
	external: ["@earendil-works/*", "typebox", "typebox/*"],
	minifySyntax: true,
	minifyWhitespace: true,
	minifyIdentifiers: true,
	legalComments: "none",
	// The bundle names CommonJS modules by their paths: with links followed, by paths of the machine that built it.
	preserveSymlinks: true,
	logLevel: "warning",
	metafile: true,
};
/** Where the start keeps how the root imports a file, for those that Node imports: `(URL) → Promise of the module`. */
const told = 'globalThis[Symbol.for("pi-chronicle.import")]';
/** Every file that is part of the bundle, relative to the checkout. */
const inputs = new Set();

await rm(outdir, { recursive: true, force: true });
// `local` is what the package of engines imports.
await bundle(["start", "worker-start", "cli"], "later", [["local", join(source, "local", "public.ts")]]);
await dropBareImports();
await importWithPi();
await leaveToNode("start");
await leaveToNode("worker-start");
const own = JSON.parse(await readFile(join(source, "..", "package.json"), "utf8"));
writeNotices(inputs, { root, folder: outdir, own });

/** Bundles entries, and into `folder` everything that they, and what they import later, import later, and `more`: name of a file → its source. */
async function bundle(entries, folder, more = []) {
	const later = new Map(more);
	const entryPoints = Object.fromEntries(entries.map((name) => [name, join(source, `${name}.ts`)]));
	const plugins = (prefix) => [importLater(later, prefix), directImports(join(root, "packages"))];
	note(await build({ ...options, outdir, entryPoints, plugins: plugins(`./${folder}/`) }));
	for (let known = -1; known < later.size; ) {
		known = later.size;
		await rm(join(outdir, folder), { recursive: true, force: true });
		note(
			await build({
				...options,
				outdir: join(outdir, folder),
				entryPoints: Object.fromEntries(later),
				splitting: true,
				chunkNames: "shared-[hash]",
				plugins: plugins("./"),
			}),
		);
	}
}

/** A package that contributes no byte to a file is not part of it. */
function note({ metafile }) {
	for (const output of Object.values(metafile.outputs))
		for (const [file, { bytesInOutput }] of Object.entries(output.inputs)) if (bytesInOutput > 0) inputs.add(file);
}

/** Leaves what is imported later out of the file and notes it in `later`: name of its file → what it is made of. */
function importLater(later, prefix) {
	return {
		name: "import-later",
		setup({ onResolve }) {
			onResolve({ filter: /./ }, ({ path, importer, kind }) => {
				if (kind !== "dynamic-import" || isBuiltin(path) || outside.test(path)) return undefined;
				const own = path.startsWith(".");
				const file = own ? resolve(dirname(importer), path) : path;
				const words = (own ? relative(source, file).replace(/\.ts$/, "") : file).replace(/(.)[/\\]index$/, "$1");
				const name = words.replaceAll(/[^\w]+/g, "-").replace(/^-/, "");
				if ((later.get(name) ?? file) !== file)
					throw new Error(`${importer} imports ${file} later, but ${name}.mjs is ${later.get(name)}`);
				later.set(name, file);
				return { path: `${prefix}${name}.mjs`, external: true };
			});
		},
	};
}

/**
 * A file that is reached through an index keeps a bare import of everything behind that index, so that side effects would come in
 * order. No module of the bundle has any, and with those imports every pi would load all of it at its start.
 */
async function dropBareImports() {
	for (const file of await bundled()) {
		const code = await readFile(file, "utf8");
		const [imports = ""] = /^(?:import[^;"']*(?:"[^"]*"|'[^']*');\s*)*/.exec(code) ?? [];
		const bound = imports.replaceAll(/import"\.[^"]*";/g, "");
		if (bound !== imports) await writeFile(file, bound + code.slice(imports.length));
	}
}

/**
 * pi supplies its packages only to files that it loads itself; a file that Node can import without them it leaves to Node, with all that
 * this file imports later. So a file that needs none of pi's packages now, and imports one later that does, imports that one as
 * the start does, by what the root has told it; on the command line, which loads no such file, nothing is told.
 */
async function importWithPi() {
	const files = new Map();
	for (const file of await bundled()) {
		const code = await readFile(file, "utf8");
		if (/import\("(?:@earendil-works\/|typebox["/])/.test(code))
			throw new Error(`${file} imports a package of pi later: import it at once, in a file that is imported later`);
		const now = [...code.matchAll(/(?:from|import)"(\.[^"]+\.mjs)"/g)].map(([, path]) => resolve(dirname(file), path));
		files.set(file, { code, now, hosted: /(?:from|import)"(?:@earendil-works\/|typebox["/])/.test(code) });
	}
	const needsPi = (file, seen = new Set()) => {
		if (seen.has(file)) return false;
		seen.add(file);
		const { now, hosted } = files.get(file);
		return hosted || now.some((other) => needsPi(other, seen));
	};
	for (const [file, { code }] of files) {
		if (dirname(file) === outdir || needsPi(file)) continue;
		const text = code.replaceAll(/\bimport\(("\.[^"]+\.mjs")\)/g, (whole, path) =>
			needsPi(resolve(dirname(file), JSON.parse(path))) ? `$import(new URL(${path},import.meta.url).href)` : whole,
		);
		if (text !== code) await writeFile(file, `const $import=url=>(${told}??(url=>import(url)))(url);${text}`);
	}
}

/**
 * Lets the entry `name` import later files by what the root has told it, once each. Its file is named after its content: Node keeps what it
 * has once read, and a person's /reload after an update must not mix old and new.
 */
async function leaveToNode(name) {
	const file = join(outdir, `${name}.mjs`);
	const code = await readFile(file, "utf8");
	const later = [
		"let $load=path=>import(path);const $loaded=new Map();",
		// Called anew by each /reload.
		`export const loadWith=by=>{$load=${told}=by;$loaded.clear()};`,
		// What fails to load is tried again when it is next asked for.
		"const $later=path=>{if(!$loaded.has(path))$loaded.set(path,$load(path).catch(error=>{$loaded.delete(path);throw error}));",
		"return $loaded.get(path)};",
	];
	const text = later.join("") + code.replaceAll('import("./later/', '$later("./later/');
	await writeFile(file, text);
	const hash = createHash("sha256").update(text).digest("hex").slice(0, 8);
	await rename(file, join(outdir, `${name}-${hash}.mjs`));
}

async function bundled() {
	return (await readdir(outdir, { recursive: true }))
		.filter((name) => name.endsWith(".mjs"))
		.map((name) => join(outdir, name));
}
