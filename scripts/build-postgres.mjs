// Bundles the package of engines into one file: core is part of it, pi-chronicle's public engine and the packages it depends on are not.
// Argument: the file.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { directImports } from "./direct-imports.mjs";

const packages = join(dirname(fileURLToPath(import.meta.url)), "..", "packages");
const external = ["pi-chronicle/local", "pg", "pg-boss"];

await build({
	entryPoints: [join(packages, "postgres", "src", "index.ts")],
	outfile: process.argv[2] ?? join(packages, "postgres", "dist", "index.js"),
	bundle: true,
	format: "esm",
	platform: "node",
	target: "node22.19",
	legalComments: "none",
	logLevel: "warning",
	plugins: [
		{
			name: "external",
			setup(build) {
				build.onResolve({ filter: /./ }, ({ path }) =>
					external.includes(path) ? { path, external: true } : undefined,
				);
			},
		},
		directImports(packages),
	],
});
