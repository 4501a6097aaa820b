#!/usr/bin/env node
// The command `pi-chronicle`: the bundle in a published package, else the compiled sources. Says what to do where Node is too old, a checkout's
// packages are not installed, or a file of the package is gone.
import { existsSync } from "node:fs";

const checkout = existsSync(new URL("../src/", import.meta.url));
const obstacle =
	nodeIsTooOld() ?? (checkout ? (await import("../../../scripts/installed.mjs")).whatIsMissing() : undefined);
if (obstacle) {
	console.error(obstacle);
	process.exit(2);
}
const compiled = checkout ? (await import("../../../scripts/compiled-sources.ts")).compiledSources() : undefined;
const cli = compiled
	? new URL("cli.mjs", compiled)
	: new URL(checkout ? "../src/cli.ts" : "../dist/cli.mjs", import.meta.url);
if (!existsSync(cli)) {
	console.error("This copy of pi-chronicle is incomplete. Install it again: npm install -g pi-chronicle");
	process.exit(2);
}
const { main } = await import(cli.href);

process.exitCode = await main(process.argv.slice(2));

/** pi, too, needs this Node; with an older one, npm installs an old pi. */
function nodeIsTooOld() {
	const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
	if (major > 22 || (major === 22 && minor >= 19)) return undefined;
	return `pi-chronicle needs Node 22.19 or newer, as pi does; this is ${process.version}. Update Node (https://nodejs.org), then pi (npm install -g @earendil-works/pi-coding-agent).`;
}
