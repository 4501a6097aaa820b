#!/usr/bin/env node
// The command `pi-chronicle`: the bundle in a published package, else the compiled sources.
import { existsSync } from "node:fs";

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
	console.error(`pi-chronicle needs Node 22.19 or newer, as pi does; this is ${process.version}.`);
	process.exit(2);
}
const checkout = existsSync(new URL("../src/", import.meta.url));
const compiled = checkout ? (await import("../../../scripts/compiled-sources.ts")).compiledSources() : undefined;
const cli = compiled
	? new URL("cli.mjs", compiled)
	: new URL(checkout ? "../src/cli.ts" : "../dist/cli.mjs", import.meta.url);
const { main } = await import(cli.href);

process.exitCode = await main(process.argv.slice(2));
