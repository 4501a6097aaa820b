// Bundles the entry points into dist/ (or the folder named as argument) as lazily split .mjs files. pi's own packages stay
// outside: pi supplies them.
import { rm } from "node:fs/promises";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const entries = ["extension", "worker", "cli"];
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
	external: ["@earendil-works/*", "typebox", "typebox/*"],
	minifySyntax: true,
	minifyWhitespace: true,
	legalComments: "none",
	logLevel: "warning",
});
