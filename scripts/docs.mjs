// Fills the generated sections of the documents (`--write`), or says which are stale and ends with 1.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { readDocument, rewriteGenerated } from "../packages/pi-chronicle/test/docs/blocks.ts";
import { documentPaths } from "../packages/pi-chronicle/test/docs/documents.ts";
import { references } from "./references.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const write = process.argv.includes("--write");
const texts = new Map();
let stale = 0;

for (const path of documentPaths(root)) {
	const source = readFileSync(`${root}${path}`, "utf8");
	const { generated } = readDocument(path, source);
	for (const { name, line } of generated) {
		const generator = references[name];
		if (!generator) throw new Error(`${path}:${line}: no generator is called "${name}" (scripts/references.ts)`);
		if (!texts.has(name)) texts.set(name, await generator());
	}
	const fresh = rewriteGenerated(source, (name) => texts.get(name));
	if (fresh === source) continue;
	stale += 1;
	console.log(`${write ? "wrote" : "stale"} ${path}`);
	if (write) writeFileSync(`${root}${path}`, fresh);
}
if (stale > 0 && !write) {
	console.log("Run `npm run docs`.");
	process.exitCode = 1;
}
