// Bundles the entry points into dist/ (or the folder named as argument) as lazily split .mjs files. pi's own packages stay
// outside: pi supplies them.
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const entries = ["extension", "worker", "cli"];
// For Node, `yaml` offers CommonJS only, which asks for `process` at run time; its other build is the same code as modules.
const yaml = join(createRequire(import.meta.url).resolve("yaml/package.json"), "..", "browser", "index.js");
const outdir = resolve(root, process.argv[2] ?? "dist");

await rm(outdir, { recursive: true, force: true });
await build({
	absWorkingDir: root,
	entryPoints: Object.fromEntries(entries.map((name) => [name, `src/${name}.ts`])),
	outdir,
	outExtension: { ".js": ".mjs" },
	chunkNames: "chunks/[name]-[hash]",
	bundle: true,
	splitting: true,
	format: "esm",
	platform: "node",
	target: "node22.19",
	alias: { yaml },
	external: ["@earendil-works/*", "typebox", "typebox/*"],
	minifySyntax: true,
	minifyWhitespace: true,
	legalComments: "none",
	logLevel: "warning",
});

// A file that is reached through an index keeps a bare import of everything behind that index, so that side effects would come in
// order. No module of the bundle has any, and with those imports every pi would load all of it at its start.
for (const name of await readdir(outdir, { recursive: true })) {
	if (!name.endsWith(".mjs")) continue;
	const code = await readFile(join(outdir, name), "utf8");
	const [imports = ""] = /^(?:import[^;"']*(?:"[^"]*"|'[^']*');\s*)*/.exec(code) ?? [];
	const bound = imports.replaceAll(/import"\.[^"]*";/g, "");
	if (bound !== imports) await writeFile(join(outdir, name), bound + code.slice(imports.length));
}
