// Before and after `npm pack` of a package: `before` compiles it and names the compiled files in its manifest, `after` restores the manifest.
// In the checkout a package is its sources, so that nothing has to be built while one works on it. Run in the package's folder.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const name = basename(process.cwd());
/** What the package that users install takes from the checkout. */
const shared = ["README.md", "CHANGELOG.md", "LICENSE", "SECURITY.md", "docs", "examples"];
/** What the bundler says about the bundle, beside it. */
const notices = ["THIRD-PARTY-NOTICES", "sbom.cdx.json"];
const kept = "package.json.orig";

if (process.argv[2] === "before") {
	const text = readFileSync("package.json", "utf8");
	if (name === "pi-chronicle") for (const one of shared) cpSync(join(root, one), one, { recursive: true });
	else cpSync(join(root, "LICENSE"), "LICENSE");
	const bundler = { "pi-chronicle": "build.mjs", postgres: "build-postgres.mjs" }[name];
	if (bundler) execFileSync(process.execPath, [join(root, "scripts", bundler)], { stdio: "inherit" });
	else execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", "."], { stdio: "inherit" });
	if (name === "pi-chronicle") for (const one of notices) renameSync(join("dist", one), one);
	const manifest = JSON.parse(text);
	if (name === "pi-chronicle") {
		// The bundle has all that it needs.
		delete manifest.dependencies;
		manifest.exports["./local"] = "./dist/later/local.mjs";
	}
	if (name === "postgres") manifest.exports["."] = "./dist/index.js";
	delete manifest.devDependencies;
	const compiled = (path) => path.replace("./src/", "./dist/").replace(/\.ts$/, ".js");
	for (const [as, path] of Object.entries(manifest.exports ?? {}))
		if (path.startsWith("./src/"))
			manifest.exports[as] = { types: compiled(path).replace(/\.js$/, ".d.ts"), default: compiled(path) };
	renameSync("package.json", kept);
	writeFileSync("package.json", `${JSON.stringify(manifest, null, "\t")}\n`);
} else {
	if (existsSync(kept)) renameSync(kept, "package.json");
	for (const one of name === "pi-chronicle" ? [...shared, ...notices] : ["LICENSE"])
		rmSync(one, { recursive: true, force: true });
}
