#!/usr/bin/env node
// The command `pi-chronicle`: the bundle in a published package, else the sources (Node strips the types).
import { existsSync } from "node:fs";

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
	console.error(`pi-chronicle needs Node 22.19 or newer, as pi does; this is ${process.version}.`);
	process.exit(2);
}
const sources = new URL("../src/cli.ts", import.meta.url);
const { main } = existsSync(sources) ? await import("../src/cli.ts") : await import("../dist/cli.mjs");

process.exitCode = await main(process.argv.slice(2));
