#!/usr/bin/env node
// The command `pi-chronicle`: the bundle in a published package, else the sources (Node strips the types).
import { existsSync } from "node:fs";

const sources = new URL("../src/cli.ts", import.meta.url);
const { main } = existsSync(sources) ? await import("../src/cli.ts") : await import("../dist/cli.mjs");

process.exitCode = await main(process.argv.slice(2));
